"""What an organiser does with a whole campaign: states, freezing and reopening, settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext, ngettext

from assess.assignments.domain.leases import restart_leases
from assess.assignments.queries.stops import stops_in_force
from assess.base.errors import Conflict, Invalid
from assess.base.numbers import grouped
from assess.base.track_settings import Change, TrackSettings
from assess.campaigns.activity import REASON_LIMIT, checked_reason, hold_work, lock_open, record_activity
from assess.campaigns.changed_since import MadeFrom, require_unchanged
from assess.campaigns.domain import checked_settings, require_changeable
from assess.campaigns.grown_work import recheck_done_work, rechecked_together
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.items.models import Item
from assess.ledger.models import take_points
from assess.organising.queries.freezing import FreezeState, freeze_state
from assess.organising.queries.scales import count_ledger_rows, values_off_scale
from assess.organising.queries.topics import choices_for_topics, list_given_twice
from assess.progress.domain import count_work
from assess.runs.models import Run

# Moving a campaign from state to state.

MOVES = {
    Campaign.State.SETUP: {Campaign.State.JUDGING},
    Campaign.State.JUDGING: {Campaign.State.SETUP, Campaign.State.FROZEN},
    Campaign.State.FROZEN: {Campaign.State.JUDGING, Campaign.State.RELEASED},
    Campaign.State.RELEASED: {Campaign.State.JUDGING},
    Campaign.LOADING: {Campaign.State.FROZEN},
}


def change_state(*, actor: User, campaign: Campaign, state: str) -> Campaign:
    """Move the campaign to another state. Moving it to its current state changes nothing. When judging begins, all
    leases restart.

    Waits for writes that are under way in its assignments. Refused: an unknown state, one that `MOVES` does not allow
    from the current one, and closing the campaign if work is handed out at the same moment.
    """
    if state not in Campaign.State.values:
        raise Invalid(
            gettext("%(state)s is not a state. Use one of: %(values)s.")
            % {"state": state, "values": ", ".join(Campaign.State.values)}
        )
    with transaction.atomic():
        locked, held = hold_work(campaign)
        campaign.state = locked.state
        if state == campaign.state:
            return campaign
        if state not in MOVES[campaign.state]:
            raise Conflict(
                gettext("A campaign that is %(present)s can't become %(label)s.")
                % {"present": campaign.get_state_display(), "label": Campaign.State(state).label}
            )
        data = {"from": campaign.state, "to": state}
        campaign.state = state
        campaign.save(update_fields=["state"])
        if state == Campaign.State.JUDGING:
            restart_leases(campaign=campaign)
        record_activity(actor=actor, action="campaign.state", campaign=campaign, about=campaign, data=data)
        if campaign.is_closed and frozenset(campaign.assignments.values_list("pk", flat=True)) != held:
            raise Conflict(gettext("Work was handed out at this very moment. Try again."))
    return campaign


# Freezing a campaign once everything adds up, and taking it up again with a reason.


def freeze_campaign(*, actor: User, campaign: Campaign, despite: str = "") -> Campaign:
    """Freeze the campaign: from now on it refuses every write. Freezing a frozen campaign changes nothing.

    A reason in ``despite`` is recorded with what was missing. What `require_freezable` refuses is refused. Writes that
    are under way are waited for, and count. Most work is counted before the campaign is locked.
    """
    count_work(campaign)
    with transaction.atomic():
        locked = hold_work(campaign)[0]
        campaign.state = locked.state
        if locked.state == Campaign.State.FROZEN:
            return campaign
        take_points(locked.pk)  # writes under way are waited for and count; later ones are refused
        state = freeze_state(locked, count_work(locked))
        reason = require_freezable(locked, state, despite)
        stops = stops_in_force(locked)
        data: dict[str, Any] = {"pieces": len(state.accounts), "things": state.total, "done": state.done}
        data |= {"stopped": [[stop.reason, stop.pieces, stop.left] for stop in stops]} if stops else {}
        passed = {issue.code: issue.count for issue in state.issues}
        record_activity(
            actor=actor,
            action="campaign.freeze",
            campaign=campaign,
            about=campaign,
            data={**data, "despite": reason, "missing": passed} if passed else data,
        )
        change_state(actor=actor, campaign=campaign, state=Campaign.State.FROZEN)
    return campaign


def unfreeze_campaign(*, actor: User, campaign: Campaign, reason: str) -> Campaign:
    """Open judging again, and record the reason. Refused without one, with one that is too long, and for a campaign
    that is neither frozen nor released.

    A published release stays published. The next release names the release that it supersedes, and the reason given
    here (`releases.domain.succession`).
    """
    reason = checked_reason(reason, gettext("Say why the campaign is opened again: the reason is recorded."))
    with transaction.atomic():
        campaign.state = hold_work(campaign)[0].state
        if not campaign.is_closed:
            raise Conflict(
                gettext("The campaign is %(state)s, so there is nothing to open.")
                % {"state": campaign.get_state_display()}
            )
        data = {"reason": reason}
        record_activity(actor=actor, action="campaign.unfreeze", campaign=campaign, about=campaign, data=data)
        change_state(actor=actor, campaign=campaign, state=Campaign.State.JUDGING)
    return campaign


def move_campaign(*, actor: User, campaign: Campaign, state: str, reason: str = "") -> Campaign:
    """Move the campaign to a state by the rules of `freeze_campaign`, `unfreeze_campaign` or `change_state`.

    A frozen campaign is refused the state "released", which publishing a release gives it.
    """
    if state == Campaign.State.FROZEN:
        return freeze_campaign(actor=actor, campaign=campaign, despite=reason)
    with transaction.atomic():
        campaign.state = hold_work(campaign)[0].state  # somebody may have frozen it since it was read
        if state == Campaign.State.JUDGING and campaign.is_closed:
            return unfreeze_campaign(actor=actor, campaign=campaign, reason=reason)
        if state == Campaign.State.RELEASED and campaign.state == Campaign.State.FROZEN:
            raise Conflict(gettext("A campaign is released by publishing a release. Make one on the page Release."))
        return change_state(actor=actor, campaign=campaign, state=state)


def require_freezable(campaign: Campaign, state: FreezeState, despite: str) -> str:
    """Return the reason with which the campaign can be frozen: ``despite`` or, without it, why judging was stopped.

    Refused: a campaign that is not being judged; one that lacks something required (`FreezeState.errors`); one that
    lacks anything else, without a reason; and a reason that is too long.
    """
    reason = checked_reason(despite) or "; ".join(stop.reason for stop in stops_in_force(campaign))[:REASON_LIMIT]
    if campaign.state != Campaign.State.JUDGING:
        raise Conflict(
            gettext("A campaign that is %(present)s can't become frozen. Only one that is being judged can.")
            % {"present": campaign.get_state_display()}
        )
    why = " ".join(issue.text for issue in state.errors or state.warnings)
    if state.errors:
        raise Conflict(gettext("The campaign can't be frozen yet. %(why)s") % {"why": why})
    if state.warnings and not reason:
        said = gettext("%(missing)s To freeze the campaign all the same, say why.") % {"missing": why}
        raise Conflict(said, code="reason-needed")
    return reason


# Choices for topics that were given twice with different findings.


def require_choosable(
    campaign: Campaign, *, before: Mapping[str, Any], after: Mapping[str, Any], named: Iterable[str] = ()
) -> None:
    """Refuse to change the choice for a topic that was not given twice, or that was judged.

    ``before`` and ``after`` are settings; ``named`` are further topics that must have been given twice. The choice for
    a topic that is gone may be removed. If no choice changes, nothing is read.
    """
    said = track_of(campaign).given_twice
    if said is None:
        return
    old, new = choices_for_topics(said, before), choices_for_topics(said, after)
    changed = {number for number in old.keys() | new.keys() if old.get(number) != new.get(number)}
    asked = sorted(changed.union(named))
    if not asked:
        return
    found = {each.number: each for each in list_given_twice(campaign, asked)}
    for number in asked:
        if number not in found and (number in new or number not in old):
            raise Invalid(
                gettext(
                    "%(number)s is no %(noun)s that was given twice with other findings. Choose for those on the page "
                    "of that name."
                )
                % {"number": number[:80], "noun": said.noun},
                field=said.chosen_setting,
            )
        if number in changed and number in found and found[number].is_judged:
            raise Conflict(
                gettext(
                    "%(number)s was judged here: what its assessors found counts, whatever is chosen. Leave its "
                    "choice as it is."
                )
                % {"number": number[:80]},
                field=said.chosen_setting,
            )


# Changing the settings of a campaign.


def change_settings(
    *, actor: User, campaign: Campaign, values: Mapping[str, Any], made_from: MadeFrom | None = None
) -> Campaign:
    """Change settings that an organiser may set; settings that are not named keep their values.

    Refused: a frozen campaign; a setting that can't change once runs are in or something is judged
    (`assess.base.track_settings.Change`); a choice for a topic that was not given twice, or was judged; and a change
    that was ``made_from`` other settings than those stored.
    """
    require_changeable(campaign)
    track = track_of(campaign)
    with rechecked_together(campaign=campaign, actor=actor), transaction.atomic():
        before = lock_open(campaign).settings
        present = track.settings.with_later(before)
        campaign.settings = checked_settings(track=track, values={**present, **values})
        if campaign.settings == before:
            return campaign
        changed = {key: [present.get(key), value] for key, value in campaign.settings.items()}
        changed = {key: pair for key, pair in changed.items() if pair[0] != pair[1]}
        kept = track.settings.from_stored(before)
        stored = kept.as_mapping()
        require_unchanged(campaign=campaign, present=stored, made_from=made_from, action="campaign.settings")
        if changed.keys() & kept.names_changed(Change.JUDGMENTS):
            hold_work(campaign)  # a judgment under way was given on the scale of before, so it counts below
        _require_not_settled(campaign, kept)
        require_choosable(campaign, before=present, after=campaign.settings)
        campaign.save(update_fields=["settings"])
        recheck_done_work(campaign=campaign, actor=actor)
        record_activity(actor=actor, action="campaign.settings", campaign=campaign, about=campaign, data=changed)
    return campaign


def choose_given(
    *, actor: User, campaign: Campaign, choices: Mapping[str, str], made_from: MadeFrom | None = None
) -> Campaign:
    """Choose which findings count for topics that were given twice.

    ``choices`` maps topic numbers to choices; "" follows the campaign's setting, and other topics keep their choice.
    Refused: a track in which no topic is given twice, an unknown choice, what `change_settings` refuses, and a choice
    that was ``made_from`` one other than the stored one.
    """
    said = track_of(campaign).given_twice
    if said is None:
        raise Invalid(gettext("There is nothing to choose: in this track no topic is given twice."))
    for choice in choices.values():
        if choice and choice not in said.choices:
            known = ", ".join(said.choices)
            raise Invalid(
                gettext("“%(choice)s” is no choice. Use one of: %(known)s; or leave it empty.")
                % {"choice": choice[:60], "known": known}
            )
    with transaction.atomic():
        present = track_of(campaign).settings.with_later(lock_open(campaign).settings)
        before = choices_for_topics(said, present)
        now = {number: before.get(number, "") for number in choices}
        if now != choices:
            require_unchanged(campaign=campaign, present=now, made_from=made_from, action="campaign.settings")
        chosen = {**before, **choices}
        words = [f"{number}={choice}" for number, choice in chosen.items() if choice]
        require_choosable(campaign, before=present, after={**present, said.chosen_setting: words}, named=choices)
        return change_settings(actor=actor, campaign=campaign, values={said.chosen_setting: words})


def _require_not_settled(campaign: Campaign, present: TrackSettings) -> None:
    """Refuse to change a setting that decided how existing runs were stored or existing judgments were made.

    There is one exception: if recorded values fit no scale under the current settings, a setting under which all of
    them fit is accepted as a repair.
    """
    held = present.as_mapping()
    changed = {name for name, value in campaign.settings.items() if value != held[name]}
    for name in changed.intersection(present.names_changed(Change.RUNS)):
        _require_no_runs(campaign, name)
    judged = [name for name in present.names_changed(Change.JUDGMENTS) if name in changed]
    standing = {name: count_ledger_rows(campaign, present.criterion_of(name)) for name in judged}
    name = next((name for name, count in standing.items() if count), "")
    if name and not _repairs_scales(campaign, held):
        raise Conflict(
            ngettext(
                "%(name)s can't be changed any more: %(count)s recorded judgment stands on it, and would mean "
                "something else. Leave it as it is, or make another campaign.",
                "%(name)s can't be changed any more: %(count)s recorded judgments stand on it, and would mean "
                "something else. Leave it as it is, or make another campaign.",
                standing[name],
            )
            % {"name": name, "count": grouped(standing[name])},
            field=name,
        )


def _require_no_runs(campaign: Campaign, name: str) -> None:
    if campaign.runs.filter(state__in=(Run.State.ACCEPTED, Run.State.CHECKING)).exists():
        raise Conflict(
            gettext(
                "%(name)s can't be changed any more: runs are in, and what they returned is kept by it. Make another "
                "campaign, or withdraw all runs, change it, and submit them again."
            )
            % {"name": name},
            field=name,
        )
    if Item.objects.filter(topic__campaign=campaign, given=False, pool_items__isnull=False).exists():
        raise Conflict(
            gettext("%(name)s can't be changed any more: items were pooled that are kept by it. Make another campaign.")
            % {"name": name},
            field=name,
        )


def _repairs_scales(campaign: Campaign, held: Mapping[str, Any]) -> bool:
    """Return whether some judgments are off their scale under the settings ``held``, and none under the new
    settings.
    """
    if values_off_scale(campaign):
        return False
    return bool(
        values_off_scale(Campaign(pk=campaign.pk, track=campaign.track, design=campaign.design, settings=dict(held)))
    )

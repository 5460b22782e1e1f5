"""Making campaigns, changing their settings and state, publishing guidelines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings as site
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from assess.domain.activity import record_activity
from assess.domain.campaigns.closed import hold_work, lock_open
from assess.domain.campaigns.given_twice import require_choosable
from assess.domain.errors import Conflict, Invalid
from assess.domain.work.leases import restart_leases
from assess.models import Campaign, Guideline, Item, Membership, Role, Run
from assess.protocol import Track
from assess.queries.topics.given_twice import choices_for_topics
from assess.queries.tracks import registered_tracks, track_of
from assess.track_settings import TrackSettings

SLUG = re.compile(r"[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?")

MOVES = {
    Campaign.State.SETUP: {Campaign.State.JUDGING},
    Campaign.State.JUDGING: {Campaign.State.SETUP, Campaign.State.FROZEN},
    Campaign.State.FROZEN: {Campaign.State.JUDGING, Campaign.State.RELEASED},
    Campaign.State.RELEASED: set(),
}


def create_campaign(
    *, actor: User, slug: str, title: str, track: str, settings: Mapping[str, Any] | None = None
) -> Campaign:
    """Make a campaign of a registered track; its maker becomes organiser and version 1 of the guidelines is
    the track's own text. Refused: a slug that is taken or malformed, an unknown track, bad settings.
    """
    found = registered_tracks().get(track)
    if found is None:
        known = ", ".join(registered_tracks())
        raise Invalid(f"There is no track “{track}”. Known tracks: {known}.", field="track")
    if not title.strip():
        raise Invalid("Give the campaign a title.", field="title")
    if not SLUG.fullmatch(slug):
        raise Invalid(
            f"“{slug[:60]}” can't be a short name, since it stands in addresses. Write up to 50 small letters (a-z), "
            "digits and hyphens, with a letter or digit at both ends, such as tac-2008.",
            field="slug",
        )
    campaign = Campaign(slug=slug, title=title.strip(), track=track, time_zone=site.TIME_ZONE)
    campaign.settings = checked_settings(track=found, values=settings or {})
    try:
        campaign.clean_fields()
    except ValidationError as error:
        fields = "; ".join(f"{field}: {' '.join(messages)}" for field, messages in error.message_dict.items())
        raise Invalid(f"The campaign can't be made. {fields}") from error
    try:
        with transaction.atomic():
            campaign.save()
            Membership.objects.create(campaign=campaign, user=actor, role=Role.ORGANISER)
            Guideline.objects.create(campaign=campaign, version=1, text=found.guidelines, published_by=actor)
            record_activity(actor=actor, action="campaign.create", campaign=campaign, about=campaign)
    except IntegrityError as error:
        raise Conflict(f"There is a campaign “{slug}” already. Choose another short name.", field="slug") from error
    return campaign


def checked_settings(*, track: Track, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as they are kept, once the track's own dataclass took them; `Invalid` says what is wrong."""
    try:
        settings = track.settings.from_mapping(values)
    except (TypeError, ValueError) as error:
        raise Invalid(f"These settings can't be used: {error}") from error
    return dict(settings.as_mapping())


def change_settings(*, actor: User, campaign: Campaign, values: Mapping[str, Any]) -> Campaign:
    """Change what an organiser may set; fields not named keep their values.

    Refused once frozen; once runs are in, a field that is fixed by then; a choice for a topic that was not given twice,
    or was judged.
    """
    require_changeable(campaign)
    track = track_of(campaign)
    with transaction.atomic():
        before = lock_open(campaign).settings
        present = track.settings.with_later(before)
        campaign.settings = checked_settings(track=track, values={**present, **values})
        if campaign.settings == before:
            return campaign
        changed = {key: [present.get(key), value] for key, value in campaign.settings.items()}
        changed = {key: pair for key, pair in changed.items() if pair[0] != pair[1]}
        _require_not_fixed(campaign, track.settings.from_kept(before), sorted(changed))
        require_choosable(campaign, before=present, after=campaign.settings)
        campaign.save(update_fields=["settings"])
        record_activity(actor=actor, action="campaign.settings", campaign=campaign, about=campaign, data=changed)
    return campaign


def choose_given(*, actor: User, campaign: Campaign, choices: Mapping[str, str]) -> Campaign:
    """Choose what counts of topics that were given twice: number -> choice, "" for what the campaign's setting says.

    Topics that are not named keep their choice. It is a change of settings, and refused as one.
    """
    said = track_of(campaign).given_twice
    if said is None:
        raise Invalid("There is nothing to choose: in this track no topic is given twice.")
    for choice in choices.values():
        if choice and choice not in said.choices:
            known = ", ".join(said.choices)
            raise Invalid(f"“{choice[:60]}” is no choice. Use one of: {known}; or leave it empty.")
    with transaction.atomic():
        present = track_of(campaign).settings.with_later(lock_open(campaign).settings)
        chosen = {**choices_for_topics(said, present), **choices}
        words = [f"{number}={choice}" for number, choice in chosen.items() if choice]
        require_choosable(campaign, before=present, after={**present, said.chosen_setting: words}, named=choices)
        return change_settings(actor=actor, campaign=campaign, values={said.chosen_setting: words})


def _require_not_fixed(campaign: Campaign, present: TrackSettings, changed: Iterable[str]) -> None:
    """Refuse another value of a setting by which runs that are in were stored."""
    held = present.as_mapping()
    fixed = [name for name in changed if name in present.fixed_names() and campaign.settings[name] != held[name]]
    if fixed and campaign.runs.filter(state__in=(Run.State.ACCEPTED, Run.State.CHECKING)).exists():
        raise Conflict(
            f"{fixed[0]} can't be changed any more: runs are in, and what they returned is kept by it. Make another "
            "campaign, or withdraw all runs, change it, and submit them again.",
            field=fixed[0],
        )
    if fixed and Item.objects.filter(topic__campaign=campaign, given=False, pool_items__isnull=False).exists():
        raise Conflict(
            f"{fixed[0]} can't be changed any more: items were pooled that are kept by it. Make another campaign.",
            field=fixed[0],
        )


def change_state(*, actor: User, campaign: Campaign, state: str) -> Campaign:
    """Move the campaign on, or one step back before release. Staying where it is changes nothing.

    Waits for what is being written under its assignments; whatever asks to write after that sees the new state.
    Refused to close it while work is handed out at the same moment.
    """
    if state not in Campaign.State.values:
        raise Invalid(f"{state} is not a state. Use one of: {', '.join(Campaign.State.values)}.")
    with transaction.atomic():
        locked, held = hold_work(campaign)
        campaign.state = locked.state
        if state == campaign.state:
            return campaign
        if state not in MOVES[Campaign.State(campaign.state)]:
            present = campaign.get_state_display()
            raise Conflict(f"A campaign that is {present} can't become {Campaign.State(state).label}.")
        data = {"from": campaign.state, "to": state}
        campaign.state = state
        campaign.save(update_fields=["state"])
        if state == Campaign.State.JUDGING:
            restart_leases(campaign=campaign)
        record_activity(actor=actor, action="campaign.state", campaign=campaign, about=campaign, data=data)
        if campaign.is_closed and frozenset(campaign.assignments.values_list("pk", flat=True)) != held:
            raise Conflict("Work was handed out at this very moment. Try again.")
    return campaign


def publish_guideline(*, actor: User, campaign: Campaign, text: str) -> Guideline:
    """Publish a new version of the guidelines; judgments made from now on record it."""
    if not text.strip():
        raise Invalid("The guidelines are empty. Write something for the assessors.")
    with transaction.atomic():
        latest = campaign.guidelines.select_for_update(no_key=True).first()
        if latest is not None and latest.text == text:
            return latest
        version = latest.version + 1 if latest is not None else 1
        guideline = Guideline.objects.create(campaign=campaign, version=version, text=text, published_by=actor)
        record_activity(
            actor=actor, action="guideline.publish", campaign=campaign, about=guideline, data={"version": version}
        )
    return guideline


def require_changeable(campaign: Campaign) -> None:
    """Refuse to change anything in a frozen or released campaign."""
    if campaign.is_closed:
        raise Conflict(f"The campaign is {campaign.get_state_display()}; nothing in it can be changed.")

"""Changing the settings of a campaign."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from assess.base.errors import Conflict, Invalid
from assess.base.track_settings import TrackSettings
from assess.campaigns.activity import record_activity
from assess.campaigns.closed import lock_open
from assess.campaigns.domain import checked_settings, require_changeable
from assess.campaigns.models import Campaign
from assess.campaigns.tracks import track_of
from assess.items.models import Item
from assess.organising.domain.given_twice import require_choosable
from assess.organising.queries.given_twice import choices_for_topics
from assess.runs.models import Run


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

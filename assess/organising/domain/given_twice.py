"""What may be chosen of topics that were given twice with other findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assess.base.errors import Conflict, Invalid
from assess.campaigns.models import Campaign
from assess.campaigns.tracks import track_of
from assess.organising.queries.given_twice import choices_for_topics, list_given_twice


def require_choosable(
    campaign: Campaign, *, before: Mapping[str, Any], after: Mapping[str, Any], named: Iterable[str] = ()
) -> None:
    """Refuse other choices for topics that were not given twice, or that were judged; ``named`` must be such topics.

    ``before`` and ``after`` are settings. A choice that lost its topic may be taken back. Nothing is read where all
    choices stay.
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
                f"{number[:80]} is no {said.noun} that was given twice with other findings. Choose for those on the "
                "page of that name.",
                field=said.chosen_setting,
            )
        if number in changed and number in found and found[number].is_judged:
            raise Conflict(
                f"{number[:80]} was judged here: what its assessors found counts, whatever is chosen. "
                "Leave its choice as it is.",
                field=said.chosen_setting,
            )

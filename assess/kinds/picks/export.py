"""That nothing was picked, as deeds; what was picked is judgments, and their kind's to tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assess.models import Campaign
from assess.queries.exports.everything import role_of
from assess.queries.judging.picks import none_picked
from scoring.deeds import Deed, NonePicked


def none_picked_deeds(campaign: Campaign, names: Mapping[int, str], as_of: int | None) -> Iterator[Deed]:
    """One for each piece of work in which somebody said that none fits."""
    for assignment, criterion in none_picked(campaign, as_of):
        yield NonePicked(
            by=names[assignment.assessor_id],
            topic=assignment.topic.number,
            criterion=criterion.key,
            role=role_of(assignment.role),
        )

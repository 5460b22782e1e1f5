"""That nothing answers a topic, as a deed of judgments.jsonl."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assess.campaigns.models import Campaign
from assess.exports.queries.writing import role_of
from assess.kinds.picks.bench import none_picked
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

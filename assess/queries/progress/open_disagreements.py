"""How many disagreements wait for an adjudicator, at a cost that a first page can afford."""

from __future__ import annotations

from assess.models import Assignment, Campaign
from assess.queries.judging.disagreements import adjudicated_stages, criteria_of, disagreements, kind_of

FEW = 20_000


def open_disagreements(campaign: Campaign) -> int | None:
    """How many disagreements wait to be settled; None where more was judged twice than is counted in passing.

    Left out is what is settled by choice alone (`Kind.is_choice`). One query where nobody judges after another; else
    one for each stage in which somebody does, and those of `disagreements` for each of its criteria.
    """
    seconds = campaign.assignments.filter(role=Assignment.Role.SECOND).order_by()
    keys = set(seconds.values_list("stage", flat=True).distinct())
    if not keys:
        return 0
    settled = [stage for _, stage in adjudicated_stages(campaign) if not kind_of(stage).is_choice]
    stages = [stage for stage in settled if stage.key in keys]
    if sum(kind_of(stage).spoken(campaign, stage, FEW + 1) for stage in stages) > FEW:
        return None
    return sum(
        row.decided is None
        for stage in stages
        for criterion in criteria_of(campaign, stage)
        for row in disagreements(campaign, stage, criterion)
    )

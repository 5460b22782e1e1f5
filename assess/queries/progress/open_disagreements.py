"""How many disagreements wait for an adjudicator, at a cost that a first page can afford."""

from __future__ import annotations

from assess.models import Assignment, Campaign, Judgment
from assess.queries.judging.disagreements import adjudicated_stages, disagreements

FEW = 20_000


def open_disagreements(campaign: Campaign) -> int | None:
    """How many values of items wait to be settled; None where more was judged twice than is counted in passing.

    One query where nothing was judged twice, else two more for each criterion that is graded.
    """
    seconds = Judgment.objects.filter(assignment__campaign=campaign, assignment__role=Assignment.Role.SECOND).order_by()
    twice = list(seconds.values_list("item_id", flat=True)[: FEW + 1])
    if not twice:
        return 0
    if len(twice) > FEW:
        return None
    return sum(
        row.decided is None
        for _, stage in adjudicated_stages(campaign)
        for criterion in stage.criteria
        for row in disagreements(campaign, stage, criterion, items=set(twice))
    )

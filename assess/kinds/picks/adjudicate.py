"""How lists of picks are settled: the adjudicator's list is that of a side."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.assignments.models import Assignment
from assess.base.errors import Conflict
from assess.campaigns.models import Activity
from assess.items.models import Item
from assess.kinds.opinions import Adjudication, Decision, Disagreement
from assess.kinds.picks.bench import NONE_ACTION, ranking_of
from assess.kinds.picks.opinions import criteria, labels, picks_of, said, spoken, told
from assess.kinds.picks.record import record_picks
from assess.ledger.models import LedgerRow
from assess.protocol import Stage


def record_list(actor: User, assignment: Assignment, stage: Stage, row: Disagreement, decision: Decision) -> LedgerRow:
    """The side's picks, in its order, as the adjudicator's; "none of them" where it says so. None empties the list."""
    side = next((each for each in row.sides if each.value == decision.value), None)
    picked: list[int] = []
    if side is not None:
        held = assignment.campaign.assignments.filter(stage=stage.key, topic=row.topic_id, assessor=side.assessor_id)
        picked = picks_of(list(held), ranking_of(stage))[0].get((row.topic_id, side.assessor_id), [])
    items = Item.objects.in_bulk(picked)
    rows = record_picks(
        actor=actor,
        assignment=assignment,
        items=[items[item] for item in picked],
        client_key=decision.client_key,
        none=None if picked else decision.value is not None,
        how=decision.how,
        seconds=decision.seconds,
    )
    if rows:
        return rows[-1]
    said = Activity.objects.filter(action=NONE_ACTION, object_id=str(assignment.pk)).order_by("-id").first()
    if said is None:
        raise Conflict("This is decided so already. List the disagreements again.")
    return said


ADJUDICATION = Adjudication(
    criteria=criteria,
    said=said,
    labels=labels,
    told=told,
    record=record_list,
    spoken=spoken,
    is_whole=True,
    taking="The list that you take counts as a whole, in its order.",
)

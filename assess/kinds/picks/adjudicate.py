"""Disagreements on picks: each opinion is a whole ordered list, and the adjudicator takes one of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from django.contrib.auth.models import User
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import predecessors
from assess.base.errors import Conflict
from assess.campaigns.models import Campaign
from assess.items.models import Item
from assess.judging.models import Judgment
from assess.judging.queries.current import ADJUDICATOR, PRIMARY
from assess.judging.queries.picked import answers, points_of_none, ranking_of
from assess.kinds.opinions import (
    AdjudicableItem,
    Adjudication,
    Decision,
    Disagreement,
    Label,
    Narrow,
    Opinion,
    OpinionLine,
    Opinions,
    Reasoning,
    digest_of,
    first_ids,
)
from assess.kinds.picks.bench import label_of
from assess.kinds.picks.record import answer_on_none, record_picks
from assess.ledger.models import LedgerRow
from assess.ledger.newest import newest_rows
from assess.protocol import Criterion, Stage

SECOND = Assignment.Role.SECOND
ROLES = (PRIMARY, SECOND, ADJUDICATOR)
NONE = gettext_lazy("None of them")


def criteria(campaign: Campaign, stage: Stage) -> Sequence[Criterion]:
    """Return the one criterion that is compared: which items were picked, and in which order."""
    del campaign
    return [ranking_of(stage)]


def opinions_on(
    campaign: Campaign, stage: Stage, criterion: Criterion, things: Narrow, topics: Collection[int]
) -> dict[AdjudicableItem, Opinions]:
    """Return the opinions on each of these topics (ids) in which somebody answered; ``things`` may narrow them further.

    After a hand-over, the list of whoever answered last counts. Five queries, six if an assignment
    was handed over.
    """
    if things is not None:
        topics = set(topics) & first_ids(things)
    held = list(campaign.assignments.filter(stage=stage.key, topic__in=list(topics), role__in=ROLES))
    picked, none = answers(held, stage)
    lists, rows = picks_of(held, criterion)
    points, before = points_of_none(held), predecessors(held)
    heard: list[tuple[Assignment, Opinion]] = []
    handed = {each.taken_over_id for each in held}
    for work in (each for each in held if each.pk not in handed):
        line = (work, *before.get(work.pk, ()))
        said = {
            each: max(rows.get((each.topic_id, each.assessor_id), 0), points.get(each.pk, 0))
            for each in line
            if each.pk in picked | none
        }
        if speaker := max(said, key=said.__getitem__, default=None):
            value = digest_of(lists.get((speaker.topic_id, speaker.assessor_id), []))
            heard.append((work, Opinion(row=said[speaker], value=value, assessor_id=speaker.assessor_id)))
    found: dict[AdjudicableItem, Opinions] = {}
    for work, side in sorted(heard, key=lambda each: each[1].row):
        words = found.setdefault(AdjudicableItem(topic_id=work.topic_id), Opinions())
        words.add(work.role, side, is_live=work.state != Assignment.State.RETURNED)
    return found


def picks_of(
    held: Sequence[Assignment], criterion: Criterion
) -> tuple[dict[tuple[int, int], list[int]], dict[tuple[int, int], int]]:
    """Return, by (topic, person), the items that they picked in order, and the id of their newest row. One query."""
    said = Judgment.objects.filter(
        criterion=criterion.key,
        item__topic__in={each.topic_id for each in held},
        assessor__in={each.assessor_id for each in held},
    )
    newest = newest_rows(said, "item_id", "criterion", "assessor_id", whole_groups=True).order_by("value", "id")
    lists: dict[tuple[int, int], list[int]] = {}
    rows: dict[tuple[int, int], int] = {}
    for pk, topic, person, item, value in newest.values_list("pk", "item__topic", "assessor", "item", "value"):
        place = (topic, person)
        rows[place] = max(pk, rows.get(place, 0))
        if value is not None:
            lists.setdefault(place, []).append(item)
    return lists, rows


def count_opinions(campaign: Campaign, stage: Stage, limit: int) -> int:
    """Return how many second assessors have an assignment, counting no further than a limit. One query."""
    held = campaign.assignments.filter(stage=stage.key, role=SECOND, topic__dropped=False).order_by()
    return len(held.values_list("pk")[:limit])


def labels(campaign: Campaign, stage: Stage, rows: Sequence[Disagreement]) -> dict[str, Label]:
    """Return the topic's text as the label of each row. One query."""
    del stage
    texts = dict(campaign.topics.filter(pk__in=[row.topic_id for row in rows]).values_list("pk", "text"))
    return {row.name: Label(label=texts[row.topic_id]) for row in rows}


def reasonings(campaign: Campaign, stage: Stage, criterion: Criterion, row: Disagreement) -> Mapping[int, Reasoning]:
    """Return each side's list in order; picks that no other side has are marked. Three queries."""
    people = [side.assessor_id for side in row.sides]
    held = list(campaign.assignments.filter(stage=stage.key, topic=row.topic_id, assessor__in=people))
    lists, _ = picks_of(held, criterion)
    by_person = {person: lists.get((row.topic_id, person), []) for person in people}
    items = Item.objects.in_bulk({item for picked in by_person.values() for item in picked})
    found = {}
    for person, picked in by_person.items():
        others = {item for other, mine in by_person.items() if other != person for item in mine}
        lines = [
            OpinionLine(text=f"{place}. {label_of(items[item])}", is_alone=item not in others)
            for place, item in enumerate(picked, start=1)
        ]
        found[person] = Reasoning(lines=lines or [OpinionLine(text=str(NONE))])
    return found


# Lists of picks are settled by taking one side's list as the adjudicator's.


def record_list(actor: User, assignment: Assignment, stage: Stage, row: Disagreement, decision: Decision) -> LedgerRow:
    """Record the decision for one opinion: its picks, in its order, become the adjudicator's. Return a row of the
    decision.

    The opinion may be that no item is picked; this is recorded, too. If the decision's value is None, the adjudicator's
    list is emptied. Raises `Conflict` if there is nothing to change.
    """
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
    said = answer_on_none(assignment, decision.client_key)
    if said is None:
        raise Conflict(gettext("This is already decided in this way. Reload the list of disagreements."))
    return said


ADJUDICATION = Adjudication(
    criteria=criteria,
    opinions=opinions_on,
    labels=labels,
    reasonings=reasonings,
    record=record_list,
    count_opinions=count_opinions,
    is_whole=True,
    taking=gettext_noop("The list that you take counts as a whole, in its order."),
)

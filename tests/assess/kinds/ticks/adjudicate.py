"""How ticks are settled: one more, by the adjudicator."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from django.contrib.auth.models import User

from assess.judging.queries.stage_items import items_of, topic_of_item
from assess.kinds.opinions import (
    AdjudicableItem,
    Adjudication,
    Decision,
    Disagreement,
    Label,
    Narrow,
    Opinion,
    Opinions,
    Reasoning,
    first_ids,
)
from assess.models import Assignment, Campaign, Judgment
from assess.protocol import Criterion, Grade, Stage

from .current import current_ticks
from .record import TICK, record_tick

ASKED = Criterion(
    key=TICK,
    question="Does it matter?",
    grades=(Grade(value=0, key="1", name="no"), Grade(value=1, key="2", name="yes")),
    level="nominal",
)


def criteria(campaign: Campaign, stage: Stage) -> Sequence[Criterion]:
    return (ASKED,)


def opinions_on(
    campaign: Campaign, stage: Stage, criterion: Criterion, things: Narrow, topics: Collection[int]
) -> dict[AdjudicableItem, Opinions]:
    rows = current_ticks(Judgment.objects.filter(item__topic__in=list(topics), assignment__stage=stage.key))
    if things is not None:
        rows = rows.filter(item__in=first_ids(things))
    found: dict[AdjudicableItem, Opinions] = {}
    for row in rows.select_related("assignment", "item"):
        words = found.setdefault(AdjudicableItem(topic_id=row.item.topic_id, item_id=row.item_id), Opinions())
        words.add(row.assignment.role, Opinion(row=row.pk, value=row.value or 0, assessor_id=row.assessor_id))
    return found


def labels(campaign: Campaign, stage: Stage, rows: Sequence[Disagreement]) -> Mapping[str, Label]:
    items = items_of(rows)
    return {row.name: Label(label=items[row.thing.item_id or 0].text) for row in rows}


def reasonings(campaign: Campaign, stage: Stage, criterion: Criterion, row: Disagreement) -> Mapping[int, Reasoning]:
    return {side.assessor_id: Reasoning() for side in row.sides}


def record(actor: User, assignment: Assignment, stage: Stage, row: Disagreement, decision: Decision) -> Judgment:
    (item,) = items_of([row]).values()
    return record_tick(
        actor=actor,
        assignment=assignment,
        item=item,
        value=decision.value,
        client_key=decision.client_key,
        how=decision.how,
    )


def count_opinions(campaign: Campaign, stage: Stage, limit: int) -> int:
    rows = Judgment.objects.filter(assignment__campaign=campaign, assignment__stage=stage.key, criterion=TICK)
    return rows.filter(assignment__role=Assignment.Role.SECOND)[:limit].count()


ADJUDICATION = Adjudication(
    criteria=criteria,
    opinions=opinions_on,
    labels=labels,
    reasonings=reasonings,
    record=record,
    count_opinions=count_opinions,
    topic_of=topic_of_item,
)

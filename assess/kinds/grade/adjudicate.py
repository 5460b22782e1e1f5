"""Disagreements on grades: the opinions on each item, and the judgment by which an adjudicator settles them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Exists, OuterRef

from assess.adjudication.queries.sides import SIDES
from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import Chain, chains_of
from assess.base.errors import NotFound
from assess.campaigns.models import Campaign
from assess.items.models import Item
from assess.judging.domain import texts_of
from assess.judging.models import Judgment
from assess.judging.queries.bench import label_of
from assess.judging.queries.current import ADJUDICATOR, PRIMARY, official_judgments
from assess.judging.queries.judged import ANSWERED
from assess.judging.queries.stage_items import items_of, topic_of_item
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.record import JudgmentInput, record_judgment
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
    Spread,
    first_ids,
)
from assess.ledger.newest import newest_rows
from assess.protocol import MAJORITY, Criterion, Stage, asked_criteria

# The opinions in disagreements on items, with notes and snippets. Nothing here joins runs.

SECOND = Assignment.Role.SECOND


CHUNK = 5_000
AT_WORK = (Assignment.State.OPEN, Assignment.State.STARTED)


_Row = tuple[int, int | None, int, int, str]
"""(id, value, person, assignment, note) of a judgment."""


def criteria(campaign: Campaign, stage: Stage) -> Sequence[Criterion]:
    """Return the stage's criteria that are answered by a grade."""
    del campaign
    return [each for each in stage.criteria if each.answer == "grade"]


def opinions_on(
    campaign: Campaign, stage: Stage, criterion: Criterion, things: Narrow, topics: Collection[int]
) -> dict[AdjudicableItem, Opinions]:
    """Return the opinions on every item in these topics (ids) that is or was disputed. Two queries.

    ``things`` narrow the search to some items, unless they are None. Only items that somebody besides primary assessors
    judged can be disputed; all their judgments are read, item by item.

    A criterion with a condition takes a query more, and one for every 5,000 items found. Items of which it is not asked
    now are left out. Items are added of which an adjudicator's answer asks it, if their primary assessor was not asked.
    """
    works = campaign.assignments.filter(stage=stage.key, topic__in=list(topics), role__in=(*SIDES, ADJUDICATOR))
    asked = works.only("campaign", "topic", "stage", "role", "state", "assessor", "chain_start")
    held = {each.pk: each for each in asked.order_by("pk")}
    chains = chains_of(held.values())
    others = [pk for pk, each in held.items() if each.role != PRIMARY]
    not_alone = Judgment.objects.filter(assignment__in=others, criterion=criterion.key).order_by().values("item_id")
    rows = Judgment.objects.filter(
        item__in=not_alone, criterion=criterion.key, item__kind=stage.item_kind, item__repeats__isnull=True
    )
    if things is not None:
        rows = rows.filter(item__in=first_ids(things))
    fields = ("item__topic_id", "item_id", "id", "value", "assessor_id", "assignment_id", "note")
    ordered = rows.order_by("item_id", "id").values_list(*fields).iterator(CHUNK)
    found = _wanted(campaign, stage, criterion, things, topics) if criterion.asked_if else {}
    for (topic, item), of_item in groupby(ordered, key=itemgetter(0, 1)):
        thing = AdjudicableItem(topic_id=topic, item_id=item)
        words = _opinions([row[2:] for row in of_item], held, chains, is_wanted=thing in found)
        if words is not None:
            found[thing] = words
    return _asked_now(found, campaign, stage, criterion, topics) if criterion.asked_if else found


def _wanted(
    campaign: Campaign, stage: Stage, criterion: Criterion, things: Narrow, topics: Collection[int]
) -> dict[AdjudicableItem, Opinions]:
    """Return, without opinions, the items in which an adjudicator answered another question of the stage and none of
    those whose answers count gave one to this one, or is still to. One query.
    """
    if not criterion.required:
        return {}
    others = [each.key for each in stage.criteria if each.key != criterion.key]
    role = {"assignment__role": ADJUDICATOR, "assignment__campaign": campaign, "assignment__stage": stage.key}
    rows = Judgment.objects.filter(
        **role, criterion__in=others, item__topic__in=list(topics), item__kind=stage.item_kind, item__repeats=None
    )
    if things is not None:
        rows = rows.filter(item__in=first_ids(things))
    counting = SIDES if stage.counts == MAJORITY else (PRIMARY,)
    by_them = Judgment.objects.filter(item=OuterRef("item"), criterion=criterion.key, assignment__role__in=counting)
    answered = newest_rows(by_them, "item_id", "criterion", "assessor_id").filter(ANSWERED)
    at_work = campaign.assignments.filter(
        topic=OuterRef("item__topic"), stage=stage.key, role__in=counting, state__in=AT_WORK
    )
    found = (
        rows.exclude(Exists(answered))
        .exclude(Exists(at_work))
        .order_by()
        .values_list("item__topic_id", "item_id")
        .distinct()
    )
    return {AdjudicableItem(topic_id=topic, item_id=item): Opinions(is_wanted=True) for topic, item in found}


def _asked_now(
    found: dict[AdjudicableItem, Opinions],
    campaign: Campaign,
    stage: Stage,
    criterion: Criterion,
    topics: Collection[int],
) -> dict[AdjudicableItem, Opinions]:
    """Return those items of which the answers that count ask this question. One query for every 5,000 items."""
    items = [thing.item_id for thing in found]
    said: dict[int, dict[str, int | None]] = {}
    for first in range(0, len(items), CHUNK):
        official = official_judgments(Snapshot(campaign), topics=topics).filter(
            item__in=items[first : first + CHUNK], criterion__in=[each.key for each in stage.criteria]
        )
        for item, key, value in official.order_by().values_list("item_id", "criterion", "value"):
            said.setdefault(item, {})[key] = value
    return {
        thing: words
        for thing, words in found.items()
        if criterion in asked_criteria(stage.criteria, said.get(thing.item_id or 0, {}))
    }


def _opinions(
    rows: list[_Row], held: Mapping[int, Assignment], chains: Mapping[int, Chain], *, is_wanted: bool
) -> Opinions | None:
    """Return the current opinions on one item from its rows, which are in order; None if they never differed and no
    answer is wanted.

    If an assignment was handed over, only the newest opinion in its chain of hand-overs counts.
    """
    sides = {value for _, value, _, work, _ in rows if value is not None and work in held and held[work].role in SIDES}
    if len(sides) < 2 and not is_wanted:
        return None
    newest = sorted({row[2]: row for row in rows}.values())
    said = [row for row in newest if row[1] is not None and row[3] in held]
    opinions = {(held[row[3]].role, chains[row[3]].begun_by): row for row in said}
    words = Opinions(is_wanted=is_wanted)
    for pk, value, person, work, note in sorted(opinions.values()):
        side = Opinion(row=pk, value=value or 0, assessor_id=person)
        words.add(held[work].role, side, is_live=chains[work].is_live, note=note)
    return words


_DISPUTED = """
    SELECT j.item_id, MIN(a.topic_id) AS topic,
        MIN(CASE WHEN a.stage = %s AND a.role IN (%s, %s) THEN j.value END) AS low,
        MAX(CASE WHEN a.stage = %s AND a.role IN (%s, %s) THEN j.value END) AS high,
        COUNT(CASE WHEN a.stage = %s AND a.role = %s THEN j.value END) > 0 AS is_decided,
        COUNT(*) > COUNT(DISTINCT j.assessor_id) AS is_said_again
    FROM assess_judgment j JOIN assess_assignment a ON a.id = j.assignment_id
    WHERE j.criterion = %s AND j.item_id IN (
        SELECT id FROM assess_item WHERE topic_id IN ({topics}) AND kind = %s AND repeats_id IS NULL
    )
    GROUP BY j.item_id
"""
_COUNTED = """
    SELECT topic, low, high, is_decided, is_said_again, COUNT(*) FROM ({disputed}) AS items
    WHERE low < high GROUP BY topic, low, high, is_decided, is_said_again
"""
_NAMED = "SELECT topic, item_id FROM ({disputed}) AS items WHERE low < high"
_SAID_AGAIN = f"{_NAMED} AND is_said_again"


def counted(
    campaign: Campaign, stage: Stage, criterion: Criterion, topics: Collection[int]
) -> tuple[Spread, list[str]]:
    """Return the numbers of disputed items as a `Spread`, and the names of the items that were left out of it.

    An item that everybody judged once is disputed if its highest and lowest values differ. Items about which somebody
    recorded more than one judgment are left out: which of the judgments is current must be read first (`opinions_on`).
    If the criterion has a condition, all items are left out. The statements are plain SQL,
    since Django can't count groups of groups, and counting in Python could mean reading a hundred thousand rows. One
    query, or two if there are names.
    """
    if not topics:
        return {}, []
    by_side = (stage.key, *(role.value for role in SIDES))
    values: list[str | int] = [
        *by_side,
        *by_side,
        stage.key,
        ADJUDICATOR.value,
        criterion.key,
        *topics,
        stage.item_kind,
    ]
    disputed = _DISPUTED.format(topics=", ".join(["%s"] * len(topics)))
    spread: Counter[tuple[int, int, int, bool]] = Counter()
    names: list[str] = []
    with connection.cursor() as cursor:
        if criterion.asked_if:
            cursor.execute(_NAMED.format(disputed=disputed), values)
            things = {AdjudicableItem(topic_id=topic, item_id=item) for topic, item in cursor.fetchall()}
            things.update(_wanted(campaign, stage, criterion, None, topics))
            return {}, [each.name for each in things]
        cursor.execute(_COUNTED.format(disputed=disputed), values)
        rows = cursor.fetchall()
        for topic, low, high, is_decided, is_said_again, number in rows:
            if not is_said_again:
                spread[topic, low, high, bool(is_decided)] += number
        if any(row[4] for row in rows):
            cursor.execute(_SAID_AGAIN.format(disputed=disputed), values)
            names = [AdjudicableItem(topic_id=topic, item_id=item).name for topic, item in cursor.fetchall()]
    return spread, names


def count_opinions(campaign: Campaign, stage: Stage, limit: int) -> int:
    """Return how many judgments second assessors made in a stage, counting no further than a limit. One query."""
    rows = Judgment.objects.filter(assignment__campaign=campaign, assignment__stage=stage.key)
    return len(rows.filter(assignment__role=SECOND).order_by().values_list("pk")[:limit])


def labels(campaign: Campaign, stage: Stage, rows: Sequence[Disagreement]) -> dict[str, Label]:
    """Return the label and document of the item of each row, as a list shows them. One query."""
    del campaign, stage
    items = items_of(rows)
    found = {}
    for row in rows:
        item = items[row.thing.item_id or 0]
        found[row.name] = Label(label=label_of(item), docno=item.docno)
    return found


def reasonings(campaign: Campaign, stage: Stage, criterion: Criterion, row: Disagreement) -> Mapping[int, Reasoning]:
    """Return each side's notes on all criteria of the stage, and its snippets for this criterion, by assessor id.

    One query.
    """
    del campaign
    people = [side.assessor_id for side in row.sides]
    judged = Judgment.objects.filter(item=row.thing.item_id, assessor__in=people)
    current = newest_rows(judged, "item_id", "criterion", "assessor_id").filter(value__isnull=False)
    by_person: dict[int, list[Judgment]] = {person: [] for person in people}
    for judgment in current.filter(criterion__in=[each.key for each in stage.criteria]).order_by("id"):
        by_person[judgment.assessor_id].append(judgment)
    found = {}
    for person, judgments in by_person.items():
        own = next((each for each in judgments if each.criterion == criterion.key), None)
        found[person] = Reasoning(
            notes=list(dict.fromkeys(each.note for each in judgments if each.note.strip())),
            quotes=[each["quote"] for each in (own.evidence or ()) if each["quote"]] if own is not None else [],
        )
    return found


# A grade is settled by the adjudicator's judgment, with the snippets of those who gave the same value.


def record_grade(actor: User, assignment: Assignment, stage: Stage, row: Disagreement, decision: Decision) -> Judgment:
    """Record the adjudicator's decision as a judgment and return it.

    If a call is repeated with the same key, the snippets of the first call are used again. Raises `NotFound` for an
    unknown item or criterion, and what `record_judgment` raises.
    """
    item = Item.objects.filter(pk=row.thing.item_id or 0).first()
    criterion = stage.criterion(decision.criterion)
    if item is None or criterion is None:
        raise NotFound
    earlier = Judgment.objects.filter(client_key=decision.client_key, assessor=actor).first()
    judgment = JudgmentInput(
        item=item,
        criterion=criterion.key,
        value=decision.value,
        client_key=decision.client_key,
        how=decision.how,
        note=decision.note,
        evidence=earlier.evidence if earlier is not None else _evidence(item, row, criterion, decision),
        seconds=decision.seconds,
    )
    return record_judgment(actor=actor, assignment=assignment, judgment=judgment)


def _evidence(item: Item, row: Disagreement, criterion: Criterion, decision: Decision) -> list[dict[str, Any]] | None:
    """Return the snippets of the sides that gave the decided value, without repeats, as far as they are still in the
    text; None if there are none.
    """
    if decision.value is None or not criterion.evidence:
        return None
    agreeing = [side.row for side in row.sides if side.value == decision.value]
    rows = Judgment.objects.filter(pk__in=agreeing).order_by("id").values_list("evidence", flat=True)
    text = texts_of([item]).get(item.document_id or 0)
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for snippet in (snippet for evidence in rows for snippet in evidence or ()):
        start = _place(snippet, text)
        if snippet["quote"] and (text is None or start >= 0):
            kept = {"quote": snippet["quote"], "start": start, "value": snippet.get("value")}
            found.setdefault((snippet["quote"], start), kept)
    return list(found.values()) or None


def _place(snippet: dict[str, Any], text: str | None) -> int:
    """Return where a snippet is in the text now; -1 if it is not there or there is no text."""
    quote, start = snippet["quote"], snippet.get("start", -1)
    if text is None:
        return -1
    return start if start >= 0 and text.startswith(quote, start) else text.find(quote)


ADJUDICATION = Adjudication(
    criteria=criteria,
    opinions=opinions_on,
    labels=labels,
    reasonings=reasonings,
    record=record_grade,
    count_opinions=count_opinions,
    topic_of=topic_of_item,
    counted=counted,
    keeps_note=True,
)

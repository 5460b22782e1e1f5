"""What the grading workbench shows: items and the assessor's own current judgments. Nothing here joins runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Max, QuerySet

from assess.models import Assignment, Campaign, HelpRequest, Item, Judgment, PoolItem
from assess.protocol import Stage
from assess.queries.newest import newest_rows
from assess.queries.pools import current_pools
from assess.queries.stage_items import needed, stage_items
from assess.queries.tracks import stage_of, track_of
from assess.workbench import Tally
from scoring.folding import fold_answer


@dataclass(frozen=True, kw_only=True, slots=True)
class BenchItem:
    """One line of the work list. ``place`` is from 1 in this assessor's order; ``values`` holds what they said.

    ``label`` is what it is called in the list: its text, else the text it begins with, else its docno.
    ``evidence`` holds the snippets of each criterion. ``flag`` is "" or how the newest question about it stands:
    "asked", "answered", "excused".
    """

    id: int
    place: int
    text: str
    label: str
    docno: str
    values: Mapping[str, int]
    note: str
    seconds: float | None
    flag: str
    is_judged: bool
    evidence: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left to do: judged, or excused by the organiser."""
        return self.is_judged or self.flag == "excused"

    @property
    def state(self) -> str:
        """How it is shown: judged, excused, flagged or open."""
        if self.is_judged:
            return "judged"
        return {"": "open", "excused": "excused"}.get(self.flag, "flagged")


def bench_items(assignment: Assignment, stage: Stage) -> list[BenchItem]:
    """The items of an assignment in its own order, with this assessor's current judgments. Three queries.

    The order follows from the assignment's seed alone; items with the same answer string stand together, which
    is kinder to who reads them.
    """
    found = stage_items(assignment.topic, stage).only("id", "key", "text", "docno", "fields")
    items = sorted(
        found,
        key=lambda item: (_shuffled(assignment.seed, fold_answer(item.text)), _shuffled(assignment.seed, item.pk)),
    )
    rows = _own_rows(assignment)
    flags = _flags(assignment)
    criteria = [criterion.key for criterion in stage.criteria]
    return [
        _bench_item(
            place, item, {key: rows[item.pk, key] for key in criteria if (item.pk, key) in rows}, criteria, flags
        )
        for place, item in enumerate(items, start=1)
    ]


def unit_of(stage: Stage) -> str:
    """What the things of a stage are called, many of them: "passages", "figures or tables"."""
    return " or ".join(f"{noun}s" for noun in (stage.noun or stage.item_kind).split(" or "))


def grade_tally(assignments: Iterable[Assignment]) -> dict[int, Tally]:
    """How many items of each assignment are judged or excused. Four queries for each stage among them."""
    by_stage: dict[tuple[int, str], list[Assignment]] = {}
    for assignment in assignments:
        by_stage.setdefault((assignment.campaign_id, assignment.stage), []).append(assignment)
    tallies: dict[int, Tally] = {}
    for group in by_stage.values():
        tallies.update(_stage_tally(group))
    return tallies


def waiting_reasons(assignments: Iterable[Assignment]) -> dict[int, str]:
    """Why assignments are not open yet, by id; those that are open are not in it. One query.

    A stage waits for the author's work in the stage before it; one that says ``own`` for the same assessor's.
    """
    waiting = []
    for assignment in assignments:
        task, stage = stage_of(assignment.campaign, assignment.stage)
        before = task.stage(stage.after) if stage.after else None
        if before is not None:
            waiting.append((assignment, stage, before))
    if not waiting:
        return {}
    rows = Assignment.objects.filter(
        topic__in={assignment.topic_id for assignment, _, _ in waiting}, state=Assignment.State.DONE
    ).order_by()
    done: set[tuple[int, str, int | None]] = set()
    for topic, key, person, role in rows.values_list("topic_id", "stage", "assessor_id", "role"):
        done.add((topic, key, person))
        if role == Assignment.Role.PRIMARY:
            done.add((topic, key, None))
    return {
        assignment.pk: _opens_when(stage, before)
        for assignment, stage, before in waiting
        if (assignment.topic_id, before.key, assignment.assessor_id if stage.own else None) not in done
    }


def _opens_when(stage: Stage, before: Stage) -> str:
    if stage.own:
        return f"Opens when you are done with “{before.label}” of this topic."
    return f"Opens when “{before.label}” of this topic is done."


def stage_order(campaign: Campaign) -> list[tuple[str, Stage]]:
    """Every stage of the campaign's track with its task's label, in the order of the work."""
    return [(task.label, stage) for task in track_of(campaign).tasks for stage in task.stages]


def _shuffled(seed: int, thing: object) -> bytes:
    return hashlib.sha256(f"{seed}\0{thing}".encode(errors="surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class _Row:
    """What an assessor last said of an item by one criterion."""

    value: int | None
    note: str
    seconds: float | None
    evidence: list[dict[str, Any]]


def _bench_item(
    place: int, item: Item, rows: Mapping[str, _Row], criteria: list[str], flags: Mapping[int, str]
) -> BenchItem:
    values = {key: row.value for key, row in rows.items() if row.value is not None}
    seconds = [row.seconds for key, row in rows.items() if row.seconds is not None and key in values]
    return BenchItem(
        id=item.pk,
        place=place,
        text=item.text,
        label=_label(item),
        docno=item.docno,
        values=values,
        note=rows[criteria[0]].note if criteria and criteria[0] in rows else "",
        seconds=sum(seconds) if seconds else None,
        flag=flags.get(item.pk, ""),
        is_judged=len(values) == len(criteria),
        evidence={key: row.evidence for key, row in rows.items() if row.evidence},
    )


def _label(item: Item) -> str:
    if item.text.strip():
        return item.text
    parts = item.fields.get("parts")
    first = parts[0].get("text") if isinstance(parts, list) and parts and isinstance(parts[0], dict) else ""
    return str(first or item.docno or item.key)


def _own_rows(assignment: Assignment) -> dict[tuple[int, str], _Row]:
    """The newest row of each item and criterion by this assessor, withdrawn ones too: their note still counts."""
    own = Judgment.objects.filter(item__topic=assignment.topic_id, assessor=assignment.assessor_id)
    rows = newest_rows(own, "item_id", "criterion").order_by()
    return {
        (item, criterion): _Row(value, note, seconds, evidence or [])
        for item, criterion, value, note, seconds, evidence in rows.values_list(
            "item_id", "criterion", "value", "note", "seconds", "evidence"
        )
    }


def _flags(assignment: Assignment) -> dict[int, str]:
    asked = HelpRequest.objects.filter(
        assignment__topic=assignment.topic_id, assignment__assessor=assignment.assessor_id, item__isnull=False
    )
    return {
        item: "excused" if excused else "answered" if answered else "asked"
        for item, excused, answered in asked.order_by("id").values_list("item_id", "excused", "answered_at")
        if item is not None
    }


def _stage_tally(group: list[Assignment]) -> dict[int, Tally]:
    campaign = group[0].campaign
    task, stage = stage_of(campaign, group[0].stage)
    topics = {assignment.topic_id for assignment in group}
    people = {assignment.assessor_id for assignment in group}
    pools = current_pools(campaign).filter(task=task.key)
    pooled = PoolItem.objects.filter(pool__in=pools, item__kind=stage.item_kind, item__topic__in=topics).order_by()
    condition = needed(campaign, stage, topics)
    wanted = Item.objects.filter(condition, topic__in=topics).values("pk") if condition is not None else None
    if wanted is not None:
        pooled = pooled.filter(item__in=wanted)
    totals = dict(pooled.values_list("item__topic").annotate(number=Count("id")))
    asked = HelpRequest.objects.filter(assignment__topic__in=topics, item__kind=stage.item_kind)
    if wanted is not None:
        asked = asked.filter(item__in=wanted)
    excused = _excused(asked.filter(item__pool_items__pool__in=pools))
    done: dict[tuple[int, int], set[int]] = {key: set(items) for key, items in excused.items()}
    keys = [criterion.key for criterion in stage.criteria]
    own = Judgment.objects.filter(
        item__topic__in=topics,
        item__kind=stage.item_kind,
        item__pool_items__pool__in=pools,
        assessor__in=people,
        criterion__in=keys,
    ).order_by()
    if wanted is not None:
        own = own.filter(item__in=wanted)
    newest = own.values("item_id", "criterion", "assessor_id").annotate(newest=Max("id")).values("newest")
    judged = Judgment.objects.filter(pk__in=newest, value__isnull=False).order_by()
    for topic, person, item, number in judged.values_list("item__topic", "assessor", "item").annotate(
        number=Count("id")
    ):
        if number == len(keys):
            done.setdefault((topic, person), set()).add(item)
    return {
        assignment.pk: Tally(
            done=len(done.get((assignment.topic_id, assignment.assessor_id), ())),
            total=totals.get(assignment.topic_id, 0),
            unit=unit_of(stage),
        )
        for assignment in group
    }


def _excused(asked: QuerySet[HelpRequest]) -> dict[tuple[int, int], set[int]]:
    found: dict[tuple[int, int], set[int]] = {}
    excused = asked.filter(excused=True).order_by()
    for topic, person, item in excused.values_list("assignment__topic", "assignment__assessor", "item"):
        if item is not None:
            found.setdefault((topic, person), set()).add(item)
    return found

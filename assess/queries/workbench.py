"""What the grading workbench shows: items and the assessor's own current judgments. Nothing here joins runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, Max, QuerySet

from assess.models import Assignment, Campaign, HelpRequest, Judgment, PoolItem
from assess.protocol import Stage
from assess.queries.pools import current_pools, pooled_items
from assess.queries.tracks import stage_of, track_of
from assess.workbench import Tally
from scoring.folding import fold_answer


@dataclass(frozen=True, kw_only=True, slots=True)
class BenchItem:
    """One line of the work list. ``place`` is from 1 in this assessor's order; ``values`` holds what they said.

    ``flag`` is "" or how the newest question about it stands: "asked", "answered", "excused".
    """

    id: int
    place: int
    text: str
    docno: str
    values: Mapping[str, int]
    note: str
    seconds: float | None
    flag: str
    is_judged: bool

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
    items = list(pooled_items(assignment.topic, stage.item_kind).values_list("id", "text", "docno"))
    items.sort(key=lambda item: (_shuffled(assignment.seed, fold_answer(item[1])), _shuffled(assignment.seed, item[0])))
    rows = _own_rows(assignment)
    flags = _flags(assignment)
    criteria = [criterion.key for criterion in stage.criteria]
    return [
        _bench_item(
            place, item, {key: rows[item[0], key] for key in criteria if (item[0], key) in rows}, criteria, flags
        )
        for place, item in enumerate(items, start=1)
    ]


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
    """Why assignments are not open yet, by id; those that are open are not in it. One query."""
    waiting = []
    for assignment in assignments:
        task, stage = stage_of(assignment.campaign, assignment.stage)
        before = task.stage(stage.after) if stage.after else None
        if before is not None:
            waiting.append((assignment, before))
    if not waiting:
        return {}
    done = set(
        Assignment.objects.filter(
            topic__in={assignment.topic_id for assignment, _ in waiting},
            role=Assignment.Role.PRIMARY,
            state=Assignment.State.DONE,
        )
        .order_by()
        .values_list("topic_id", "stage")
    )
    return {
        assignment.pk: f"Opens when “{before.label}” of this topic is done."
        for assignment, before in waiting
        if (assignment.topic_id, before.key) not in done
    }


def stage_order(campaign: Campaign) -> list[tuple[str, Stage]]:
    """Every stage of the campaign's track with its task's label, in the order of the work."""
    return [(task.label, stage) for task in track_of(campaign).tasks for stage in task.stages]


def _shuffled(seed: int, thing: object) -> bytes:
    return hashlib.sha256(f"{seed}\0{thing}".encode(errors="surrogatepass")).digest()


def _bench_item(
    place: int,
    item: tuple[int, str, str],
    rows: Mapping[str, tuple[int | None, str, float | None]],
    criteria: list[str],
    flags: Mapping[int, str],
) -> BenchItem:
    values = {key: row[0] for key, row in rows.items() if row[0] is not None}
    seconds = [row[2] for key, row in rows.items() if row[2] is not None and key in values]
    return BenchItem(
        id=item[0],
        place=place,
        text=item[1],
        docno=item[2],
        values=values,
        note=rows[criteria[0]][1] if criteria[0] in rows else "",
        seconds=sum(seconds) if seconds else None,
        flag=flags.get(item[0], ""),
        is_judged=len(values) == len(criteria),
    )


def _own_rows(assignment: Assignment) -> dict[tuple[int, str], tuple[int | None, str, float | None]]:
    """The newest row of each item and criterion by this assessor, withdrawn ones too: their note still counts."""
    own = Judgment.objects.filter(item__topic=assignment.topic_id, assessor=assignment.assessor_id)
    newest = own.order_by().values("item_id", "criterion").annotate(newest=Max("id")).values("newest")
    rows = Judgment.objects.filter(pk__in=newest).values_list("item_id", "criterion", "value", "note", "seconds")
    return {(item, criterion): (value, note, seconds) for item, criterion, value, note, seconds in rows}


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
    totals = dict(pooled.values_list("item__topic").annotate(number=Count("id")))
    asked = HelpRequest.objects.filter(assignment__topic__in=topics, item__kind=stage.item_kind)
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
            unit=f"{stage.item_kind}s",
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

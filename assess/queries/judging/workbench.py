"""What the grading workbench shows: items and the assessor's own current judgments. Nothing here joins runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import F, QuerySet

from assess.kinds.base import work_kind
from assess.models import Assignment, Campaign, HelpRequest, Item, Judgment
from assess.protocol import Stage
from assess.queries.judging.early import may_begin_early
from assess.queries.judging.newest import newest_rows
from assess.queries.judging.rounds import first_round_of
from assess.queries.judging.stage_items import stage_items
from assess.queries.pools.nothing_pooled import nothing_pooled
from assess.queries.tracks import stage_of, track_of
from assess.queries.work.handed_over import lines_before, predecessors_of
from assess.queries.work.handles import handle_of
from assess.queries.work.plants import among, planted_items
from scoring.folding import fold_answer
from scoring.own_items import key_in_words


@dataclass(frozen=True, kw_only=True, slots=True)
class BenchItem:
    """One line of the work list. ``place`` is from 1 in this assessor's order; ``values`` holds what they said.

    ``handle`` is the number by which they know the item (`handle_of`), on pages and over the API.

    ``label`` is what it is called in the list: its text, else the text it begins with, else its docno.
    ``evidence`` holds the snippets of each criterion. ``flag`` is "" or how the newest question about it stands:
    "asked", "answered", "excused". ``is_carried``: judged by who had the work before, and not anew. ``is_placed``: the
    pool says when it comes, so more may come while it is judged. ``kept`` are the criteria by which it was judged
    before the work came to this assessor, so that it may be judged otherwise, and not be left open.
    """

    id: int
    handle: int
    place: int
    text: str
    label: str
    docno: str
    values: Mapping[str, int]
    note: str
    seconds: float | None
    flag: str
    is_judged: bool
    is_carried: bool = False
    kept: frozenset[str] = frozenset()
    evidence: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    is_placed: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left to do: judged, or excused by the organiser."""
        return self.is_judged or self.flag == "excused"

    @property
    def state(self) -> str:
        """How it is shown: judged, carried over, excused, flagged or open."""
        if self.is_judged:
            return "carried" if self.is_carried else "judged"
        return {"": "open", "excused": "excused"}.get(self.flag, "flagged")


def bench_items(assignment: Assignment, stage: Stage) -> list[BenchItem]:
    """The items of an assignment in its own order, with this assessor's current judgments. Four queries.

    Where the work was handed over, what was judged before stands until it is judged anew: two queries more.
    """
    items = ordered_items(assignment, stage)
    before = predecessors_of(assignment)
    rows = _own_rows(assignment, before)
    flags = _flags(assignment, before)
    criteria = [criterion.key for criterion in stage.criteria]
    return [
        _bench_item(
            handle_of(assignment, item.pk),
            place,
            item,
            {key: rows[item.pk, key] for key in criteria if (item.pk, key) in rows},
            criteria,
            flags,
        )
        for place, item in enumerate(items, start=1)
    ]


def shown_grade(assignment: Assignment, item: Item, criterion: str) -> dict[str, object]:
    """What the bench shows of one item by one criterion: value, note, and each snippet's quote and value. One query.

    Where the work was handed over, two more.
    """
    row = _own_rows(assignment, predecessors_of(assignment), item).get((item.pk, criterion))
    if row is None:
        return {"value": None, "note": "", "evidence": []}
    snippets = [[snippet["quote"], snippet["value"]] for snippet in row.evidence]
    return {"value": row.value, "note": row.note, "evidence": snippets}


def ordered_items(assignment: Assignment, stage: Stage) -> list[Item]:
    """What an assignment asks, in its own order, with what is planted among it. Two queries."""
    return among(own_items(assignment, stage), planted_items(assignment))


def own_items(assignment: Assignment, stage: Stage) -> list[Item]:
    """What an assignment asks, in its own order, without what is planted. One query."""
    found = stage_items(assignment.topic, stage).only("id", "kind", "key", "text", "docno", "fields", "repeats")
    return in_own_order(found.annotate(pool_place=F("pool_items__place")), assignment.seed)


def in_own_order(items: Iterable[Item], seed: int) -> list[Item]:
    """Items, annotated with their ``pool_place``, in the order of the assignment with this seed.

    Where the pool's strategy wants an order, that comes first (`PoolItem.place`), the same for all. Else it follows
    from the assignment's seed alone; items with the same answer string stand together, which is kinder to who reads
    them.
    """
    return sorted(items, key=lambda item: _order(item, seed))


def _order(item: Any, seed: int) -> tuple[bool, int, bytes, bytes]:
    place = item.pool_place
    return place is None, place or 0, _shuffled(seed, fold_answer(item.text)), _shuffled(seed, item.pk)


def unit_of(stage: Stage) -> str:
    """What the things of a stage are called, many of them: "passages", "figures or tables"."""
    return " or ".join(f"{noun}s" for noun in (stage.noun or stage.item_kind).split(" or "))


def waiting_reasons(
    assignments: Iterable[Assignment], *, with_rounds: bool = True, to_finish: bool = False
) -> dict[int, str]:
    """Why assignments are not open yet, by id; those that are open are not in it. One query, a few where some wait.

    A stage waits for the author's work in the stage before it; one that says ``own`` for the same assessor's, as one
    waits for its first round (what is replayed does not, ``with_rounds``). Nothing waits for a stage for which nothing
    is pooled. Who made a topic begins what needs no runs before there is a pool, but can't finish it (``to_finish``).
    """
    waits = [wait for assignment in assignments for wait in _waits(assignment, with_rounds=with_rounds)]
    if not waits:
        return {}
    line = {
        each.pk: {each.assessor_id, *(earlier.assessor_id for earlier in before)}
        for each, before in lines_before(wait.assignment for wait in waits if wait.own)
    }
    rows = Assignment.objects.filter(
        topic__in={wait.assignment.topic_id for wait in waits}, state=Assignment.State.DONE
    ).order_by()
    done: set[tuple[int, str, int | None]] = set()
    for topic, key, person, role in rows.values_list("topic_id", "stage", "assessor_id", "role"):
        done.add((topic, key, person))
        if role == Assignment.Role.PRIMARY:
            done.add((topic, key, None))
    waits = [
        wait
        for wait in waits
        if not any(
            (wait.assignment.topic_id, wait.before.key, person) in done
            for person in (line.get(wait.assignment.pk, {wait.assignment.assessor_id}) if wait.own else {None})
        )
    ]
    if not to_finish:
        early = may_begin_early((wait.assignment for wait in waits), by_makers_alone=with_rounds)
        waits = [wait for wait in waits if wait.assignment.pk not in early]
    nothing = _nothing_before(waits)
    return {
        wait.assignment.pk: wait.reason for wait in waits if (wait.assignment.topic_id, wait.before.key) not in nothing
    }


@dataclass(frozen=True, slots=True)
class _Wait:
    """Work that waits for another stage of its topic, with ``own`` for the same assessor's work in it."""

    assignment: Assignment
    before: Stage
    own: bool

    @property
    def reason(self) -> str:
        if self.own:
            return f"Opens when you are done with “{self.before.label}” of this topic."
        return f"Opens when “{self.before.label}” of this topic is done."


def _waits(assignment: Assignment, *, with_rounds: bool) -> Iterator[_Wait]:
    task, stage = stage_of(assignment.campaign, assignment.stage)
    before = task.stage(stage.after) if stage.after else None
    if before is not None:
        yield _Wait(assignment, before, stage.own)
    first = first_round_of(assignment) if with_rounds else None
    if first is not None:
        yield _Wait(assignment, first, True)


def _nothing_before(waits: list[_Wait]) -> set[tuple[int, str]]:
    """Of the topics and stages that work waits for those for which nothing is pooled."""
    tasks: dict[Campaign, set[str]] = {}
    for wait in waits:
        if work_kind(wait.before.work).asks_pooled:
            campaign = wait.assignment.campaign
            tasks.setdefault(campaign, set()).add(stage_of(campaign, wait.before.key)[0].key)
    return {pair for campaign, keys in tasks.items() for pair in nothing_pooled(campaign, keys)}


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
    is_carried: bool = False
    is_kept: bool = False


def _bench_item(
    handle: int, place: int, item: Item, rows: Mapping[str, _Row], criteria: list[str], flags: Mapping[int, str]
) -> BenchItem:
    values = {key: row.value for key, row in rows.items() if row.value is not None}
    seconds = [row.seconds for key, row in rows.items() if row.seconds is not None and key in values]
    return BenchItem(
        id=item.pk,
        handle=handle,
        place=place,
        text=item.text,
        label=label_of(item),
        docno=item.docno,
        values=values,
        note=rows[criteria[0]].note if criteria and criteria[0] in rows else "",
        seconds=sum(seconds) if seconds else None,
        flag=flags.get(item.pk, ""),
        is_judged=len(values) == len(criteria),
        is_carried=any(row.is_carried for row in rows.values()),
        kept=frozenset(key for key, row in rows.items() if row.is_kept),
        evidence={key: row.evidence for key, row in rows.items() if row.evidence},
        is_placed=getattr(item, "pool_place", None) is not None,
    )


def label_of(item: Item) -> str:
    """What an item is called in a list: its text, else the text it begins with, else its docno or key."""
    if item.text.strip():
        return item.text
    parts = item.fields.get("parts")
    first = parts[0].get("text") if isinstance(parts, list) and parts and isinstance(parts[0], dict) else ""
    return str(first or item.docno or key_in_words((item.repeats or item).key))


def _own_rows(
    assignment: Assignment, before: list[Assignment], item: Item | None = None
) -> dict[tuple[int, str], _Row]:
    """The newest row of each item (or of one) and criterion by this assessor, withdrawn ones too: their note counts.

    What an assessor ``before`` said stands where this one has said nothing.
    """
    narrow = {"item__topic": assignment.topic_id} if item is None else {"item": item.pk}
    own = Judgment.objects.filter(assessor=assignment.assessor_id, **narrow)
    found = _rows(newest_rows(own, "item_id", "criterion"), is_carried=False)
    if not before:
        return found
    earlier = Judgment.objects.filter(assignment__in=before, item__repeats=None, **narrow)
    newest = newest_rows(earlier, "item_id", "criterion", "assessor_id").filter(value__isnull=False)
    carried = _rows(newest, is_carried=True)
    own_words = {key: row for key, row in found.items() if row.value is not None or key not in carried}
    return {key: replace(row, is_kept=key in carried) for key, row in {**carried, **own_words}.items()}


def _rows(rows: QuerySet[Judgment], *, is_carried: bool) -> dict[tuple[int, str], _Row]:
    """What the rows say, the newest of an item and criterion. Time that somebody else took is nobody's here."""
    fields = ("item_id", "criterion", "value", "note", "seconds", "evidence")
    return {
        (item, criterion): _Row(value, note, None if is_carried else seconds, evidence or [], is_carried)
        for item, criterion, value, note, seconds, evidence in rows.order_by("id").values_list(*fields)
    }


def _flags(assignment: Assignment, before: list[Assignment]) -> dict[int, str]:
    people = {assignment.assessor_id, *(each.assessor_id for each in before)}
    asked = HelpRequest.objects.filter(
        assignment__topic=assignment.topic_id, assignment__assessor__in=people, item__isnull=False
    )
    return {
        item: "excused" if excused else "answered" if answered else "asked"
        for item, excused, answered in asked.order_by("id").values_list("item_id", "excused", "answered_at")
        if item is not None
    }

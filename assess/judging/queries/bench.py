"""What the grading workbench shows: items and the assessor's own current judgments. Nothing here joins runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import F, QuerySet

from assess.assignments.models import Assignment, HelpRequest
from assess.assignments.queries.handoffs import predecessors_of
from assess.assignments.queries.items import among, handle_of, item_of, planted_items
from assess.assignments.queries.waiting import in_own_order
from assess.items.models import Item
from assess.judging.models import Judgment
from assess.judging.queries.bench_order import bench_order
from assess.judging.queries.items import stage_items
from assess.judging.queries.judged import is_judged
from assess.ledger.newest import newest_rows
from assess.protocol import Stage
from scoring.own_items import key_in_words


@dataclass(frozen=True, kw_only=True, slots=True)
class BenchItem:
    """One line of the work list. ``place`` is from 1 in this assessor's order; ``values`` holds what they said.

    ``handle`` is the number by which they know the item (`handle_of`), on pages and over the API.

    ``label`` is what it is called in the list: its text, else the text it begins with, else its docno.
    ``evidence`` holds the snippets of each criterion. ``flag`` is "" or how the newest question about it stands:
    "asked", "answered", "excused". ``is_carried``: judged by whoever had the work before, and not anew. ``is_placed``:
    the pool says when it comes, so more may come while it is judged. ``kept`` are the criteria by which it was judged
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
        _bench_item(handle_of(assignment, item.pk), place, item, rows, criteria, flags)
        for place, item in enumerate(items, start=1)
    ]


class BenchList:
    """What an assignment asks, in its own order, with how each stands; lines are read for the places that are wanted.

    Five queries, one more for lines; where the work was handed over, two more.
    """

    def __init__(self, assignment: Assignment, stage: Stage) -> None:
        self.assignment = assignment
        self.order = bench_order(assignment, stage)
        self._criteria = [criterion.key for criterion in stage.criteria]
        before = predecessors_of(assignment)
        self._rows = _own_rows(assignment, before)
        self._flags = _flags(assignment, before)
        known, asked = set(self.order.ids), set(self._criteria)
        given = [(pk, row) for (pk, key), row in self._rows.items() if row.value is not None and key in asked]
        counts = Counter(pk for pk, _ in given if pk in known)
        judged = {pk for pk, number in counts.items() if number == len(asked)}
        self.settled = judged | {pk for pk, flag in self._flags.items() if flag == "excused" and pk in known}
        timed = [(pk, row.seconds) for pk, row in given if row.seconds is not None and pk in known]
        self.seconds, self.timed = sum(seconds for _, seconds in timed), len({pk for pk, _ in timed})

    def __len__(self) -> int:
        return len(self.order.ids)

    def places(self, chosen: str = "all") -> Sequence[int]:
        """The places, from 1, of all lines, of those "unjudged", or of those "flagged" or with a note."""
        ids = self.order.ids
        if chosen == "unjudged":
            return [place for place, pk in enumerate(ids, start=1) if pk not in self.settled]
        if chosen == "flagged":
            first = self._criteria[0] if self._criteria else ""
            noted = {pk for (pk, key), row in self._rows.items() if key == first and row.note}
            return [place for place, pk in enumerate(ids, start=1) if pk in noted or pk in self._flags]
        return range(1, len(ids) + 1)

    def place_of(self, handle: int) -> int | None:
        """The place of the item with this handle; None where the work does not ask it."""
        return self.order.place_of(item_of(self.assignment, handle))

    def handle_at(self, place: int) -> int:
        """The handle of the item at a place."""
        return handle_of(self.assignment, self.order.ids[place - 1])

    def first_open(self, *, after: int | None = None) -> int | None:
        """The place to begin at, asked about last; with ``after`` the next unsettled after that place, going round."""
        ids = self.order.ids
        everywhere = range(1, len(ids) + 1)
        if after is not None:
            round_ = (*everywhere[after:], *everywhere[: after - 1])
            return next((place for place in round_ if ids[place - 1] not in self.settled), None)
        left = [place for place in everywhere if ids[place - 1] not in self.settled]
        unasked = (place for place in left if ids[place - 1] not in self._flags)
        return next(unasked, left[0] if left else 1 if ids else None)

    def lines(self, places: Iterable[int]) -> list[BenchItem]:
        """The lines at these places. One query."""
        wanted = [(place, self.order.ids[place - 1]) for place in places]
        items = Item.objects.select_related("repeats").in_bulk([pk for _, pk in wanted])
        return [
            _bench_item(handle_of(self.assignment, pk), place, items[pk], self._rows, self._criteria, self._flags)
            for place, pk in wanted
        ]


def bench_item(assignment: Assignment, stage: Stage, handle: int) -> tuple[BenchItem, int] | None:
    """The line of one item, by its handle, and of how many; None where the work does not ask it.

    Seven queries at most, whatever the pool, while its order is known (`bench_order`); where the work was handed over,
    two more.
    """
    order = bench_order(assignment, stage)
    pk = item_of(assignment, handle)
    place = order.place_of(pk)
    if place is None:
        return None
    item = Item.objects.select_related("repeats").get(pk=pk)
    before = predecessors_of(assignment)
    rows, flags = _own_rows(assignment, before, item), _flags(assignment, before, item)
    criteria = [criterion.key for criterion in stage.criteria]
    return _bench_item(handle, place, item, rows, criteria, flags), len(order.ids)


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
    handle: int,
    place: int,
    item: Item,
    said: Mapping[tuple[int, str], _Row],
    criteria: list[str],
    flags: Mapping[int, str],
) -> BenchItem:
    rows = {key: said[item.pk, key] for key in criteria if (item.pk, key) in said}
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
        is_judged=is_judged(answered=len(values), asked=len(criteria)),
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


def _flags(assignment: Assignment, before: list[Assignment], item: Item | None = None) -> dict[int, str]:
    people = {assignment.assessor_id, *(each.assessor_id for each in before)}
    asked = HelpRequest.objects.filter(
        assignment__topic=assignment.topic_id, assignment__assessor__in=people, item__isnull=False
    )
    if item is not None:
        asked = asked.filter(item=item)
    return {
        pk: "excused" if excused else "answered" if answered else "asked"
        for pk, excused, answered in asked.order_by("id").values_list("item_id", "excused", "answered_at")
        if pk is not None
    }

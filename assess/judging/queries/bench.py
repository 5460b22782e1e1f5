"""What the grading bench shows: items, and the assessor's own current judgments. Nothing here joins runs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.functions import Substr

from assess.assignments.models import AsideReason, Assignment, ControlItem, HelpRequest, SetAside
from assess.assignments.queries.handoffs import predecessors_of
from assess.assignments.queries.work_items import handle_of, item_of
from assess.assignments.queries.work_order import in_own_order, with_order
from assess.base.errors import UnknownItem
from assess.base.plain_reads import columns_of, first_of
from assess.items.models import Item
from assess.judging.answer_words import answer_word, snippet_words
from assess.judging.models import Judgment
from assess.judging.queries.judged import ANSWERED, answers, is_judged
from assess.judging.queries.stage_items import stage_items
from assess.ledger.newest import newest_rows
from assess.protocol import LIKENESS, Criterion, Stage
from scoring.own_items import key_in_words


@dataclass(frozen=True, kw_only=True, slots=True)
class BenchItem:
    """One line of an assessor's list of items, with what the assessor answered.

    ``place`` counts from 1 in the assessor's order; it is 0 if the item was read without the list. ``handle`` is the
    number that stands for the item on pages and in the API (`handle_of`). ``label`` is its name in the list: its text,
    or else the text of its first part, or else the title or first words of its document, or else its docno. ``values``
    maps each answered criterion to its value, or to None if it was answered without a grade; ``given`` holds those
    other answers, ``notes`` the notes and ``evidence`` the snippets of each criterion. ``flag`` is the state of the
    newest question about the item: "asked", "answered", "excused", or "" without a question. ``is_carried`` means that
    a former assessor of the assignment judged the item, and this one has not. ``kept`` are the criteria that a former
    assessor answered: their answers may be changed, but not withdrawn. ``is_later`` means that the assessor set the
    item aside for later, ``is_apart`` that they moved it away from similar items.
    """

    id: int
    handle: int
    place: int
    text: str
    label: str
    docno: str
    values: Mapping[str, int | None]
    note: str
    seconds: float | None
    flag: str
    is_judged: bool
    is_carried: bool = False
    kept: frozenset[str] = frozenset()
    evidence: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    is_later: bool = False
    is_apart: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left to do: the item is judged, or the organiser excused the assessor from it."""
        return self.is_judged or self.flag == "excused"

    @property
    def state(self) -> str:
        """The state that the list shows: judged, carried over, excused, flagged, set aside for later, or open."""
        if self.is_judged:
            return "carried" if self.is_carried else "judged"
        return {"": "later" if self.is_later else "open", "excused": "excused"}.get(self.flag, "flagged")


_BEGINS = Case(
    When(text="", document__title__gt="", then=F("document__title")),
    When(text="", document__body__text__gt="", then=Substr("document__body__text", 1, 120)),
    default=Value(""),
)
"""What a list shows of an item without a text of its own: its document's title, or else the document's first words."""
MOST_WORDS = 10
"""The number of words that a search of the list uses; further words are ignored."""


class BenchList:
    """The items of an assignment in the assessor's order, with the state of each.

    ``grows`` says whether the pool has an order in which items arrive, so that more may arrive during judging. ``done``
    is the number of items that are judged or excused. ``seconds`` is the sum over the assessor's current answers,
    ``timed`` the number of items with such an answer. Reading the list takes five queries and about 6 µs an item, its
    lines two more queries, and a hand-over of the assignment two more.
    """

    def __init__(self, assignment: Assignment, stage: Stage) -> None:
        self.assignment = assignment
        self._ids, self.grows = own_order(assignment, stage)
        self._places = {pk: place for place, pk in enumerate(self._ids, start=1)}
        self._criteria = stage.criteria
        self._before = predecessors_of(assignment)
        self._flags = _flags(assignment, self._before)
        aside = list(SetAside.objects.filter(assignment=assignment).values_list("item_id", "why"))
        self._later = {pk for pk, why in aside if why == AsideReason.LATER}
        self._apart = {pk for pk, why in aside if why == AsideReason.APART}
        self.seconds = 0.0
        timed = set()
        said: dict[int, dict[str, int | None]] = {}
        for pk, criterion, value, seconds in self._answers():
            if pk in self._places:
                said.setdefault(pk, {})[criterion] = value
                if seconds is not None:
                    self.seconds += seconds
                    timed.add(pk)
        self.timed = len(timed)
        settled = {pk for pk, values in said.items() if is_judged(stage.criteria, values)}
        settled.update(pk for pk, flag in self._flags.items() if flag == "excused")
        self._open = [place for pk, place in self._places.items() if pk not in settled]
        self.done = len(self._ids) - len(self._open)

    def __len__(self) -> int:
        return len(self._ids)

    def _answers(self) -> Iterable[tuple[int, str, int | None, float | None]]:
        """Return (item id, criterion, value, seconds) of each current answer, including those of former assessors."""
        keys = [each.key for each in self._criteria]
        if self._before:
            rows = _own_rows(self.assignment, self._before).items()
            return [(pk, key, row.value, row.seconds) for (pk, key), row in rows if row.is_answer and key in keys]
        own = Judgment.objects.filter(assessor=self.assignment.assessor_id, item__topic=self.assignment.topic_id)
        standing = answers(own.filter(criterion__in=keys), "item_id", "criterion")
        return standing.values_list("item_id", "criterion", "value", "seconds")

    def places(self, chosen: str = "all") -> Sequence[int]:
        """Return the places (from 1) of the lines that ``chosen`` names, "unjudged" or "flagged"; else of all lines.

        Flagged items have a question or a note, or are open and were set aside for later.
        """
        if chosen == "unjudged":
            return self._open
        if chosen == "flagged":
            noting = {each.key for place, each in enumerate(self._criteria) if place == 0 or each.has_own_note}
            rows = _own_rows(self.assignment, self._before).items()
            noted = {pk for (pk, key), row in rows if key in noting and row.note}
            aside = {self._ids[place - 1] for place in self._open} & self._later
            return sorted(self._places[pk] for pk in {*noted, *self._flags, *aside} & self._places.keys())
        return range(1, len(self) + 1)

    def having(self, places: Sequence[int], words: str) -> Sequence[int]:
        """Return those of ``places`` whose items contain each of the first `MOST_WORDS` words; all without words.

        Words are sought in an item's text; if it has none, in its docno and title. One query if there are words.
        """
        found = Item.objects.filter(topic=self.assignment.topic_id)
        for word in words.split()[:MOST_WORDS]:
            found = found.filter(
                Q(text__icontains=word) | Q(text="") & (Q(docno__icontains=word) | Q(document__title__icontains=word))
            )
        if not words.split():
            return places
        having = {self._places.get(pk) for pk in found.values_list("pk", flat=True)}
        return [place for place in places if place in having]

    def place_of(self, item_id: int) -> int | None:
        """Return the place of the item with this id, or None if the assignment does not include it."""
        return self._places.get(item_id)

    def place_of_handle(self, handle: int) -> int | None:
        """Return the place of the item with this handle, or None if the assignment does not include it."""
        return self.place_of(item_of(self.assignment, handle))

    def handle_at(self, place: int) -> int:
        """Return the handle of the item at a place."""
        return handle_of(self.assignment, self._ids[place - 1])

    def first_open(self, *, after: int | None = None) -> int | None:
        """Return the first open place, items asked about or set aside last; 1 if none is open, None without items.

        With ``after``, return the next other open place instead, starting over at the end; None without another.
        """
        if after is not None:
            begin = bisect_right(self._open, after)
            return next((place for place in [*self._open[begin:], *self._open[:begin]] if place != after), None)
        last = self._flags.keys() | self._later
        plain = (place for place in self._open if self._ids[place - 1] not in last)
        return next(plain, self._open[0] if self._open else 1 if self._ids else None)

    def lines(self, places: Iterable[int]) -> list[BenchItem]:
        """Return the lines at these places. Two queries; one more if the assignment was handed over."""
        wanted = [(place, self._ids[place - 1]) for place in places]
        ids = [pk for _, pk in wanted]
        items = Item.objects.select_related("repeats").annotate(begins=_BEGINS).in_bulk(ids)
        rows = _own_rows(self.assignment, self._before, ids)
        found = []
        for place, pk in wanted:
            line = _bench_item(handle_of(self.assignment, pk), place, items[pk], rows, self._criteria, self._flags)
            begins = " ".join(items[pk].begins.split())
            is_later, is_apart = pk in self._later, pk in self._apart
            found.append(replace(line, label=begins or line.label, is_later=is_later, is_apart=is_apart))
        return found

    def in_hand(self, place: int) -> ItemInHand:
        """Return the item at a place, or raise `UnknownItem` if it is gone. Three queries; five after a hand-over."""
        found = Item.objects.filter(pk=self._ids[place - 1]).select_related("document", "repeats")
        item = found.order_by().first()
        if item is None:
            raise UnknownItem
        return _in_hand(self.assignment, self._criteria, item, place)


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemInHand:
    """The item being judged: its line in the list, the item with its document, and the assessor's questions on it."""

    line: BenchItem
    item: Item
    questions: Iterable[HelpRequest]


def bench_item(assignment: Assignment, stage: Stage, handle: int) -> ItemInHand | None:
    """Return one item by its handle, without reading the list; None if the assignment does not include it.

    Three queries, one more for a control item, and three more if the assignment was handed over.
    """
    pk = item_of(assignment, handle)
    found = stage_items(assignment.topic, stage).filter(pk=pk)
    planted = Item.objects.filter(pk=pk, control_items__assignment=assignment)
    for items in (found, planted):
        item = items.select_related("document", "repeats").order_by().first()
        if item is not None:
            return _in_hand(assignment, stage.criteria, item)
    return None


def _in_hand(assignment: Assignment, criteria: Sequence[Criterion], item: Item, place: int = 0) -> ItemInHand:
    before = predecessors_of(assignment)
    asked = {
        person: list(HelpRequest.objects.filter(item=item, assignment__assessor=person))
        for person in {assignment.assessor_id, *(each.assessor_id for each in before)}
    }
    flags = _as_flags(sorted((each for rows in asked.values() for each in rows), key=lambda each: each.pk))
    rows = _own_rows(assignment, before, [item.pk])
    line = _bench_item(handle_of(assignment, item.pk), place, item, rows, criteria, flags)
    return ItemInHand(line=line, item=item, questions=asked[assignment.assessor_id])


NEWEST_OWN = f"""
SELECT {columns_of(Judgment, "own")} FROM assess_judgment AS own
WHERE item_id = %s AND criterion = %s AND assessor_id = %s ORDER BY id DESC LIMIT 1
"""


def shown_grade(assignment: Assignment, item: Item, criterion: str) -> dict[str, object]:
    """Return the assessor's answer to a criterion of an item for the bench to show: its "value", "note" and "evidence".

    Without an answer, the value is None and the others are empty. One query; two more after a hand-over.
    """
    row: Judgment | _Row | None
    if assignment.taken_over_id is None:
        row = first_of(Judgment, NEWEST_OWN, [item.pk, criterion, assignment.assessor_id])
    else:
        row = _own_rows(assignment, predecessors_of(assignment), [item.pk]).get((item.pk, criterion))
    if row is None:
        return {"value": None, "note": "", "evidence": []}
    return {"value": answer_word(row.value, row.given), "note": row.note, "evidence": snippet_words(_quoted(row))}


def _quoted(row: Judgment | _Row) -> list[dict[str, Any]]:
    return [snippet for snippet in row.evidence or () if snippet["quote"]]


def items_in_order(ids: Iterable[int]) -> list[Item]:
    """Return the items with these ids in the given order, with the fields that a list shows. One query."""
    fields = ("id", "kind", "key", "text", "docno", "fields", "repeats")
    items = Item.objects.only(*fields).in_bulk(list(ids))
    return [items[pk] for pk in ids]


def own_order(assignment: Assignment, stage: Stage) -> tuple[list[int], bool]:
    """Return the ids of an assignment's items in the assessor's order, and whether the pool orders some of them.

    Control items are inserted at their places. Two queries.
    """
    asked = with_order(stage_items(assignment.topic, stage).order_by(), stage.order)
    read = ("pk", "text", "pool_place", *(("alike",) if stage.order == LIKENESS else ()))
    listed: QuerySet[Any] = asked.values_list(*read, named=True)
    rows = in_own_order(listed, assignment.seed, stage.order)
    ids = [row.pk for row in rows]
    controls = ControlItem.objects.filter(assignment=assignment.pk).order_by("place", "id")
    for place, pk in controls.values_list("place", "item_id"):
        ids.insert(place - 1, pk)  # appended if the list has become shorter than the place
    return ids, any(row.pool_place is not None for row in rows)


@dataclass(frozen=True, slots=True)
class _Row:
    """An assessor's newest answer to one criterion for one item."""

    value: int | None
    given: Mapping[str, Any] | None
    note: str
    seconds: float | None
    evidence: list[dict[str, Any]]
    is_carried: bool = False
    is_kept: bool = False
    pk: int = 0

    @property
    def is_answer(self) -> bool:
        """Whether the row gives an answer; otherwise it withdraws one."""
        return self.value is not None or self.given is not None


def _bench_item(
    handle: int,
    place: int,
    item: Item,
    said: Mapping[tuple[int, str], _Row],
    criteria: Sequence[Criterion],
    flags: Mapping[int, str],
) -> BenchItem:
    rows = {each.key: said[item.pk, each.key] for each in criteria if (item.pk, each.key) in said}
    values = {key: row.value for key, row in rows.items() if row.is_answer}
    seconds = [row.seconds for key, row in rows.items() if row.seconds is not None and key in values]
    return BenchItem(
        id=item.pk,
        handle=handle,
        place=place,
        text=item.text,
        label=label_of(item),
        docno=item.docno,
        values=values,
        note=rows[criteria[0].key].note if criteria and criteria[0].key in rows else "",
        seconds=sum(seconds) if seconds else None,
        flag=flags.get(item.pk, ""),
        is_judged=is_judged(criteria, values),
        is_carried=any(row.is_carried for row in rows.values()),
        kept=frozenset(key for key, row in rows.items() if row.is_kept),
        evidence={key: row.evidence for key, row in rows.items() if row.evidence},
        notes={key: row.note for key, row in rows.items() if row.note},
        given={key: row.given for key, row in rows.items() if row.value is None and row.given is not None},
    )


def label_of(item: Item) -> str:
    """Return what an item is called in a list: its text, or else that of its first part, or else its docno or key."""
    if item.text.strip():
        return item.text
    parts = item.fields.get("parts")
    first = parts[0].get("text") if isinstance(parts, list) and parts and isinstance(parts[0], dict) else ""
    return str(first or item.docno or key_in_words((item.repeats or item).key))


def _own_rows(
    assignment: Assignment, before: list[Assignment], items: list[int] | None = None
) -> dict[tuple[int, str], _Row]:
    """Return this assessor's newest row for each item and criterion, including withdrawn ones, whose notes still count.

    Judgments of the former assessors ``before`` count where this assessor has not judged, or did so earlier.
    """
    narrow = Q(item__topic=assignment.topic_id) if items is None else Q(item__in=items)
    own = Judgment.objects.filter(narrow, assessor=assignment.assessor_id).order_by("id")
    is_one = items is not None and len(items) == 1  # reading its few rows is faster than querying for the newest
    found = _rows(own if is_one else newest_rows(own, "item_id", "criterion"), is_carried=False)
    if not before:
        return found
    earlier = Judgment.objects.filter(narrow, assignment__in=before, item__repeats=None)
    newest = newest_rows(earlier, "item_id", "criterion", "assessor_id").filter(ANSWERED)
    theirs = _rows(newest.order_by("id"), is_carried=True)
    kept = {key: row for key, row in found.items() if key not in theirs or (row.is_answer and row.pk >= theirs[key].pk)}
    return {key: replace(row, is_kept=key in theirs) for key, row in {**theirs, **kept}.items()}


def _rows(rows: Iterable[Judgment], *, is_carried: bool) -> dict[tuple[int, str], _Row]:
    """Return the newest row of each item and criterion. A row carried over from another assessor has no seconds."""
    return {
        (row.item_id, row.criterion): _Row(
            row.value, row.given, row.note, None if is_carried else row.seconds, _quoted(row), is_carried, pk=row.pk
        )
        for row in rows
    }


def _flags(assignment: Assignment, before: list[Assignment]) -> dict[int, str]:
    people = {assignment.assessor_id, *(each.assessor_id for each in before)}
    asked = HelpRequest.objects.filter(
        assignment__topic=assignment.topic_id, assignment__assessor__in=people, item__isnull=False
    )
    return _as_flags(asked.order_by("id").only("item", "excused", "answered_at"))


def _as_flags(asked: Iterable[HelpRequest]) -> dict[int, str]:
    """Return the state of the newest question about each item, by item id; the requests must be in order."""
    return {
        each.item_id: "excused" if each.excused else "answered" if each.answered_at else "asked"
        for each in asked
        if each.item_id is not None
    }

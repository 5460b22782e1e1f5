"""Which places of a bench are judged, kept in memory from one request to the next. No join of runs.

Rows of the ledger are only added, and committed in the order of their numbers: so what is known up to one of them stays
true, and the rows that came since are all that has to be read, however long the list is. Of what a pool grew by
all rows are read.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Sequence
from threading import Lock

from django.db import connection

from assess.assignments.models import Assignment
from assess.base.last_used import LastUsed
from assess.judging.models import Judgment
from assess.judging.queries.judged import is_judged
from assess.protocol import Criterion, is_plain

KEPT = 64
"""So many are kept by each process, those used last: of 10,000 items and one criterion each they take 8 MB."""

AT_ONCE = 500
"""Where more items than these came into a list, all is read anew."""

OPEN, UNTIMED = -2.0, -1.0
"""What stands for no answer and for an answer whose time is not known; any other number is its seconds."""


class JudgedPlaces:
    """Of each place of a list whether it is judged by all criteria, and how long the answers took.

    ``seconds`` is the sum over the answers that stand, ``timed`` the number of places with such an answer.
    """

    def __init__(self, ids: Sequence[int], criteria: Sequence[Criterion]) -> None:
        self.point = 0
        self.done, self.seconds, self.timed = 0, 0.0, 0
        self.lock = Lock()
        self.ids = ids
        self._criteria = criteria
        self._is_plain = is_plain(criteria)
        self._columns = {each.key: place for place, each in enumerate(criteria)}
        self._said: dict[int, dict[str, int | None]] = {}  # by item, where questions depend on answers
        self._given = array("d", [OPEN]) * (len(ids) * len(criteria))
        self._judged = bytearray(len(ids))

    def is_judged(self, place: int) -> bool:
        """Whether the item at a place, from 1, is judged by all criteria."""
        return bool(self._judged[place - 1])

    def next_open(self, after: int) -> int | None:
        """The first place after this one (0 for all) that is not judged by all criteria; None where there is none."""
        found = self._judged.find(0, after)
        return found + 1 if found >= 0 else None

    def with_new(self, ids: Sequence[int]) -> tuple[JudgedPlaces, list[int]] | None:
        """The same of a list with more items, and those, of which nothing is known yet; None where items are gone."""
        grown, new, at, width = JudgedPlaces((), self._criteria), [], 0, len(self._columns)
        grown.ids, grown.point = ids, self.point
        grown.done, grown.seconds, grown.timed = self.done, self.seconds, self.timed
        grown._given, grown._judged = self._given[:], self._judged[:]
        grown._said = {item: dict(said) for item, said in self._said.items()}
        for place, pk in enumerate(ids):
            if at < len(self.ids) and self.ids[at] == pk:
                at += 1
                continue
            new.append(pk)
            grown._judged.insert(place, 0)
            grown._given[place * width : place * width] = array("d", [OPEN]) * width
        return (grown, new) if at == len(self.ids) and len(new) <= AT_ONCE else None

    def take(self, rows: Iterable[tuple[int, int, str, int | None, object, float | None]]) -> None:
        """Take in (number of the row, item id, criterion, value, given, seconds), each newer than those before."""
        places: dict[int, int] = {}
        for point, item, criterion, value, given, seconds in rows:
            self.point = max(self.point, point)
            places = places or {pk: place for place, pk in enumerate(self.ids)}
            place, column = places.get(item), self._columns.get(criterion)
            if place is not None and column is not None:
                is_open = value is None and given is None
                if not self._is_plain:
                    said = self._said.setdefault(item, {})
                    said.pop(criterion, None)
                    said.update({} if is_open else {criterion: value})
                self._give(place, column, OPEN if is_open else UNTIMED if seconds is None else seconds)

    def _give(self, place: int, column: int, answer: float) -> None:
        begin = place * len(self._columns)
        before = self._given[begin : begin + len(self._columns)]
        self._given[begin + column] = answer
        after = self._given[begin : begin + len(self._columns)]
        was_judged = self._judged[place]
        if self._is_plain:
            self._judged[place] = all(each != OPEN for each in after)
        else:
            self._judged[place] = is_judged(self._criteria, self._said.get(self.ids[place], {}))
        self.done += self._judged[place] - was_judged
        self.seconds += max(answer, 0.0) - max(before[column], 0.0)
        self.timed += any(each >= 0 for each in after) - any(each >= 0 for each in before)


def own_judged_places(
    assignment: Assignment, ids: Sequence[int], criteria: Sequence[Criterion], sign: Hashable | None
) -> JudgedPlaces:
    """What the assessor of this work judged of these items. One query, for what came since it was asked last.

    One more where the list has grown. ``sign`` says what the order of the items follows from (`BenchOrder`); without
    one, and inside of a transaction, which may be taken back, nothing is kept.
    """
    key = (
        sign,
        assignment.assessor_id,
        assignment.created_at,
        tuple((each.key, each.required, each.asked_if) for each in criteria),
    )
    keeps = sign is not None and not connection.in_atomic_block
    found = _kept.get(key) if keeps else None
    if found is not None and len(found.ids) != len(ids):
        found = _with_new(found, assignment, ids)
    found = found or JudgedPlaces(ids, criteria)
    with found.lock:
        own = Judgment.objects.filter(assessor=assignment.assessor_id, item__topic=assignment.topic_id)
        rows = own.filter(id__gt=found.point).order_by("id")
        found.take(rows.values_list(*_TAKEN))
    if keeps:
        _kept.keep(key, found)
    return found


def _with_new(known: JudgedPlaces, assignment: Assignment, ids: Sequence[int]) -> JudgedPlaces | None:
    """What is known with the items that came into the list since, and what was said of them. One query."""
    with known.lock:
        found = known.with_new(ids)
    if found is None:
        return None
    grown, new = found
    rows = Judgment.objects.filter(assessor=assignment.assessor_id, item__in=new, id__lte=grown.point).order_by("id")
    grown.take(rows.values_list(*_TAKEN))
    return grown


_TAKEN = ("pk", "item_id", "criterion", "value", "given", "seconds")


_kept: LastUsed[JudgedPlaces] = LastUsed(KEPT)

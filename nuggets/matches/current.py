"""The current marks in items: one assessor's for their page, and the official ones. No query here joins runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Value, When

from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import begun_by, predecessors_of
from assess.judging.snapshots import OFFICIAL_COUNTING, CountingRule, Snapshot, counted_in
from assess.ledger.newest import newest_rows
from nuggets.matches.models import ItemReview, NuggetMatch
from nuggets.writing.counting_lists import ADJUDICATOR, OFFICIAL_ROLES, PRIMARY, Lineage, lineages
from nuggets.writing.models import NuggetList
from scoring.release.counting_marks import counting_marks

ABSENT = NuggetMatch.Value.ABSENT
CHUNK = 2000

_Place = tuple[int, int, int, int]  # list, number, item, the user who began the chain of hand-overs


class Mark(NamedTuple):
    """A mark of a nugget in an item. The nugget is given by its list's id and its number there.

    The value is full, partial or absent; "absent" means that somebody recorded explicitly that the nugget is not in the
    item. ``row`` is the row of the ledger, and ``role`` is the role of the assignment in which it was added.
    """

    row: int
    list_id: int
    topic_id: int
    number: int
    part: int
    item_id: int
    value: str
    quote: str
    assessor_id: int
    role: str
    begun_by: int
    """The user for whom it counts: the one who began the chain of hand-overs."""
    offered: str = ""
    """The value of the machine's draft that was offered, or "" if none was."""


def current_marks(
    nugget_list: NuggetList,
    *,
    assessor_id: int,
    before: Iterable[int] = (),
    as_of: int | None = None,
    with_absent: bool = False,
) -> list[Mark]:
    """Return one assessor's marks of the list's nuggets. Marks made under earlier versions of the list are included if
    the nugget has not changed since.

    ``before`` are ids of assignments that were handed over to this one; marks made in them are included. Withdrawn
    marks are left out, and so are absent nuggets unless ``with_absent`` is true. Three queries.
    """
    words = _last_words(lineages([nugget_list]), own_marks(assessor_id, before), as_of=as_of)
    return list(_with_value(words, with_absent=with_absent))


def marks_in_item(nugget_list: NuggetList, item_id: int, *, assessor_id: int, before: Iterable[int] = ()) -> list[Mark]:
    """Return the marks in one item that are current for one assessor, including those that say that a nugget is absent.
    Three queries.
    """
    words = _last_words(lineages([nugget_list]), own_marks(assessor_id, before), as_of=None, item=item_id)
    return list(_with_value(words, with_absent=True))


def machine_marks(
    nugget_list: NuggetList, stage: str, *, item: int | None = None, with_absent: bool = True
) -> dict[tuple[int, int], str]:
    """Return (item's id, nugget's number) -> value for machines' current marks of the list's nuggets in a stage.

    Only marks in ``item`` are returned if it is given. Marks of parts are left out. Without ``with_absent``, marks that
    say "absent" are left out too. If several machines marked the same nugget in an item, the mark of the machine with
    the lowest user id counts. Three queries.
    """
    only: dict[str, Any] = {"assignment__role": Assignment.Role.MACHINE, "assignment__stage": stage}
    only |= {} if item is None else {"item": item}
    words = _last_words(lineages([nugget_list]), as_of=None, **only)
    said = sorted(_with_value(words, with_absent=with_absent), key=lambda mark: -mark.assessor_id)
    return {(mark.item_id, mark.number): mark.value for mark in said if not mark.part}


def ids_before(assignment: Assignment) -> list[int]:
    """Return the ids of the assignments that this one continues. No query if it continues none."""
    return [each.pk for each in predecessors_of(assignment)]


def own_marks(assessor_id: int, before: Iterable[int]) -> Q:
    """Return a filter for the marks that an assessor made, and those that others made before they handed
    the work over.
    """
    handed = list(before)
    own = Q(assessor=assessor_id)
    return own | Q(assignment__in=handed) if handed else own


def all_marks(lists: Iterable[NuggetList], *, as_of: int | None = None) -> list[Mark]:
    """Return every assessor's marks of these lists' nuggets, official or not, in the order of the ledger. Three
    queries.

    Marks that say that a nugget is absent are included; withdrawn marks are not.
    """
    return list(_with_value(_last_words(lineages(lists), as_of=as_of), with_absent=True))


def recorded_marks(lists: Iterable[NuggetList], *, at: Snapshot) -> tuple[list[Mark], set[int]]:
    """Return (marks, topics): the marks of `all_marks` that no later mark in the same role replaced, and topic ids.

    If several adjudicators marked a nugget or part in an item, their latest mark is kept. If several primary assessors
    marked an item, only the marks of the one who looked at it last are kept.

    The topics are those in which only one person, in one role that counts, made marks or finished items. If such a
    topic has one list, its marks are those that `official_marks` returns. At most five queries.
    """
    known = lineages(lists)
    works = _works({lineage.nugget_list.topic_id for lineage in known.values()})
    words = _words_of(known, works, as_of=at.as_of)
    looked: dict[int, int] = {}
    shared = _topics_of_several(works, OFFICIAL_COUNTING)
    if shared:
        among = [word for word in words if word.role in OFFICIAL_ROLES and word.topic_id in shared]
        looked, _ = _looked_last(among, _of_topics(known, shared), OFFICIAL_COUNTING, as_of=at.as_of)
    is_settled = any(work.role == ADJUDICATOR for work in works.values())
    settled = (word for word in words if word.role == ADJUDICATOR and word.value) if is_settled else ()
    last = {(word.list_id, word.number, word.part, word.item_id): word.row for word in settled}

    def stands(word: Mark) -> bool:
        if word.role == ADJUDICATOR:
            return last[word.list_id, word.number, word.part, word.item_id] == word.row
        return word.role != PRIMARY or looked.get(word.item_id, word.begun_by) == word.begun_by

    people = {(work.topic_id, work.begun_by, work.role) for work in works.values()}
    several = {topic for topic, number in Counter(topic for topic, *_ in people).items() if number > 1}
    left_out = {work.topic_id for work in works.values() if not at.counting.admits(work.assessor_id, work.role)}
    alone = {topic for topic, *_ in people} - several - left_out
    found = list(_with_value(words, with_absent=True))
    return list(filter(stands, found)) if last or looked else found, alone


def official_marks(lists: Iterable[NuggetList], *, at: Snapshot | None = None, with_absent: bool = False) -> list[Mark]:
    """Return the marks that count for these lists: the adjudicator's, or else the primary assessor's. At most five
    queries.

    The rule is that of `scoring.release.counting_marks`. All marks in an item are taken from one primary assessor,
    since none sees another's marks. A second assessor's mark never counts. ``with_absent`` includes absent nuggets. If
    only one person marked a topic, their marks count and no further query is made.
    """
    as_of, counting = counted_in(at)
    known = lineages(lists)
    works = _works({lineage.nugget_list.topic_id for lineage in known.values()})
    counted = {pk: work for pk, work in works.items() if counting.admits(work.assessor_id, work.role)}
    words = _words_of(known, counted, as_of=as_of)
    shared = _topics_of_several(counted, counting)
    if shared:
        among = [word for word in words if word.topic_id in shared]
        looked, settled_whole = _looked_last(among, _of_topics(known, shared), counting, as_of=as_of)
        words = [word for word in words if word.topic_id not in shared]
        words += counting_marks(among, looked=looked, settled=settled_whole)
    return list(_with_value(words, with_absent=with_absent))


def _of_topics(known: Mapping[int, Lineage], topics: Collection[int]) -> dict[int, Lineage]:
    return {pk: lineage for pk, lineage in known.items() if lineage.nugget_list.topic_id in topics}


class _Work(NamedTuple):
    """An assignment in which something was marked or finished: its topic, role and assessor, and the user who began the
    chain of hand-overs, for whom its marks count.
    """

    topic_id: int
    role: str
    assessor_id: int
    begun_by: int


def _works(topics: Collection[int]) -> dict[int, _Work]:
    """Return the assignments of these topics in which marks were made or items finished, by id. One query.

    A topic has few assignments, but hundreds of thousands of marks. So the marks are read without joining their
    assignments.
    """
    said = Exists(NuggetMatch.objects.filter(assignment=OuterRef("pk")))
    finished = Exists(ItemReview.objects.filter(assignment=OuterRef("pk")))
    rows = Assignment.objects.filter(said | finished, topic__in=topics).order_by()
    return {pk: _Work(*work) for pk, *work in rows.values_list("pk", "topic_id", "role", "assessor_id", begun_by())}


def _topics_of_several(works: Mapping[int, _Work], counting: CountingRule) -> set[int]:
    """Return the ids of topics in which several people, or one person in several roles, made marks or finished items
    that count.
    """
    counted = (work for work in works.values() if counting.admits(work.assessor_id, work.role))
    people = {(work.topic_id, work.begun_by, work.role) for work in counted}
    return {topic for topic, number in Counter(topic for topic, *_ in people).items() if number > 1}


def _with_value(words: Iterable[Mark], *, with_absent: bool) -> Iterator[Mark]:
    """Yield the marks that have a value. A mark without a value only withdrew an earlier one."""
    return (word for word in words if word.value and (with_absent or word.value != ABSENT))


def _looked_last(
    words: Iterable[Mark], known: Mapping[int, Lineage], counting: CountingRule, *, as_of: int | None
) -> tuple[dict[int, int], set[int]]:
    """Return item's id -> the last person who marked or finished the item. Only people whose judgments ``counting``
    counts are considered, and no adjudicators.

    Also return the ids of the items that an adjudicator finished under one of these lists, or under a version that
    covers the list.
    """
    topics = {lineage.nugget_list.topic_id for lineage in known.values()}
    covering = {pk for lineage in known.values() for pk in lineage.covering}
    reviews = ItemReview.objects.filter(item__topic__in=topics, **counting.where("assignment__role", "assessor"))
    finished = current_reviews(reviews, as_of=as_of).filter(is_reviewed=True).order_by()
    fields = ("pk", "item_id", begun_by("assignment__"), "assignment__role", "nugget_list_id")
    looked: list[tuple[int, int, int]] = []
    whole: set[int] = set()
    for row, item, person, role, made in finished.values_list(*fields):
        if role != ADJUDICATOR:
            looked.append((row, item, person))
        elif made in covering:
            whole.add(item)
    looked += [(word.row, word.item_id, word.begun_by) for word in words if word.role != ADJUDICATOR]
    return {item: person for _, item, person in sorted(looked)}, whole


def _last_words(known: Mapping[int, Lineage], who: Q | None = None, *, as_of: int | None, **only: object) -> list[Mark]:
    """Return each person's latest mark of each nugget, or of each part of it, in each item, in the order of the ledger.
    All versions of the lists are read.

    All marks in a chain of hand-overs count as one person's. A mark that withdraws another is included, with no value.
    Marks that a later one replaces are left out (`_Unreplaced`). With ``who``, only marks that pass this filter are
    read, and all of them count as one person's. One query.
    """
    numbers = _numbers(known)
    rows = NuggetMatch.objects.filter(nugget__in=list(numbers), **only)
    if as_of is not None:
        rows = rows.filter(id__lte=as_of)
    if who is not None:
        rows = rows.filter(who)
    person = begun_by("assignment__") if who is None else Value(0)
    fields = ("pk", "nugget_id", "part", "item_id", "value", "quote", "assessor_id", "assignment__role")
    said = rows.order_by("id").values_list(*fields, person, "offered")
    return _unreplaced(
        [
            Mark(pk, *numbers[nugget], part, item, value or "", quote, assessor, role, begun, offered or "")
            for pk, nugget, part, item, value, quote, assessor, role, begun, offered in said.iterator(CHUNK)
        ]
    )


def _words_of(known: Mapping[int, Lineage], works: Mapping[int, _Work], *, as_of: int | None) -> list[Mark]:
    """Return the marks made in these assignments, in the same form as `_last_words`. One query, which joins nothing and
    so takes half the time for hundreds of thousands of marks.
    """
    numbers = _numbers(known)
    rows = NuggetMatch.objects.filter(assignment__in=list(works)).order_by()
    if as_of is not None:
        rows = rows.filter(id__lte=as_of)
    fields = ("pk", "nugget_id", "part", "item_id", "value", "quote", "assessor_id", "assignment_id", "offered")
    of_work = {pk: (work.role, work.begun_by) for pk, work in works.items()}
    said = rows.values_list(*fields).iterator(CHUNK)
    words = [
        _mark((pk, *numbers[nugget], part, item, value or "", quote, assessor, *of_work[work], offered or ""))
        for pk, nugget, part, item, value, quote, assessor, work, offered in said
        if nugget in numbers
    ]
    words.sort(key=itemgetter(0))
    return _unreplaced(words)


_mark: Callable[[tuple[Any, ...]], Mark] = partial(tuple.__new__, Mark)
"""Make a mark of all its values, in a third of the time that `Mark` takes, since there are hundreds of thousands."""


def _numbers(known: Mapping[int, Lineage]) -> dict[int, tuple[int, int, int]]:
    """Return nugget's id -> (list's id, topic's id, number in the list), for the nuggets of all versions of these
    lists.
    """
    return {
        nugget: (pk, found.nugget_list.topic_id, number)
        for pk, found in known.items()
        for nugget, number in found.numbers.items()
    }


def _unreplaced(words: list[Mark]) -> list[Mark]:
    """Return the marks that no later one replaces. The marks are given and returned in the order of the ledger."""
    if not any(map(attrgetter("part"), words)):
        places = list(map(attrgetter("list_id", "number", "item_id", "begun_by"), words))
        if len(set(places)) == len(words):
            return words
        return sorted(dict(zip(places, words, strict=True)).values())  # a mark begins with its row
    standing = _Unreplaced()
    for word in words:
        standing.hear(word)
    return list(standing.last.values())


class _Unreplaced:
    """The current marks, collected in the order of the ledger.

    A person's newest mark of a nugget, or of a part of it, in an item replaces their earlier ones. A mark of the whole
    nugget, even one that withdraws an earlier mark, also replaces marks of its parts. A mark that a part is present
    replaces a mark of the whole nugget; a mark that a part is absent or withdrawn does not.
    """

    def __init__(self) -> None:
        self.last: dict[tuple[_Place, int], Mark] = {}
        self._parts: dict[_Place, set[int]] = {}  # only for the few places with marked parts

    def hear(self, word: Mark) -> None:
        """Add a mark, which replaces earlier ones."""
        place = (word.list_id, word.number, word.item_id, word.begun_by)
        self.last.pop((place, word.part), None)
        if word.part:
            self._parts.setdefault(place, set()).add(word.part)
            if word.value not in ("", ABSENT):
                self.last.pop((place, 0), None)
        else:
            for part in self._parts.pop(place, ()):
                self.last.pop((place, part), None)
        self.last[place, word.part] = word


def current_reviews(reviews: QuerySet[ItemReview], *, as_of: int | None = None) -> QuerySet[ItemReview]:
    """Return, for each item and assessor, the newest row that says whether the item is finished."""
    return newest_rows(reviews, "item_id", "assessor_id", as_of=as_of)


def finished_items(nugget_list: NuggetList, *, assignment: Assignment) -> set[int]:
    """Return the ids of items that this assignment's assessor, or a predecessor, finished under the list.

    An item finished under an earlier version stays finished if the list has no new or changed nugget.
    """
    lineage = lineages([nugget_list])[nugget_list.pk]
    reviews = ItemReview.objects.filter(
        own_marks(assignment.assessor_id, ids_before(assignment)), item__topic=nugget_list.topic_id
    )
    current = newest_rows(reviews, "item_id")
    return set(current.filter(is_reviewed=True, nugget_list__in=lineage.covering).values_list("item_id", flat=True))


class FinishedReview(NamedTuple):
    """A statement that an item is finished, made by ``assessor_id`` under an assignment with this ``role``.

    It counts for the user ``begun_by``, who began the chain of hand-overs.
    """

    row: int
    item_id: int
    topic_id: int
    assessor_id: int
    role: str
    begun_by: int


def finished_reviews(lists: Iterable[NuggetList], *, as_of: int | None = None) -> list[FinishedReview]:
    """Return the current statements that items are finished under one of these lists. For an item, each chain of
    hand-overs has one statement.

    Four queries.
    """
    known = lineages(lists)
    covering = {pk for lineage in known.values() for pk in lineage.covering}
    works = _works({lineage.nugget_list.topic_id for lineage in known.values()})
    rows = ItemReview.objects.filter(assignment__in=list(works)).order_by()
    if as_of is not None:
        rows = rows.filter(id__lte=as_of)
    under = Case(
        When(is_reviewed=True, then="nugget_list_id")
    )  # NULL withdraws; a boolean would be converted row by row
    said = sorted(rows.values_list("pk", "item_id", "assessor_id", "assignment_id", under).iterator(CHUNK))
    if len({row[1] for row in said}) < len(said):  # else each item has one row
        of_assessors = {row[1:3]: row for row in said}  # the newest row of each item and assessor
        said = sorted({(row[1], works[row[3]].begun_by): row for row in sorted(of_assessors.values())}.values())
    return [
        _review((pk, item, works[work].topic_id, assessor, works[work].role, works[work].begun_by))
        for pk, item, assessor, work, made in said
        if made in covering
    ]


_review: Callable[[tuple[Any, ...]], FinishedReview] = partial(tuple.__new__, FinishedReview)

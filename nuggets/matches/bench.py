"""What the workbench for matches shows. No query here joins runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from django.db.models import Q

from assess.assignments.models import Assignment
from assess.campaigns.queries import stage_of
from assess.items.models import Item
from assess.judging.queries.blind_responses import blind_strings, excused_items
from assess.ledger.newest import newest_rows
from nuggets.matches.current import ABSENT, Mark, current_marks, finished_items, ids_before, own_marks
from nuggets.matches.models import ItemReview, NuggetMatch
from nuggets.writing.counting_lists import active_nuggets, is_first_version, list_for, meanings
from nuggets.writing.models import Nugget, NuggetList


@dataclass(frozen=True, kw_only=True, slots=True)
class StringView:
    """One string of a response, as its item. ``absent`` holds the nuggets that somebody explicitly marked as absent
    from it.
    """

    item: Item
    ordinal: int
    carried_from: int | None  # the number of the first response that has the same item
    marks: tuple[Mark, ...]
    is_finished: bool
    is_excused: bool
    absent: tuple[Mark, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ResponseView:
    """A response with its number in this assignment's order, from 1. Nothing reveals which run it is from."""

    number: int
    strings: tuple[StringView, ...]

    @property
    def is_finished(self) -> bool:
        """Return whether all its strings are finished or excused."""
        return all(string.is_finished or string.is_excused for string in self.strings)

    @property
    def returned(self) -> frozenset[int]:
        """Return the numbers of the nuggets that are marked anywhere in the response."""
        return frozenset(mark.number for string in self.strings for mark in string.marks)


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchDesk:
    """What the page for marking nuggets shows. ``counts`` says in how many responses each nugget is marked.

    ``loose`` holds pooled strings that are in none of the shown responses. They are marked like the others.
    """

    nugget_list: NuggetList
    nuggets: tuple[Nugget, ...]
    again: frozenset[int]  # numbers of nuggets that changed since the assessor looked and must be marked again
    responses: tuple[ResponseView, ...]
    counts: dict[int, int]
    loose: tuple[StringView, ...] = ()


def match_desk(assignment: Assignment) -> MatchDesk | None:
    """Return the frozen list and the judged responses of the topic, or None if no list is frozen yet.

    About a dozen queries for any number of responses. A response is shown if all its items are pooled.
    """
    outline = desk_outline(assignment)
    if outline is None:
        return None
    views = response_views(outline, range(len(outline.responses)))
    loose = [string for view in views if not view.number for string in view.strings]
    return MatchDesk(
        nugget_list=outline.nugget_list,
        nuggets=outline.nuggets,
        again=outline.again,
        responses=tuple(view for view in views if view.number),
        counts=outline.counts,
        loose=tuple(replace(string, ordinal=ordinal) for ordinal, string in enumerate(loose, start=1)),
    )


PART = 25  # strings that are in no response are shown in groups of this size


@dataclass(frozen=True, kw_only=True, slots=True)
class DeskOutline:
    """The outline of the page for marking nuggets: all strings of the topic, without their texts.

    ``responses`` holds (ordinal, item id) for each string of each response. The first ``numbered`` of them are real
    responses, in the assignment's order. Pooled strings that are in no response follow, in groups of `PART`. ``marks``
    maps item ids to marks.
    """

    nugget_list: NuggetList
    nuggets: tuple[Nugget, ...]
    again: frozenset[int]
    responses: tuple[tuple[tuple[int, int], ...], ...]
    numbered: int
    marks: Mapping[int, Sequence[Mark]]
    finished: Set[int]
    excused: Set[int]

    def is_settled(self, item: int) -> bool:
        """Return whether an item needs no more work: it is finished, or the assessor is excused from it."""
        return item in self.finished or item in self.excused

    @property
    def left(self) -> list[int]:
        """Return, for each response, how many of its strings are neither finished nor excused."""
        return [sum(not self.is_settled(item) for _, item in strings) for strings in self.responses]

    @property
    def tally(self) -> tuple[int, int]:
        """Return (number of finished items, number of all items), in both cases without excused ones."""
        asked = {item for strings in self.responses for _, item in strings} - self.excused
        return len(asked & self.finished), len(asked)

    @property
    def counts(self) -> dict[int, int]:
        """Return nugget's number -> number of responses in which the nugget is marked."""
        found = dict.fromkeys((nugget.number for nugget in self.nuggets), 0)
        has = {pk: {mark.number for mark in marks if mark.value != ABSENT} for pk, marks in self.marks.items()}
        for strings in self.responses[: self.numbered]:
            for number in set().union(*(has[item] for _, item in strings if item in has)):
                if number in found:
                    found[number] += 1
        return found

    def index_of(self, item: int) -> int | None:
        """Return the index of the first response that contains the item, or None if no response contains it."""
        places = (at for at, strings in enumerate(self.responses) if any(pk == item for _, pk in strings))
        return next(places, None)


def desk_outline(assignment: Assignment) -> DeskOutline | None:
    """Return the outline of the page, or None if no list is frozen yet. About a dozen queries for any number of
    strings.
    """
    nugget_list = list_for(assignment)
    if nugget_list is None:
        return None
    _, stage = stage_of(assignment.campaign, assignment.stage)
    marks: dict[int, list[Mark]] = {}
    person, before = assignment.assessor_id, ids_before(assignment)
    for mark in current_marks(nugget_list, assessor_id=person, before=before, with_absent=True):
        marks.setdefault(mark.item_id, []).append(mark)
    responses, rest = blind_strings(assignment, stage)
    parts = [rest[at : at + PART] for at in range(0, len(rest), PART)]
    finished = finished_items(nugget_list, assignment=assignment)
    return DeskOutline(
        nugget_list=nugget_list,
        nuggets=tuple(active_nuggets([nugget_list])[nugget_list.pk]),
        again=_changed_since(nugget_list, own_marks(person, before), finished),
        responses=(*map(tuple, responses), *(tuple(enumerate(part, start=1)) for part in parts)),
        numbered=len(responses),
        marks=marks,
        finished=finished,
        excused=excused_items([assignment])[assignment.pk],
    )


def _changed_since(nugget_list: NuggetList, own: Q, finished: Set[int]) -> frozenset[int]:
    """Return the numbers of the nuggets that are new or have changed since somebody last looked at one of the items
    that are not ``finished``: since the list under which they finished it or, if they never did, marked it.

    ``own`` is the filter for what they recorded. Four queries at most; none for a first version.
    """
    if is_first_version(nugget_list):
        return frozenset()
    reviews = ItemReview.objects.filter(own, item__topic=nugget_list.topic_id, is_reviewed=True)
    looked = dict(newest_rows(reviews, "item_id").values_list("item_id", "nugget_list_id"))
    marks = NuggetMatch.objects.filter(own, item__topic=nugget_list.topic_id).order_by()
    marked = marks.values_list("item_id", "nugget__nugget_list_id").distinct()
    under = {made for item, made in looked.items() if item not in finished}
    under |= {made for item, made in marked if item not in looked}
    known = meanings({nugget_list.pk, *under})
    before = [set(known.get(pk, {}).values()) for pk in under]
    return frozenset(
        each.number for each in known.get(nugget_list.pk, {}).values() if any(each not in old for old in before)
    )


def response_views(outline: DeskOutline, indexes: Iterable[int]) -> list[ResponseView]:
    """Return the responses at these places of the outline, with their strings. One query.

    Strings that are in no response are returned as responses with the ``number`` 0.
    """
    wanted = list(indexes)
    ids = {item for index in wanted for _, item in outline.responses[index]}
    items = Item.objects.in_bulk(ids)
    first_in: dict[int, int] = {}
    for number, strings in enumerate(outline.responses[: outline.numbered], start=1):
        for _, pk in strings:
            if pk in ids:
                first_in.setdefault(pk, number)
    return [
        ResponseView(
            number=(number := index + 1 if index < outline.numbered else 0),
            strings=tuple(
                _string(outline, items[pk], ordinal, first_in[pk] if first_in.get(pk, number) != number else None)
                for ordinal, pk in outline.responses[index]
            ),
        )
        for index in wanted
    ]


def _string(outline: DeskOutline, item: Item, ordinal: int, carried_from: int | None) -> StringView:
    said = sorted(outline.marks.get(item.pk, ()), key=lambda mark: (mark.number, mark.part))
    return StringView(
        item=item,
        ordinal=ordinal,
        carried_from=carried_from,
        marks=tuple(mark for mark in said if mark.value != ABSENT),
        absent=tuple(mark for mark in said if mark.value == ABSENT),
        is_finished=item.pk in outline.finished,
        is_excused=item.pk in outline.excused,
    )

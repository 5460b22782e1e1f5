"""What the workbench of matches shows. None of these queries joins runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assess.assignments.models import Assignment
from assess.campaigns.queries import stage_of
from assess.documents.queries.search import COMMON, WORD
from assess.items.models import Item
from assess.judging.queries.blind_responses import blind_responses, excused_items, pooled_in_order
from assess.runs.models import Segment
from nuggets.matches.current import ABSENT, Mark, current_marks, finished_items, ids_before
from nuggets.writing.counting_lists import active_nuggets, list_for, nuggets_to_mark_again
from nuggets.writing.models import Nugget, NuggetList


@dataclass(frozen=True, kw_only=True, slots=True)
class StringView:
    """One string of a response: its item, and whether the same item was in a response shown before.

    ``absent`` are the nuggets that were expressly said not to be in it.
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
    """A response under the number that this assignment's order gives it, from 1; nothing says whose it is."""

    number: int
    strings: tuple[StringView, ...]

    @property
    def is_finished(self) -> bool:
        """Whether all its strings are finished or excused."""
        return all(string.is_finished or string.is_excused for string in self.strings)

    @property
    def returned(self) -> frozenset[int]:
        """The numbers of the nuggets marked anywhere in it, each once."""
        return frozenset(mark.number for string in self.strings for mark in string.marks)


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchDesk:
    """All that the page for marking nuggets shows. ``counts``: in how many responses each nugget was marked.

    ``loose`` are pooled strings that stand in no response shown; they are marked like the others.
    """

    nugget_list: NuggetList
    nuggets: tuple[Nugget, ...]
    again: frozenset[int]  # numbers of the nuggets to be marked anew since the last version
    responses: tuple[ResponseView, ...]
    counts: dict[int, int]
    loose: tuple[StringView, ...] = ()


def match_desk(assignment: Assignment) -> MatchDesk | None:
    """The frozen list and the judged responses of the topic, or None while no list is frozen.

    A dozen queries, however many responses. A response is shown when all its items are pooled.
    """
    nugget_list = list_for(assignment)
    if nugget_list is None:
        return None
    _, stage = stage_of(assignment.campaign, assignment.stage)
    marks: dict[int, list[Mark]] = {}
    person, before = assignment.assessor_id, ids_before(assignment)
    for mark in current_marks(nugget_list, assessor_id=person, before=before, with_absent=True):
        marks.setdefault(mark.item_id, []).append(mark)
    finished = finished_items(nugget_list, assignment=assignment)
    excused = excused_items([assignment])[assignment.pk]
    segments = blind_responses(assignment, stage)
    responses = _responses(segments, marks=marks, finished=finished, excused=excused)
    in_responses = {segment.item_id for response in segments for segment in response}
    loose = [item for item in pooled_in_order(assignment, stage) if item.pk not in in_responses]
    nuggets = active_nuggets([nugget_list])[nugget_list.pk]
    return MatchDesk(
        nugget_list=nugget_list,
        nuggets=tuple(nuggets),
        again=frozenset(nugget.number for nugget in nuggets_to_mark_again(nugget_list)),
        responses=responses,
        counts={n.number: sum(n.number in response.returned for response in responses) for n in nuggets},
        loose=tuple(
            _string(item, ordinal, None, marks=marks, finished=finished, excused=excused)
            for ordinal, item in enumerate(loose, start=1)
        ),
    )


def _responses(
    responses: list[list[Segment]], *, marks: dict[int, list[Mark]], finished: set[int], excused: set[int]
) -> tuple[ResponseView, ...]:
    first_seen: dict[int, int] = {}
    views = []
    for number, segments in enumerate(responses, start=1):
        strings = []
        for segment in segments:
            if segment.item is None:
                continue
            pk = segment.item.pk
            first = first_seen.setdefault(pk, number)
            carried_from = first if first != number else None
            strings.append(
                _string(segment.item, segment.ordinal, carried_from, marks=marks, finished=finished, excused=excused)
            )
        views.append(ResponseView(number=number, strings=tuple(strings)))
    return tuple(views)


def _string(
    item: Item,
    ordinal: int,
    carried_from: int | None,
    *,
    marks: dict[int, list[Mark]],
    finished: set[int],
    excused: set[int],
) -> StringView:
    said = sorted(marks.get(item.pk, ()), key=lambda mark: (mark.number, mark.part))
    return StringView(
        item=item,
        ordinal=ordinal,
        carried_from=carried_from,
        marks=tuple(mark for mark in said if mark.value != ABSENT),
        absent=tuple(mark for mark in said if mark.value == ABSENT),
        is_finished=item.pk in finished,
        is_excused=item.pk in excused,
    )


# Which nuggets a string may contain, by the words they share. A hint to the assessor; nothing is marked by it.

SHARE = 0.6  # of the nugget's words
MOST = 3
SUFFIXES = ("ing", "ed", "es", "s", "ly")


def suggest_nuggets(texts: Mapping[int, str], strings: Iterable[tuple[int, str]]) -> dict[int, tuple[int, ...]]:
    """The numbers of up to three nuggets for each string that has most of a nugget's words, best first.

    ``texts`` maps numbers to what nuggets say; ``strings`` are (key, text). Takes a set intersection for each
    nugget and string.

    >>> suggest_nuggets({1: "cheap wine", 2: "friendly staff"}, [(7, "The staff are always friendly.")])
    {7: (2,)}
    """
    wanted = {number: _words(text) for number, text in texts.items()}
    found: dict[int, tuple[int, ...]] = {}
    for key, text in strings:
        if key not in found:
            words = _words(text)
            ranked = sorted(_ranked(wanted, words))
            if ranked:
                found[key] = tuple(number for _, number in ranked[:MOST])
    return found


def _ranked(wanted: Mapping[int, frozenset[str]], words: frozenset[str]) -> Sequence[tuple[float, int]]:
    shares = ((len(own & words) / len(own), number) for number, own in wanted.items() if own)
    return [(-share, number) for share, number in shares if share >= SHARE]


def _words(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in WORD.findall(text.lower()) if len(word) > 2 and word not in COMMON)


def _stem(word: str) -> str:
    """The word without the commonest endings of English."""
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return word.removesuffix(suffix)
    return word

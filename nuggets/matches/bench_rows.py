"""The rows of the bench of matches: responses, their strings and the nuggets beside them, as the page shows them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from assess.base.wording import letters
from nuggets.matches.bench import DeskOutline, StringView, response_views
from nuggets.matches.models import NuggetMatch
from nuggets.matches.offered import Drafts, ListOffer
from nuggets.writing.models import Nugget


@dataclass(frozen=True, kw_only=True, slots=True)
class StringRow:
    """One string as the page shows it. ``marks`` is JSON: a list of [number, part, value, quote].

    ``first`` are the numbers of the nuggets to show first, ``suggested`` those that are suggested, and ``words`` the
    words that the string shares with nuggets; ``drafted`` are the marks that a machine drafted for it, by number.
    """

    view: StringView
    letter: str
    marks: str
    first: str
    suggested: str
    words: str
    drafted: Mapping[int, str]
    is_current: bool

    @property
    def drafts(self) -> str:
        """The drafts for scripts, such as "5:full 7:partial"."""
        return " ".join(f"{number}:{value}" for number, value in self.drafted.items())


@dataclass(frozen=True, kw_only=True, slots=True)
class ResponseRow:
    """One response as the page shows it; ``index`` is its place among all, and ``number`` 0 means strings in no
    response.
    """

    index: int
    number: int
    strings: tuple[StringRow, ...]
    is_current: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class NuggetRow:
    """A nugget as shown beside the current string. ``say`` is the mark that its button sends if scripts are off, and
    ``place`` its place in the list.
    """

    nugget: Nugget
    count: int
    is_marked: bool
    is_again: bool
    say: str
    place: int


def response_at(outline: DeskOutline, place: int) -> int:
    """Return the index of the response that contains the string at this place among all strings, from 0.

    Return 0 if there is no such string.
    """
    ends = accumulate(len(strings) for strings in outline.responses)
    return next((at for at, end in enumerate(ends) if place < end), 0)


def response_rows(
    outline: DeskOutline, indexes: Sequence[int], place: int, offer: ListOffer, drafts: Drafts
) -> tuple[ResponseRow, ...]:
    """Return the responses at these places in the form in which the page shows them. ``place`` is the place of the
    current string among all strings, or -1 if no string is current.
    """
    views = response_views(outline, indexes)
    texts = {string.item.pk: string.item.text for view in views for string in view.strings}
    offered = offer.for_strings(texts, outline.marks)
    begins = [0, *accumulate(len(each) for each in outline.responses)]
    current = response_at(outline, place)
    return tuple(
        ResponseRow(
            index=index,
            number=view.number,
            is_current=index == current,
            strings=tuple(
                StringRow(
                    view=string,
                    letter=letters(at + 1).lower(),
                    marks=json.dumps(marks_of(string)),
                    first=_first_in(offered[string.item.pk].first, drafts.get(string.item.pk, {}), offer),
                    suggested=_in_a_row(offered[string.item.pk].suggested),
                    words=" ".join(offered[string.item.pk].words),
                    drafted=drafts.get(string.item.pk, {}),
                    is_current=begins[index] + at == place,
                )
                for at, string in enumerate(view.strings)
            ),
        )
        for index, view in zip(indexes, views, strict=True)
    )


def marks_of(string: StringView) -> list[list[Any]]:
    """Return the marks in a string as the page holds them: [number, part, value, quote] of each."""
    return [[mark.number, mark.part, mark.value, mark.quote] for mark in (*string.marks, *string.absent)]


def nugget_rows(outline: DeskOutline, in_hand: StringRow | None) -> list[NuggetRow]:
    """Return the nuggets in the order in which the page offers them for the current string."""
    counts = outline.counts
    marked = {mark.number for mark in in_hand.view.marks if not mark.part} if in_hand is not None else set()
    rows = [
        NuggetRow(
            nugget=nugget,
            count=counts[nugget.number],
            is_marked=nugget.number in marked,
            is_again=nugget.number in outline.again,
            say=f"{nugget.pk} 0 {'' if nugget.number in marked else NuggetMatch.Value.FULL}",
            place=place,
        )
        for place, nugget in enumerate(outline.nuggets)
    ]
    ranks = {int(number): rank for rank, number in enumerate(in_hand.first.split() if in_hand is not None else ())}
    return sorted(rows, key=lambda row: (ranks.get(row.nugget.number, len(ranks)), row.place))


def _first_in(likely: Sequence[int], drafts: Mapping[int, str], offer: ListOffer) -> str:
    """Return the nuggets to show first: those that the draft says are in the string, then the likely ones."""
    drafted = [number for number, value in drafts.items() if value != NuggetMatch.Value.ABSENT]
    return "" if offer.is_in_list_order else _in_a_row([*dict.fromkeys([*drafted, *likely])])


def _in_a_row(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))

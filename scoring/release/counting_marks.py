"""Decides which marks of nuggets in items count, both for the site's tables and for the files of a release."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

ADJUDICATOR = "adjudicator"


class Mark(Protocol):
    """One person's latest mark of a nugget, or of part of one, in an item. A value of "" withdraws the mark."""

    @property
    def list_id(self) -> Hashable:
        """The list that contains the nugget."""
        ...

    @property
    def item_id(self) -> Hashable:
        """The item that was marked."""
        ...

    @property
    def number(self) -> int:
        """The nugget's number."""
        ...

    @property
    def part(self) -> int:
        """0 for the whole nugget, or k for its part k."""
        ...

    @property
    def value(self) -> str:
        """The value of the mark."""
        ...

    @property
    def role(self) -> str:
        """The role in which the mark was made."""
        ...

    @property
    def begun_by(self) -> Hashable:
        """The person for whom the mark counts. If the assignment was handed over, this is the person who began it."""
        ...


Word = TypeVar("Word", bound=Mark)


def counting_marks(words: Iterable[Word], *, looked: Mapping[Any, Hashable], settled: Collection[Any]) -> list[Word]:
    """Return the marks that count, from marks in the order in which they were made.

    For each nugget, part and item an adjudicator's newest mark counts, even if it says that the nugget is absent. An
    adjudicator's mark of the whole nugget replaces other people's marks of its parts, and their mark of a part replaces
    other people's marks of the whole. In an item that an adjudicator finished (``settled``) only adjudicators' marks
    count. In any other item only the marks of the person who last marked or finished it (``looked``) count. A mark that
    such a person withdrew (its value is "") may be among the result.
    """
    chosen: dict[tuple[Hashable, int, int, Hashable], Word] = {}
    for word in words:
        settles = word.role == ADJUDICATOR
        if settles and not word.value:
            continue
        if not settles and (word.item_id in settled or looked.get(word.item_id, word.begun_by) != word.begun_by):
            continue
        key = (word.list_id, word.number, word.part, word.item_id)
        if key not in chosen or chosen[key].role != ADJUDICATOR or settles:
            chosen[key] = word
    overruled = {_place(word, is_part=word.part == 0) for word in chosen.values() if word.role == ADJUDICATOR}
    if not overruled:
        return list(chosen.values())
    return [
        word
        for word in chosen.values()
        if word.role == ADJUDICATOR or _place(word, is_part=word.part > 0) not in overruled
    ]


def _place(word: Mark, *, is_part: bool) -> tuple[Hashable, int, Hashable, bool]:
    """Return a key for a nugget in an item. Marks of the whole nugget and marks of its parts have different keys."""
    return word.list_id, word.number, word.item_id, is_part

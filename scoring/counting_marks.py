"""Which of the marks of nuggets in items count, of the site's tables and of a release's files alike."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

ADJUDICATOR = "adjudicator"


class Mark(Protocol):
    """One person's last word on a nugget, or on a part of it, in an item; a value of "" withdraws what was said."""

    @property
    def list_id(self) -> Hashable:
        """The list that the nugget is on."""
        ...

    @property
    def item_id(self) -> Hashable:
        """The item."""
        ...

    @property
    def number(self) -> int:
        """The nugget's number."""
        ...

    @property
    def part(self) -> int:
        """0, or k for the nugget's part k."""
        ...

    @property
    def value(self) -> str:
        """What was said."""
        ...

    @property
    def role(self) -> str:
        """The role in which it was said."""
        ...

    @property
    def begun_by(self) -> Hashable:
        """Whose word it counts as: who began the work, where it was handed over."""
        ...


Word = TypeVar("Word", bound=Mark)


def counting_marks(words: Iterable[Word], *, looked: Mapping[Any, Hashable], settled: Collection[Any]) -> list[Word]:
    """Return the words that count, of words in the order in which they were said.

    For each nugget, part and item, the adjudicator's newest word stands, even if it says that nothing is there, until
    they take it back; and what they mark as a whole stands instead of another's parts, their part instead of another's
    whole. An item that an adjudicator finished (``settled``) holds what they marked and no more. Else an item is taken
    as a whole from who marked or finished it last, whom ``looked`` names.
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
    """Return a nugget in an item, as a whole or in its parts."""
    return word.list_id, word.number, word.item_id, is_part

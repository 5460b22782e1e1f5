"""What two judges said of the same things, to be read: however many there are, only those shown are made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import overload

from assess.base.wording import natural
from assess.kinds.agreement_questions import Shown, Thing, Values
from scoring.grid_values import GridValues, explicit

AT_ONCE = 20_000
"""Pairs of several topics that are made together."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """One thing with both values, to be read."""

    thing: Thing
    first: float
    second: float
    shown: Shown | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Pairs(Sequence[Pair]):
    """What both of two said of the same things: ``values``, or else where they differ. In order of topic and name.

    ``counts`` says how many there are, by topic in their order; ``read`` gives what both said in some topics.
    """

    counts: Mapping[str, int]
    values: tuple[float, float] | None
    read: Callable[[Collection[str]], tuple[Values, Values]]

    def __len__(self) -> int:
        return sum(self.counts.values())

    @overload
    def __getitem__(self, place: int) -> Pair: ...
    @overload
    def __getitem__(self, place: slice) -> list[Pair]: ...
    def __getitem__(self, place: int | slice) -> Pair | list[Pair]:
        if isinstance(place, int):
            return self[place : place + 1][0]
        first, last, _ = place.indices(len(self))
        before, skipped, topics = 0, 0, []
        for topic, number in self.counts.items():
            if before + number <= first:
                skipped += number
            elif before < last:
                topics.append(topic)
            before += number
        return list(islice(self._of(topics), first - skipped, last - skipped))

    def __iter__(self) -> Iterator[Pair]:
        return self._of(self.counts)

    def _of(self, topics: Iterable[str]) -> Iterator[Pair]:
        group: list[str] = []
        for topic in topics:
            if group and sum(self.counts[each] for each in group) + self.counts[topic] > AT_ONCE:
                yield from self._made(group)
                group = []
            group.append(topic)
        if group:
            yield from self._made(group)

    def _made(self, topics: Sequence[str]) -> Iterator[Pair]:
        first, second = self.read(topics)
        names: dict[str, set[str]] = {topic: set() for topic in topics}
        for topic, name in chain(explicit(first), explicit(second)):
            if topic in names:
                names[topic].add(name)
        for topic in topics:
            for thing in self._in_order(topic, names[topic], first, second):
                a, b = first.get(thing), second.get(thing)
                if a is not None and b is not None and self._fits(a, b):
                    yield Pair(thing=thing, first=a, second=b)

    def _in_order(self, topic: str, names: set[str], first: Values, second: Values) -> Iterable[Thing]:
        """The things of a topic that may fit: those with these names, and what both imply where such are wanted."""
        both = [each for each in (first, second) if isinstance(each, GridValues)]
        if len(both) < 2 or not self._fits(both[0].rest, both[1].rest):
            return ((topic, name) for name in sorted(names, key=natural))
        places = [name.partition(" ")[::2] for name in names]
        rows = {row for row, _ in places}.union(*(each.rows.get(topic, ()) for each in both))
        columns = {column for _, column in places}.union(*(each.columns.get(topic, ()) for each in both))
        ordered = sorted(columns, key=natural)
        return ((topic, f"{row} {column}") for row in sorted(rows, key=natural) for column in ordered)

    def _fits(self, first: float, second: float) -> bool:
        return first != second if self.values is None else (first, second) == self.values

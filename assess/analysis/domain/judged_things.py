"""The items that two judges judged, for reading; only the rows on the page are built, however many there are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple, overload

from assess.base.wording import natural
from assess.kinds.agreement_questions import Shown, Thing, Values
from scoring.release.grid_values import GridValues, explicit

AT_ONCE = 20_000
"""The number of pairs up to which several topics are read together."""


class Pair(NamedTuple):
    """One thing with both judges' values, for reading."""

    topic: str
    name: str
    first: float
    second: float
    shown: Shown | None = None

    @property
    def thing(self) -> Thing:
        """The topic and the name."""
        return self.topic, self.name


@dataclass(frozen=True, kw_only=True, slots=True)
class Pairs(Sequence[Pair]):
    """The things that two judges both judged, by topic and name.

    With ``values``, they are those to which the judges gave these two values; without it, those on which they differ.
    ``counts`` maps topics, in order, to the number of their things. ``read`` returns both judges' values in some
    topics: things are read only when asked for.
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
                yield from self._pairs_of(group)
                group = []
            group.append(topic)
        if group:
            yield from self._pairs_of(group)

    def _pairs_of(self, topics: Sequence[str]) -> Iterator[Pair]:
        first, second = self.read(topics)
        grids = [each for each in (first, second) if isinstance(each, GridValues)]
        if len(grids) == 2 and self._fits(grids[0].rest, grids[1].rest):
            yield from self._fitting(things_of_grids(grids, topics), first, second)
            return
        things = dict.fromkeys(chain(explicit(first), explicit(second))) if grids else first
        found: dict[str, list[Pair]] = {topic: [] for topic in topics}
        for pair in self._fitting(things, first, second):
            if pair.topic in found:
                found[pair.topic].append(pair)
        for pairs in found.values():
            yield from sorted(pairs, key=lambda pair: (natural(pair.name), pair.name))

    def _fitting(self, things: Iterable[Thing], first: Values, second: Values) -> Iterator[Pair]:
        for thing in things:
            a, b = first.get(thing), second.get(thing)
            if a is not None and b is not None and self._fits(a, b):
                yield Pair(*thing, a, b)

    def _fits(self, first: float, second: float) -> bool:
        return first != second if self.values is None else (first, second) == self.values


def things_of_grids(grids: Sequence[GridValues], topics: Iterable[str]) -> Iterator[Thing]:
    """Yield the things of all judges' grids, topic by topic: every row with every column, by row and then by column.

    The rows and columns of a topic are those that some judge's values or finished work name.
    """
    named: dict[str, set[tuple[str, str]]] = {}
    for topic, name in chain(*map(explicit, grids)):
        row, _, column = name.partition(" ")
        named.setdefault(topic, set()).add((row, column))
    for topic in topics:
        places = named.get(topic, set())
        rows = {row for row, _ in places}.union(*(each.rows.get(topic, ()) for each in grids))
        columns = {column for _, column in places}.union(*(each.columns.get(topic, ()) for each in grids))
        ordered = sorted(columns, key=natural)
        yield from ((topic, f"{row} {column}") for row in sorted(rows, key=natural) for column in ordered)

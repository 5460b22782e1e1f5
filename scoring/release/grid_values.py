"""Holds a judge's values for every row of whole columns without an entry for each, such as for all nuggets in finished
strings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

Thing = tuple[str, str]
"""(topic, name of an item in it); in a grid the name is "row column"."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class GridValues(Mapping[Thing, float]):
    """One judge's values: those given to single things (``said``), and ``rest`` for everything else that was finished.

    ``rows`` and ``columns`` are by topic: all rows, and the columns that the judge finished. Every thing in such a
    column that is not in ``said`` has the value ``rest``.

    >>> found = GridValues(said={("1", "2 b"): 1.0}, rows={"1": {"1", "2"}}, columns={"1": {"a", "b"}})
    >>> sorted(found.items())
    [(('1', '1 a'), 0.0), (('1', '1 b'), 0.0), (('1', '2 a'), 0.0), (('1', '2 b'), 1.0)]
    """

    said: Mapping[Thing, float]
    rows: Mapping[str, AbstractSet[str]]
    columns: Mapping[str, AbstractSet[str]]
    rest: float = 0.0

    def __getitem__(self, thing: Thing) -> float:
        if thing in self.said:
            return self.said[thing]
        topic, name = thing
        row, _, column = name.partition(" ")
        if column in self.columns.get(topic, ()) and row in self.rows[topic]:
            return self.rest
        raise KeyError(thing)

    def __iter__(self) -> Iterator[Thing]:
        yield from self.said
        for topic, columns in self.columns.items():
            for column in columns:
                for row in self.rows[topic]:
                    if (thing := (topic, f"{row} {column}")) not in self.said:
                        yield thing

    def __len__(self) -> int:
        return len(self.said) + count_implied([self], self.said).total()

    @property
    def topics(self) -> set[str]:
        """The topics with any value."""
        return {topic for topic, _ in self.said} | {topic for topic, columns in self.columns.items() if columns}


def explicit(values: Mapping[Thing, float]) -> Iterable[Thing]:
    """Return the things to which a judge gave a value explicitly, rather than by finishing the column they are in."""
    return values.said if isinstance(values, GridValues) else values


def topics_of(values: Mapping[Thing, float]) -> set[str]:
    """Return the topics in which a judge gave at least one value."""
    return values.topics if isinstance(values, GridValues) else {topic for topic, _ in values}


def count_implied(
    judges: Sequence[Mapping[Thing, float]], explicit: Iterable[Thing]
) -> Counter[tuple[str, tuple[float | None, ...]]]:
    """Return (topic, values) -> the number of things that have these values only because columns were finished.

    ``explicit`` are all things to which any judge gave a value explicitly; they are not counted. ``values`` holds what
    each judge implied, or None for a judge who did not finish the column.
    """
    grids = [each for each in judges if isinstance(each, GridValues)]
    rows = {topic: names for grid in grids for topic, names in grid.rows.items()}
    finished: dict[tuple[str, str], list[float | None]] = {}
    for place, each in enumerate(judges):
        if isinstance(each, GridValues):
            for topic, columns in each.columns.items():
                for column in columns:
                    finished.setdefault((topic, column), [None] * len(judges))[place] = each.rest
    entries: Counter[tuple[str, str]] = Counter()
    for topic, name in explicit if finished else ():
        row, _, column = name.partition(" ")
        if row in rows.get(topic, ()):
            entries[topic, column] += 1
    found: Counter[tuple[str, tuple[float | None, ...]]] = Counter()
    for (topic, column), said in finished.items():
        if left := len(rows[topic]) - entries[topic, column]:
            found[topic, tuple(said)] += left
    return found

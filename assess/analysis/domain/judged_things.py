"""What two or more judges said of the same things, as columns: a hundred thousand things are read in milliseconds."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, overload

from assess.base.wording import natural
from assess.kinds.agreement_questions import Shown, Thing, Values

if TYPE_CHECKING:
    from scoring.score_columns import Numbers

ABSENT = -1


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """One thing with both values, to be read."""

    thing: Thing
    first: float
    second: float
    shown: Shown | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedThings:
    """The things that two or more judged, in the order of their topics and names as people count.

    ``topic`` has for each thing the place of its topic among ``topics``; ``said`` has a row for each thing and a column
    for each judge with the place of the value among ``values``, `ABSENT` where one said nothing. ``names`` are those of
    the things in their topics.
    """

    topics: Sequence[str]
    values: Sequence[float]
    names: Sequence[str]
    topic: Numbers
    said: Numbers

    def values_of(self, topics: Collection[str]) -> list[dict[Thing, float]]:
        """What each judge said in these topics; the things are numbered in place of their names."""
        import numpy as np

        wanted = np.isin(self.topic, [place for place, name in enumerate(self.topics) if name in topics])
        rows = np.flatnonzero(wanted)
        things = [(self.topics[place], str(row)) for place, row in zip(self.topic[rows].tolist(), rows, strict=True)]
        return [
            {
                thing: self.values[code]
                for thing, code in zip(things, self.said[rows, judge].tolist(), strict=True)
                if code != ABSENT
            }
            for judge in range(self.said.shape[1])
        ]

    def confusion(self, first: int, second: int) -> Mapping[tuple[float, float], int]:
        """(first's value, second's value) -> things, of those that both judged."""
        import numpy as np

        a, b = self.said[:, first].astype(np.int64), self.said[:, second].astype(np.int64)
        both = (a != ABSENT) & (b != ABSENT)
        counts = np.bincount(a[both] * len(self.values) + b[both])
        places = {place: divmod(int(place), len(self.values)) for place in np.flatnonzero(counts)}
        return {(self.values[x], self.values[y]): int(counts[place]) for place, (x, y) in places.items()}

    def pairs(self, first: int, second: int, *, values: tuple[float, float] | None = None, topic: str = "") -> Pairs:
        """What both of two said of the same things: these values, or else where they differ; of one topic."""
        import numpy as np

        a, b = self.said[:, first], self.said[:, second]
        if values is None:
            wanted = (a != b) & (a != ABSENT) & (b != ABSENT)
        else:
            codes = [self.values.index(value) if value in self.values else len(self.values) for value in values]
            wanted = (a == codes[0]) & (b == codes[1])
        if topic:
            wanted &= self.topic == (self.topics.index(topic) if topic in self.topics else ABSENT)
        return Pairs(things=self, first=first, second=second, rows=np.flatnonzero(wanted))


@dataclass(frozen=True, kw_only=True, slots=True)
class Pairs(Sequence[Pair]):
    """Some of the things with what two judges said of them; each is made as it is asked for."""

    things: JudgedThings
    first: int
    second: int
    rows: Numbers

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Pair: ...
    @overload
    def __getitem__(self, place: slice) -> list[Pair]: ...
    def __getitem__(self, place: int | slice) -> Pair | list[Pair]:
        return (
            [self._pair(int(row)) for row in self.rows[place]]
            if isinstance(place, slice)
            else self._pair(int(self.rows[place]))
        )

    def __iter__(self) -> Iterator[Pair]:
        return map(self._pair, self.rows.tolist())

    def _pair(self, row: int) -> Pair:
        things = self.things
        first, second = (things.values[things.said[row, judge]] for judge in (self.first, self.second))
        return Pair(thing=(things.topics[things.topic[row]], things.names[row]), first=first, second=second)


def judged_things(said: Sequence[Values], things: Collection[Thing]) -> JudgedThings:
    """What each judge said of these things."""
    import numpy as np

    place_of = lru_cache(maxsize=None)(natural)  # topics are few
    ordered = sorted(things, key=lambda thing: (place_of(thing[0]), natural(thing[1])))
    topics = {topic: place for place, topic in enumerate(dict.fromkeys(topic for topic, _ in ordered))}
    values = sorted({value for each in said for value in each.values()})
    codes = {value: place for place, value in enumerate(values)}
    table = [[codes[each[thing]] if thing in each else ABSENT for thing in ordered] for each in said]
    return JudgedThings(
        topics=list(topics),
        values=values,
        names=[name for _, name in ordered],
        topic=np.array([topics[topic] for topic, _ in ordered], dtype=np.int32),
        said=np.array(table, dtype=np.int32).T.reshape(len(ordered), len(said)),
    )

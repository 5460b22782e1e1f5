"""Holds very many scores as columns, from which a campaign's scores are stored in a file and tables are made.

Runs, topics and measures are stored as numbers in place of their names, so that a hundred thousand values take three
megabytes and are read in a few milliseconds. numpy is imported only when columns are made, as in
`scoring.release.tables`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

from scoring.records import Score

if TYPE_CHECKING:
    import numpy

    Numbers = numpy.ndarray[Any, numpy.dtype[Any]]

NO_MEAN = -1
"""The number of topics of a value that is not a mean."""
TYPES = {"run": "int32", "topic": "int32", "measure": "int32", "value": "float64", "count": "int32"}
ARRAYS = tuple(TYPES)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ScoreColumns:
    """Scores in their order. ``run``, ``topic`` and ``measure`` are indexes into the lists of names, which are in the
    order of first occurrence; ``value`` is NaN if undefined; ``count`` is the number of topics averaged, or `NO_MEAN`.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    run: Numbers
    topic: Numbers
    measure: Numbers
    value: Numbers
    count: Numbers

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Score]:
        """Yield the scores one by one, in the order in which they were given."""
        columns = zip(*(getattr(self, name).tolist() for name in ARRAYS), strict=True)
        for run, topic, measure, value, count in columns:
            yield Score(
                run=self.runs[run],
                topic=self.topics[topic],
                measure=self.measures[measure],
                value=None if isnan(value) else value,
                topics=None if count == NO_MEAN else count,
            )

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """The lists of names, by column. The numbers in a column are indexes into its list."""
        return {"run": self.runs, "topic": self.topics, "measure": self.measures}

    def arrays(self) -> dict[str, Numbers]:
        """Return the columns by name."""
        return {name: getattr(self, name) for name in ARRAYS}

    def where(self, *, run: str = "", topic: str = "", measure: str = "") -> ScoreColumns:
        """Return only the scores of this run, topic and measure; "" means any."""
        import numpy

        chosen = numpy.full(len(self), True)
        for column, name in (("run", run), ("topic", topic), ("measure", measure)):
            if name:
                names = self.names[column]
                chosen &= getattr(self, column) == (names.index(name) if name in names else -1)
        return from_arrays(self.names, {name: column[chosen] for name, column in self.arrays().items()})

    def places(self, scores: Sequence[Score], *, topics: Collection[str]) -> list[int] | None:
        """Return, for each of these scores, the index of the value with the same run, topic and measure.

        Return None unless the scores match the values on the given topics one to one.
        """
        import numpy

        numbers = [place for place, name in enumerate(self.topics) if name in topics]
        rows = numpy.flatnonzero(numpy.isin(self.topic, numbers))
        keys = zip(*(column[rows].tolist() for column in (self.run, self.topic, self.measure)), strict=True)
        places = dict(zip(keys, rows.tolist(), strict=True))
        run, topic, measure = ({name: place for place, name in enumerate(names)} for names in self.names.values())
        asked = ((run.get(each.run), topic.get(each.topic), measure.get(each.measure)) for each in scores)
        found = [places.pop(place, -1) for place in asked]
        return None if places or -1 in found else found

    def replaced(self, scores: Sequence[Score], *, places: Sequence[int]) -> ScoreColumns:
        """Return copies of the columns with the values and counts of these scores at these indexes (`places`)."""
        import numpy

        value, count = self.value.copy(), self.count.copy()
        value[places] = [numpy.nan if each.value is None else each.value for each in scores]
        count[places] = [NO_MEAN if each.topics is None else each.topics for each in scores]
        return from_arrays(self.names, self.arrays() | {"value": value, "count": count})


def columns_of(scores: Iterable[Score]) -> ScoreColumns:
    """Return these scores as columns.

    >>> mean = Score(run="Elm", topic="all", measure="F", value=0.5, topics=1)
    >>> list(columns_of([mean])) == [mean]
    True
    """
    import numpy

    runs: dict[str, int] = {}
    topics: dict[str, int] = {}
    measures: dict[str, int] = {}
    rows = [
        (
            runs.setdefault(each.run, len(runs)),
            topics.setdefault(each.topic, len(topics)),
            measures.setdefault(each.measure, len(measures)),
            numpy.nan if each.value is None else each.value,
            NO_MEAN if each.topics is None else each.topics,
        )
        for each in scores
    ]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(ARRAYS)
    arrays = {name: numpy.array(column, dtype=TYPES[name]) for name, column in zip(ARRAYS, columns, strict=True)}
    return from_arrays({"run": list(runs), "topic": list(topics), "measure": list(measures)}, arrays)


def from_arrays(names: Mapping[str, Sequence[str]], arrays: Mapping[str, Numbers]) -> ScoreColumns:
    """Return the scores with these names and columns, as `ScoreColumns.names` and `ScoreColumns.arrays` returned
    them.
    """
    return ScoreColumns(
        runs=tuple(names["run"]),
        topics=tuple(names["topic"]),
        measures=tuple(names["measure"]),
        **{name: arrays[name] for name in ARRAYS},
    )

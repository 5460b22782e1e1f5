"""Decides which rows and columns tables of scores have, their order, and how means are computed.

Every table of scores is decided here; pages, CSV and commands only write down the result: means over topics, and
rectangles (`ScoreTables`) in pandas frames: runs by measures, topics by measures, runs by topics. A line for each value
needs none of it (`scoring.release.score_lines`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isnan
from statistics import fmean
from typing import TYPE_CHECKING, Protocol, TypeVar

from scoring.records import Score
from scoring.release.score_columns import NO_MEAN, ScoreColumns, columns_of

if TYPE_CHECKING:
    import pandas

    from scoring.release.score_columns import Numbers

ALL = "all"
"""The name used for the topic of a mean over topics."""


def with_means(scores: Iterable[Score]) -> list[Score]:
    """Return the scores of single topics, then the mean of each run and measure as topic "all".

    Undefined values are left out of a mean. Its ``topics`` is the number of values that it covers. A mean of no values
    is None.
    """
    singles = [score for score in scores if score.topic != ALL]
    groups: dict[tuple[str, str], list[float]] = {}
    for score in singles:
        defined = groups.setdefault((score.run, score.measure), [])
        if score.value is not None:
            defined.append(score.value)
    return singles + [
        Score(run=run, topic=ALL, measure=measure, value=fmean(values) if values else None, topics=len(values))
        for (run, measure), values in groups.items()
    ]


# Rectangles. pandas is imported only when one is made, so that other code does not load it.


class Measure(Protocol):
    """The properties of a measure that decide where a table puts its column."""

    @property
    def key(self) -> str:
        """The name of the measure in scores."""

    @property
    def group(self) -> str:
        """The heading above its column, or ""."""

    @property
    def official(self) -> bool:
        """Whether it is an official measure."""


Known = TypeVar("Known", bound=Measure)


def in_columns(measures: Iterable[Known], *, official_first: bool = False) -> list[Known]:
    """Return the measures from left to right, with the measures of each group together, in the order in which groups
    first occur. With ``official_first``, official measures come first.
    """
    ordered = sorted(measures, key=lambda each: official_first and not each.official)
    groups = list(dict.fromkeys(each.group for each in ordered))
    return sorted(ordered, key=lambda each: groups.index(each.group))


def headings(measures: Sequence[Known]) -> list[tuple[str, int]]:
    """Return (heading, number of columns under it) for the groups of measures, from left to right. Return [] if no
    measure has a heading.
    """
    if not any(each.group for each in measures):
        return []
    return [(group, len(list(columns))) for group, columns in groupby(each.group for each in measures)]


@dataclass(frozen=True, slots=True)
class Cell:
    """A score in a table: ``value`` is None if undefined, and ``topics`` is the number of topics that a mean covers."""

    value: float | None
    topics: int | None


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A row of a table: the name of its run or topic, and its cells by column. There is no cell for a column without a
    score.
    """

    name: str
    cells: Mapping[str, Cell]

    def value(self, column: str) -> float | None:
        """Return the number in a column; None if it is undefined or there is no score."""
        cell = self.cells.get(column)
        return cell.value if cell is not None else None


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """A rectangle of scores: three frames with the same rows and columns.

    ``values`` are floats, with NaN if there is no number, and ``scored`` says where there is a score. A cell with a
    score but no number is *undefined*; a cell without a score is *absent*. Two frames are needed since pandas mostly
    treats NaN and NA alike. ``topics`` is the number of topics that a mean covers, and NaN for other values.
    """

    values: pandas.DataFrame
    scored: pandas.DataFrame
    topics: pandas.DataFrame

    @property
    def header(self) -> tuple[str, ...]:
        """The header. Its first entry says what a row is ("run" or "topic"); the names of the columns follow."""
        return (str(self.values.index.name), *self.values.columns)

    def rows(self) -> list[ScoreRow]:
        """Return the rows with the cells that have a score."""
        columns = list(self.values.columns)
        frames = (each.to_numpy().tolist() for each in (self.values, self.scored, self.topics))
        return [
            ScoreRow(
                name,
                {
                    column: Cell(_number(value), None if isnan(topics) else int(topics))
                    for column, value, is_scored, topics in zip(columns, *of_row, strict=True)
                    if is_scored
                },
            )
            for name, *of_row in zip(self.values.index, *frames, strict=True)
        ]

    def value_rows(self) -> Iterator[tuple[str | float | None, ...]]:
        """Yield the rows under `header` for CSV, with None in a cell without a number."""
        for name, values in zip(self.values.index, self.values.to_numpy().tolist(), strict=True):
            yield (name, *map(_number, values))

    def defined(self, column: str) -> dict[str, float]:
        """Return the rows with a number in this column, in their order; {} if there is no such column."""
        if column not in self.values.columns:
            return {}
        found = self.values[column].dropna()
        return dict(zip(found.index, found.tolist(), strict=True))

    def averages(self) -> list[float | None]:
        """Return the mean of each column over the rows that have a number in it; None if no row has one."""
        return [_number(value) for value in self.values.mean().tolist()]

    def part(self, *, rows: Iterable[str] | None = None, columns: Iterable[str] | None = None) -> ScoreTable:
        """Return only these rows and columns, in this order. Raises KeyError if the table does not have one."""
        at = (
            self.values.index if rows is None else _axis(str(self.values.index.name), rows),
            self.values.columns if columns is None else _axis(str(self.values.columns.name), columns),
        )
        return ScoreTable(self.values.loc[at], self.scored.loc[at], self.topics.loc[at])

    def without_empty(self, *, rows: bool = True) -> ScoreTable:
        """Return the table without those columns and rows that have no score at all. With ``rows`` False, only columns
        are removed.
        """
        kept = self.scored.columns[self.scored.any(axis=0)]
        return self.part(rows=self.scored.index[self.scored.any(axis=1)] if rows else None, columns=kept)

    def ordered(self, by: str, *, descending: bool) -> ScoreTable:
        """Return the table sorted by a column or, if it has no such column, by the rows' names.

        Rows with equal numbers stay in order. Rows without a number come last, in both directions.
        """
        if by in self.values.columns:
            found = self.values[by].sort_values(ascending=not descending, kind="stable", na_position="last").index
        else:
            found = self.values.index.sort_values(ascending=not descending)
        return self.part(rows=found)


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasureStanding:
    """One run's value compared with those of all runs. All fields except ``run`` are None if the run has no value.

    ``rank`` is the number of better runs plus 1, and ``sharing`` the number of runs with exactly this value, including
    this one. Both are None for a measure that does not rank runs.
    """

    run: str
    value: float | None = None
    difference: float | None = None
    rank: int | None = None
    sharing: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class StandingLine:
    """The results of some ``runs`` for one topic (or "all"), beside figures of all runs that have a value.

    These are the ``median``, the ``best`` value and their number (``count``). ``best`` is None for a measure that does
    not rank runs.
    """

    topic: str
    runs: tuple[MeasureStanding, ...]
    median: float | None
    best: float | None
    count: int


class ScoreTables:
    """All tables of some scores. ``runs`` and ``measures`` give the order of all runs and measures, scored or not.

    ``frame`` has a row for each score, in their order, with the columns run, topic, measure, value, topics. An
    undefined value is NaN, and so is the number of topics of a value that is not a mean. If there are two scores of one
    run, topic and measure, a table shows the last.
    """

    def __init__(self, scores: Iterable[Score], *, runs: Sequence[str], measures: Sequence[str]) -> None:
        import numpy
        import pandas

        self.runs, self.measures = tuple(runs), tuple(dict.fromkeys(measures))
        found = scores if isinstance(scores, ScoreColumns) else columns_of(scores)
        named = {name: _coded(getattr(found, name), names) for name, names in found.names.items()}
        topics = numpy.where(found.count == NO_MEAN, numpy.nan, found.count)
        self.frame = pandas.DataFrame({**named, "value": found.value, "topics": topics})

    @property
    def topics(self) -> list[str]:
        """The topics and series on which any run has a score, including "all", in the order of scoring."""
        return list(self.frame["topic"].cat.categories)

    @property
    def scored(self) -> int:
        """The number of runs that have a score, defined or not."""
        return int(self.frame["run"].nunique())

    def of_topic(self, topic: str = ALL) -> ScoreTable:
        """Return the table of runs by measures for one topic or series, or for the means, with all runs and all
        measures.
        """
        found = self.frame[self.frame["topic"] == topic]
        return _rectangle(found, _axis("run", self.runs), _axis("measure", self.measures))

    def of_run(self, run: str) -> ScoreTable:
        """Return the table of topics by measures for one run, with all measures. The topics are in the order of
        scoring.
        """
        found = self.frame[self.frame["run"] == run]
        return _rectangle(found, _axis("topic", found["topic"].unique()), _axis("measure", self.measures))

    def measured(self, runs: Collection[str]) -> dict[str, bool]:
        """Return measure -> whether there is a value on a single topic (or series), for these runs' defined values.

        A measure of which none of these runs has a defined value is left out.
        """
        found = self.frame[self.frame["run"].isin(list(runs)) & self.frame["value"].notna()]
        single = set(found["measure"][found["topic"] != ALL].unique())
        return {measure: measure in single for measure in found["measure"].unique()}

    def standings(
        self, runs: Sequence[str], *, ranking: Collection[str], in_full: Collection[str] | None = None
    ) -> dict[str, list[StandingLine]]:
        """Compare these runs with all runs. Return, for each measure, a line for each topic (or series, or "all") in
        the order of scoring.

        ``ranking`` are the measures that rank runs. Measures that are not ``in_full`` have the line of "all" alone, if
        they have means; by default all are.
        """
        import pandas

        frame = self.frame
        if in_full is not None:
            frame = frame[(frame["topic"] == ALL) | frame["measure"].isin(list(in_full))]
        pairs = pandas.MultiIndex.from_frame(frame[["measure", "topic"]].astype(object).drop_duplicates())
        every = _axis("run", dict.fromkeys([*self.runs, *runs]))
        values = _rectangle(frame, every, pairs).values
        theirs = _axis("run", runs)
        own = values.loc[theirs]
        medians = values.median()
        ranks, last = (values.rank(method=of_alike, ascending=False).loc[theirs] for of_alike in ("min", "max"))
        parts = zip(
            pairs,
            medians.tolist(),
            values.max().tolist(),
            values.count().tolist(),
            own.T.to_numpy().tolist(),
            (own - medians).T.to_numpy().tolist(),
            ranks.T.to_numpy().tolist(),
            (last - ranks + 1).T.to_numpy().tolist(),
            strict=True,
        )
        found: dict[str, list[StandingLine]] = {}
        for (measure, topic), median, best, count, *of_runs in parts:
            does_rank = measure in ranking
            line = StandingLine(
                topic=topic,
                runs=tuple(_standing(*each, does_rank=does_rank) for each in zip(runs, *of_runs, strict=True)),
                median=_number(median),
                best=_number(best) if does_rank else None,
                count=count,
            )
            found.setdefault(measure, []).append(line)
        return found


def _standing(
    run: str, value: float, difference: float, rank: float, sharing: float, *, does_rank: bool
) -> MeasureStanding:
    if isnan(value):
        return MeasureStanding(run=run)
    if not does_rank:
        return MeasureStanding(run=run, value=value, difference=difference)
    return MeasureStanding(run=run, value=value, difference=difference, rank=int(rank), sharing=int(sharing))


def _coded(places: Numbers, names: Sequence[str]) -> pandas.Categorical:
    """Return a categorical column of names, with categories in the order of first occurrence, since there are few names
    and each occurs often. Names that never occur are no categories.
    """
    import numpy
    import pandas

    seen = numpy.zeros(len(names), dtype=bool)
    seen[places] = True
    new = numpy.cumsum(seen) - 1
    categories = pandas.Index([name for name, is_seen in zip(names, seen, strict=True) if is_seen], dtype=object)
    return pandas.Categorical.from_codes(new[places], categories=categories)


def _axis(name: str, names: Iterable[str]) -> pandas.Index[str]:
    import pandas

    return pandas.Index(list(names), dtype=object, name=name)


def _keys(found: pandas.DataFrame, axis: pandas.Index[str]) -> pandas.Index[str]:
    """Return, for each score, its label on an axis of a table. The names of the axis are columns of ``found``."""
    import pandas

    keys = pandas.MultiIndex.from_frame(found[[str(name) for name in axis.names]].astype(object))
    return keys.get_level_values(0) if axis.nlevels == 1 else keys


def _rectangle(found: pandas.DataFrame, rows: pandas.Index[str], columns: pandas.Index[str]) -> ScoreTable:
    """Return a table with each score in its place. The names of the axes are columns of ``found``."""
    import numpy
    import pandas

    down, across = (axis.get_indexer(_keys(found, axis)) for axis in (rows, columns))
    inside = (down >= 0) & (across >= 0)
    at = down[inside], across[inside]
    shape = len(rows), len(columns)
    values, scored, topics = numpy.full(shape, numpy.nan), numpy.full(shape, False), numpy.full(shape, numpy.nan)
    values[at], scored[at] = found["value"].to_numpy()[inside], True
    topics[at] = found["topics"].to_numpy()[inside]
    return ScoreTable(*(pandas.DataFrame(cells, index=rows, columns=columns) for cells in (values, scored, topics)))


def _number(value: float) -> float | None:
    return None if isnan(value) else value

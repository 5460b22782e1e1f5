"""Scores as tables: means over topics, one row a run, CSV. pandas is imported where it is used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from math import isnan
from statistics import fmean
from typing import TYPE_CHECKING

from scoring.records import Score
from scoring.spreadsheets import csv_lines

if TYPE_CHECKING:
    import pandas


def with_means(scores: Iterable[Score]) -> list[Score]:
    """The scores of single topics, then for each run and measure the mean as topic "all".

    Undefined values are left out of a mean; ``topics`` says how many it covers. A mean of none is None.
    """
    singles = [score for score in scores if score.topic != "all"]
    groups: dict[tuple[str, str], list[float]] = {}
    for score in singles:
        defined = groups.setdefault((score.run, score.measure), [])
        if score.value is not None:
            defined.append(score.value)
    return singles + [
        Score(run=run, topic="all", measure=measure, value=fmean(values) if values else None, topics=len(values))
        for (run, measure), values in groups.items()
    ]


def wide_table(scores: Iterable[Score], *, topic: str = "all", measures: Sequence[str] = ()) -> pandas.DataFrame:
    """One row a run, one column a measure (in the order given, or of first sight), of one topic.

    Undefined and missing values are NaN. Rows are sorted by the first measure, best first, then by run.
    """
    import pandas

    rows: dict[str, dict[str, float | None]] = {}
    columns = dict.fromkeys(measures)
    for score in scores:
        if score.topic == topic and (not measures or score.measure in columns):
            rows.setdefault(score.run, {})[score.measure] = score.value
            columns[score.measure] = None
    names = list(columns)
    ordered = sorted(rows, key=lambda run: _best_first(run, rows[run].get(names[0]) if names else None))
    table = pandas.DataFrame(
        [[rows[run].get(name) for name in names] for run in ordered],
        index=pandas.Index(ordered, name="run", dtype=object),
        columns=pandas.Index(names, dtype=object),
    )
    return table.astype(float)


def topic_table(scores: Iterable[Score], *, measure: str) -> pandas.DataFrame:
    """One row a topic in order of first sight ("all" last), one column a run, of one measure."""
    import pandas

    cells: dict[str, dict[str, float | None]] = {}
    runs: dict[str, None] = {}
    for score in scores:
        if score.measure == measure:
            cells.setdefault(score.topic, {})[score.run] = score.value
            runs[score.run] = None
    topics = [topic for topic in cells if topic != "all"] + ["all"] * ("all" in cells)
    table = pandas.DataFrame(
        [[cells[topic].get(run) for run in runs] for topic in topics],
        index=pandas.Index(topics, name="topic", dtype=object),
        columns=pandas.Index(list(runs), dtype=object),
    )
    return table.astype(float)


def table_csv(table: pandas.DataFrame) -> str:
    """The table as CSV with LF line ends and six decimals; NaN is written as "undefined"."""
    header = [str(table.index.name), *map(str, table.columns)]
    rows = ([str(name), *map(_decimals, values)] for name, *values in table.itertuples(name=None))
    return "".join(csv_lines(header, rows))


def _decimals(value: float) -> Decimal | str:
    return "undefined" if isnan(value) else Decimal(f"{value:.6f}")


def _best_first(run: str, value: float | None) -> tuple[bool, float, str]:
    return (value is None, -(value or 0.0), run)

"""Scores as tables, one row a run, and the one writer of CSV that a person may open as a spreadsheet."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from math import isnan
from statistics import fmean
from typing import TYPE_CHECKING

from scoring.records import Score

if TYPE_CHECKING:
    import pandas


# A spreadsheet takes text for a formula where it begins with a sign, and where it begins decides the spreadsheet: after
# a line break inside a cell as well, and some read full-width signs like the plain ones. So every line of a text is
# guarded, not the first character alone, and every cell that holds a line break is quoted.
#
# Official formats (qrels, judgment files, run files) are read by programs and stay as they are: none of them is written
# here.

SIGNS = "=+-@\N{MINUS SIGN}\N{HEBREW LETTER ALTERNATIVE PLUS SIGN}⁺⁻⁼₊₋₌︲﹢﹣﹦﹫＋－＝＠"
"""What begins a formula, and all that Unicode's compatibility forms (NFKC) hold to be the same."""

_BREAKS = r"\r\n\v\f\x1c-\x1e\x85\u2028\u2029"
_UNSEEN = rf"(?:[^\S{_BREAKS}]|[\0\xad\u200b-\u200f\u2060-\u2064\ufeff])"
_FORMULA = re.compile(rf"(?:\A|(?<=[{_BREAKS}]))(?={_UNSEEN}*[{re.escape(SIGNS)}])|\A(?=[\t\r])")


def spreadsheet_cell(value: object) -> object:
    r"""A cell of CSV: a line of text that a spreadsheet would take for a formula gets an apostrophe in front, None is
    empty. Numbers stay numbers.

    >>> spreadsheet_cell("=1+1"), spreadsheet_cell(-0.5), spreadsheet_cell(None)
    ("'=1+1", -0.5, '')
    >>> spreadsheet_cell("kept\r＝1+1")
    "kept\r'＝1+1"
    """
    if isinstance(value, str):
        return _FORMULA.sub("'", value)
    return "" if value is None else value


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    r"""A header and rows as lines of CSV, each with the LF that ends it; cells are guarded by `spreadsheet_cell`.

    >>> list(csv_lines(("run", "note"), [("Elm", "two\rlines"), ("@x", None)]))
    ['run,note\n', 'Elm,"two\rlines"\n', "'@x,\n"]
    """
    writer = csv.writer(
        _Echo(), lineterminator="\r\n"
    )  # before Python 3.13, only characters of the line end are quoted
    yield _with_line_feed(writer.writerow([spreadsheet_cell(name) for name in header]))
    for row in rows:
        yield _with_line_feed(writer.writerow([spreadsheet_cell(value) for value in row]))


def _with_line_feed(line: str) -> str:
    return line.removesuffix("\r\n") + "\n"


class _Echo:
    """A file that gives back what is written to it."""

    def write(self, text: str) -> str:
        return text


# Scores as tables: means over topics, one row a run, CSV. pandas is imported where it is used.


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

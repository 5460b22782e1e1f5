"""Writes scores as lines, one for each value, in their order. Nothing is loaded for it, and nothing is decided."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from math import isnan

from scoring.records import Score
from scoring.release.score_columns import ScoreColumns

SCORE_COLUMNS = ("run", "topic", "measure", "value", "topics")
LINES_AT_ONCE = 1_000


def score_rows(scores: Iterable[Score]) -> Iterator[tuple[str, str, str, float | None, int | None]]:
    """Return a row of `SCORE_COLUMNS` for each score. ``value`` is None if undefined, and ``topics`` is None for a
    single topic.
    """
    return ((each.run, each.topic, each.measure, each.value, each.topics) for each in scores)


def value_lines(form: str, scores: Iterable[Score], marks: Mapping[str, int] | None = None) -> Iterator[str]:
    r"""Yield the lines that commands print. Each value is a line "run topic measure value" separated by tabs. As JSON,
    all values are one list, which is yielded as a single text.

    ``marks`` maps runs to the number of errors in their files. With it, each line has a last column errors:N, and each
    JSON object has a member "errors".

    >>> list(value_lines("tsv", [Score(run="Elm", topic="7", measure="F", value=None)], {"Elm": 2}))
    ['Elm\t7\tF\tundefined\terrors:2']
    """
    if form == "json":
        rows = (dict(zip(SCORE_COLUMNS, row, strict=True)) for row in score_rows(scores))
        marked = [row | ({} if marks is None else {"errors": marks.get(str(row["run"]), 0)}) for row in rows]
        yield json.dumps(marked, ensure_ascii=False, indent=1)
        return
    for run, topic, measure, value, _ in score_rows(scores):
        mark = "" if marks is None else f"\terrors:{marks.get(run, 0)}"
        yield f"{run}\t{topic}\t{measure}\t{shown_value(value)}{mark}"


def value_blocks(scores: ScoreColumns) -> Iterator[str]:
    """Yield texts of a thousand lines "run topic measure value" each, as `value_lines` writes them without ``marks``.

    This takes a third of the time.
    """
    import numpy

    bits, places = numpy.unique(scores.value.view("int64"), return_inverse=True)  # many values occur again and again
    texts = [shown_value(None if isnan(value) else value) for value in bits.view("float64").tolist()]
    named = (
        (scores.runs, scores.run),
        (scores.topics, scores.topic),
        (scores.measures, scores.measure),
        (texts, places),
    )
    lines = map("\t".join, zip(*(map(names.__getitem__, column.tolist()) for names, column in named), strict=True))
    while some := list(islice(lines, LINES_AT_ONCE)):
        yield "\n".join(some)


def shown_value(value: float | None) -> str:
    """Return the value with six decimals, or "undefined"."""
    return "undefined" if value is None else f"{value:.6f}"

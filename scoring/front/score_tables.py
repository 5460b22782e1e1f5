"""Reads and writes the scores that `rank`, `nuggets` and `tracks.score` return, in every form."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scoring.formats.value_tables import read_any_scores
from scoring.front.inputs import RUN, TOPIC
from scoring.front.rows import Column, rows_of, to_real, to_text
from scoring.front.sources import PathLike, called, frame_of, is_file, is_path, records_in, taken
from scoring.front.writing import require_path, write_rows
from scoring.records import Score
from scoring.release.score_lines import value_lines

if TYPE_CHECKING:
    import pandas


def _value(value: Any) -> float | None:
    """Return a score's value as a number, or None if it is undefined."""
    return None if value is None or value in ("", "undefined") or value != value else to_real(value)


COLUMNS = (
    replace(RUN, otherwise=None, has_place=True),
    TOPIC,
    Column(name="measure", others=("metric",), read=to_text),
    Column(name="value", others=("score",), read=_value),
)


def read_scores(scores: Any) -> pandas.DataFrame:
    """Read scores from rows, or from a file that `write_scores` or a command wrote. Return a frame with the columns
    run, topic, measure, value; undefined values are NaN. Raises InputError, or FileNotFoundError for a missing file.
    """
    return score_frame(scores_of(scores))


def scores_of(source: Any) -> list[Score]:
    """Return scores from a file, a frame, or rows. Raises InputError, or FileNotFoundError for a missing file."""
    what, source = called(source, "scores"), taken(named_columns(source), what="scores")
    if is_file(source):
        return list(records_in(source, read_any_scores))
    rows = [source] if isinstance(source, Mapping) else source
    return [
        Score(run=run, topic=topic, measure=measure, value=value)
        for run, topic, measure, value in rows_of(rows, COLUMNS, what=what, once=COLUMNS[:3])
    ]


def named_columns(source: Any) -> Any:
    """Return the frame in a file of JSON lines, or in a CSV file with a header. Return any other source unchanged.
    Raises InputError and FileNotFoundError as `frame_of` does.
    """
    plain = os.fspath(source).lower().removesuffix(".gz") if is_path(source) else ""
    if not plain.endswith((".jsonl", ".ndjson", ".csv")):
        return source
    import pandas

    texts = {"run": str, "topic": str, "measure": str}
    if not plain.endswith(".csv"):
        return frame_of(source, "JSON lines", pandas.read_json, lines=True, dtype=texts)
    frame = frame_of(source, "CSV", pandas.read_csv, dtype=texts)
    return frame if "run" in frame else source


def write_scores(scores: Any, path: PathLike) -> None:
    """Write the result of `rank`, `nuggets` or `tracks.score` in the form that the path's extension asks for, or as the
    commands of these names print it. Raises InputError, and TypeError if the second argument is no path.
    """
    require_path(path)
    found = scores_of(scores)
    rows = [(each.run, each.topic, each.measure, each.value) for each in found]
    write_rows(path, [column.name for column in COLUMNS], rows, value_lines("tsv", found))


def score_frame(scores: Iterable[Score]) -> pandas.DataFrame:
    """Return scores as a frame with the columns run, topic, measure, value."""
    import pandas

    rows = [(each.run, each.topic, each.measure, each.value) for each in scores]
    return pandas.DataFrame(rows, columns=["run", "topic", "measure", "value"])

"""Reads orders of runs for `correlate`: files, mappings, pairs, series and frames of runs and values."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scoring.formats.value_tables import read_means
from scoring.front.inputs import InputError, is_path, records_in, unpacked
from scoring.records import Issue

if TYPE_CHECKING:
    import pandas


def means_of(source: Any, *, what: str) -> dict[str, float]:
    """Return run -> value of one measure. Raises InputError or ValueError."""
    source = _score_table(source)
    is_series = hasattr(source, "items") and not hasattr(source, "columns")
    if isinstance(source, Mapping) or is_series:
        return _numbers(source.items(), what=what)
    if is_path(source):
        found = [(each.measure, each.run, each.value) for each in records_in(source, read_means)]
    elif not hasattr(source, "columns"):
        return _numbers(source, what=what)
    else:
        means = source[source["topic"] == "all"] if "topic" in source else source
        measures = means["measure"] if "measure" in means else [""] * len(means)
        run, value = _leaderboard_columns(means)
        found = list(zip(measures, means[run].astype(str), means[value], strict=True))
    if len({measure for measure, _, _ in found}) > 1:
        raise ValueError("There are several measures: give the rows of one.")
    return {run: value or 0.0 for _, run, value in found}


def _numbers(pairs: Any, *, what: str) -> dict[str, float]:
    """Return run -> value from pairs. Raises ValueError if these are no pairs of a run and a number."""
    try:
        return {str(run): float(value) for run, value in map(_pair, pairs)}
    except (TypeError, ValueError):
        message = "must give each run a number: run -> value, pairs of these, a frame, or the path of a file."
        raise ValueError(f"The {what} order {message}") from None


def _pair(row: Any) -> tuple[Any, Any]:
    """Return the two parts of a pair. Raises TypeError for anything else, also for a text of two letters."""
    if not isinstance(row, tuple | list):
        raise TypeError
    run, value = row
    return run, value


def _leaderboard_columns(frame: pandas.DataFrame) -> tuple[str, str]:
    """Return which columns hold the names of runs and their values. Raises InputError if that is not clear."""
    named = [name for name in ("run", "run_id", "tag", "system") if name in frame]
    numbers = ["value"] if "value" in frame else list(frame.select_dtypes("number").columns)
    if not named or len(numbers) != 1:
        message = "There must be a column run, run_id, tag or system, and value, or one other column of numbers."
        raise InputError(
            "frame",
            [Issue(where="", code="columns", message=f"{message} It has: {', '.join(map(str, frame.columns))}.")],
        )
    return named[0], str(numbers[0])


def _score_table(source: Any) -> Any:
    """Return the frame in a file of scores with named columns, as `write_scores` makes it; return anything else
    unchanged.
    """
    import pandas

    plain = os.fspath(source).lower().removesuffix(".gz") if is_path(source) else ""
    if plain.endswith((".jsonl", ".ndjson")):
        return pandas.read_json(source, lines=True, dtype={"run": str, "topic": str})
    frame = pandas.read_csv(source, dtype={"run": str, "topic": str}) if plain.endswith(".csv") else ()
    return frame if "run" in frame else unpacked(source)

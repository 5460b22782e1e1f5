"""Reads orders of runs for `correlate`: files, mappings, pairs, series and frames of runs and values, and lists."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scoring.formats.value_tables import read_means
from scoring.front.errors import refusal, warn_of
from scoring.front.rows import is_number
from scoring.front.score_tables import named_columns
from scoring.front.sources import called, is_file, is_series, only_counts, records_in, taken
from scoring.none_judged import runs_left_out
from scoring.wording import counted

if TYPE_CHECKING:
    import pandas


WANTED = "must give each run a number: run -> value, pairs of these, a frame, or the path of a file."


def means_of(source: Any, *, what: str) -> dict[str, float]:
    """Return run -> value of one measure, from the path of a file, a mapping, pairs, a series, a frame or a list.
    Raises InputError or ValueError, also where a run has no number or two.

    If only values are given, the runs are numbered in their order. If only names are given, they are in order from the
    best run to the worst.
    """
    named, source = called(source, what), _score_table(source, what=what)
    if is_file(source):
        found = [(each.measure, each.run, each.value) for each in records_in(source, read_means)]
    elif hasattr(source, "columns"):
        means = source[source["topic"] == "all"] if "topic" in source else source
        measures = means["measure"] if "measure" in means else [""] * len(means)
        run, value = _leaderboard_columns(means, what=named)
        found = list(zip(measures, means[run].astype(str), means[value], strict=True))
    else:
        has_names = isinstance(source, Mapping) or hasattr(source, "items")
        return _numbers(list(source.items()) if has_names else list(source), what=what)
    if len({measure for measure, _, _ in found}) > 1:
        message = "There are several measures: give the rows of one, as in frame[frame['measure'] == {measure!r}]."
        raise ValueError(message.format(measure=found[0][0]))
    return _numbers([(run, math.nan if value is None else value) for _, run, value in found], what=what)


def shared_runs(first: dict[str, float], second: dict[str, float]) -> set[str]:
    """Return the runs that are in both orders. Warns of runs that are in only one of them; raises ValueError if fewer
    than two are in both.
    """
    shared = first.keys() & second.keys()
    if len(shared) < 2:
        raise ValueError(f"The two have {counted(len(shared), 'run')} in common; two or more are needed for an order.")
    for what, order, other in (("first", first, "second"), ("second", second, "first")):
        warn_of(what, runs_left_out(order, shared, other=f"the {other}"))
    return shared


def _numbers(rows: list[Any], *, what: str) -> dict[str, float]:
    """Return run -> value, given (run, value) pairs, values alone, or names alone. Raises ValueError for
    anything else.
    """
    if rows and all(isinstance(row, str) for row in rows):
        rows = [(run, -place) for place, run in enumerate(rows)]
    elif rows and all(map(is_number, rows)):
        rows = [*enumerate(rows, 1)]
    try:
        pairs = [(str(run), float(value)) for run, value in map(_pair, rows)]
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"The {what} order {WANTED}") from None
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError(f"The {what} order has a run twice.")
    if without := [run for run, value in pairs if not math.isfinite(value)]:
        raise ValueError(f"The {what} order has no number for {without[0]}: its value is {values[without[0]]}.")
    return values


def require_alike(first: Any, second: Any) -> None:
    """Raise ValueError if both orders are lists of values alone and one list is longer, since such values are paired by
    place.
    """
    lengths = [len(each) for each in (first, second) if _are_values(each)]
    if len(lengths) == 2 and lengths[0] != lengths[1]:
        raise ValueError(f"The first has {lengths[0]} values and the second {lengths[1]}: give run -> value.")


def _are_values(source: Any) -> bool:
    is_row = isinstance(source, list | tuple) or (hasattr(source, "tolist") and not hasattr(source, "index"))
    is_row |= is_series(source) and only_counts(source)
    return is_row and not isinstance(next(iter(source), ""), str | tuple | list)


def _pair(row: Any) -> tuple[Any, Any]:
    """Return the two parts of a pair. Raises TypeError for anything but a tuple or list, so that a text of two letters
    is no pair.
    """
    if not isinstance(row, tuple | list):
        raise TypeError
    run, value = row
    return run, value


def _leaderboard_columns(frame: pandas.DataFrame, *, what: str) -> tuple[str, str]:
    """Return the names of two columns: the one that holds the runs' names and the one that holds their values. Raises
    InputError if that is not clear.
    """
    named = [name for name in ("run", "run_id", "tag", "system") if name in frame]
    numbers = ["value"] if "value" in frame else list(frame.select_dtypes("number").columns)
    if len(named) != 1 or len(numbers) != 1:
        message = "There must be one column run, run_id, tag or system, and value, or one other column of numbers."
        raise refusal(what, f"{message} It has: {', '.join(map(str, frame.columns))}.", code="columns")
    return named[0], str(numbers[0])


def _score_table(source: Any, *, what: str) -> Any:
    """Return the frame in a file of scores with named columns, such as `write_scores` makes. Return a list of names or
    a series of named values unchanged, a series that names no values as a list, and anything else as `taken` does.
    Raises ValueError for a source of another type.
    """
    source = named_columns(source)
    is_names = isinstance(source, list | tuple) and all(isinstance(each, str) and " " not in each for each in source)
    if is_series(source) and only_counts(source):
        return list(source)
    if is_names or is_series(source):
        return source
    try:
        return taken(source, what=what)
    except TypeError:
        raise ValueError(f"The {what} order {WANTED}") from None

"""`tracks.score(…)`: compute an evaluation's scores in Python, as `python -m tracks score` prints them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from scoring.commands.command_line import BadInput, Problems, WrongCall
from scoring.front.errors import InputError, sentence, warn_of
from scoring.front.score_tables import score_frame
from scoring.front.sources import PathLike, is_path
from scoring.reading.opening import CannotOpen
from scoring.records import Issue
from tracks.commands import score_runs

if TYPE_CHECKING:
    import pandas


def score(
    track: str,
    gold: PathLike | Iterable[PathLike],
    runs: PathLike | Iterable[PathLike] = (),
    *,
    task: str | None = None,
    topics: PathLike | Iterable[PathLike] = (),
    settings: Mapping[str, Any] | None = None,
) -> pandas.DataFrame:
    """Score runs by the rules of a track. Return a frame with the columns run, topic, measure, value.

    Each run's topics are followed by "all". ``track`` is one of the keys that `python -m tracks list` prints; ``gold``
    are the exported files or their folder. Raises InputError if a file can't be used, warns (InputWarning) if it is
    doubtful, and raises ValueError if the call is wrong: no such track, task or setting.
    """
    given = [f"{key}={value}" for key, value in (settings or {}).items()]
    options = argparse.Namespace(
        track=track, task=task, set=given, gold=_paths(gold), run=_paths(runs), topics=_paths(topics), docnos=None,
        explain=None, in_spite_of_errors=False,
    )  # fmt: skip
    problems = Problems()
    try:
        results = score_runs(options, problems)
    except (WrongCall, CannotOpen) as error:
        raise ValueError(sentence(error)) from error
    except BadInput as error:
        raise _input_error(problems, str(error)) from error
    if problems.bad_files:
        raise _input_error(problems, "")
    for path in (*options.gold, *options.run):
        warn_of(path, problems.issues(path, "warning"))
    return score_frame(results.scores)


def _paths(given: Any) -> list[str]:
    paths = [given] if is_path(given) else [] if hasattr(given, "columns") or isinstance(given, Mapping) else [*given]
    if not all(map(is_path, paths)) or (hasattr(given, "columns") or isinstance(given, Mapping)):
        message = "give the paths of files, or of folders; scoring.write_qrels and scoring.write_run write frames"
        raise TypeError(f"A track's rules read files: {message}.")
    return [os.fspath(each) for each in paths]


def _input_error(problems: Problems, files: str) -> InputError:
    """Return an InputError with the issues of the first file that has errors."""
    path = next(iter(problems.bad_files), files)
    message = "It can't be used."
    return InputError(path, problems.issues(path) or [Issue(where="", code="bad-file", message=message)])

"""`tracks.score(…)`: compute an evaluation's scores in Python, as `python -m tracks score` prints them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from assess.protocol import Track
from scoring.commands.command_line import BadInput, Problems, WrongCall
from scoring.formats.trec_run import write_trec_run
from scoring.front.calls import write_qrels
from scoring.front.errors import InputError, sentence, warn_of
from scoring.front.inputs import runs_of
from scoring.front.score_tables import score_frame
from scoring.front.sources import PathLike, is_line, is_path
from scoring.front.writing import require_readable
from scoring.measures.ranked import by_rank
from scoring.reading.opening import CannotOpen
from scoring.records import Issue, RankedDoc
from tracks.calls import track_of
from tracks.commands import score_runs

if TYPE_CHECKING:
    import pandas

QRELS = "qrels.txt"
"""The name under which tracks know qrels."""


def score(
    track: PathLike,
    gold: Any,
    runs: Any = (),
    *,
    task: str | None = None,
    topics: PathLike | Iterable[PathLike] = (),
    settings: Mapping[str, Any] | None = None,
) -> pandas.DataFrame:
    """Score runs by the rules of a track. Return a frame with the columns run, topic, measure, value.

    The rows of each run are those of topics, then of "all". ``track`` is a key, as `python -m tracks list` prints them,
    or the path of a design; ``gold`` are the exported files or their folder. Where a track's gold is qrels and its runs
    are rankings, both may also be whatever `scoring.rank` takes: frames, mappings, rows, open files; elsewhere they
    raise TypeError. Raises InputError if a file can't be used, warns (InputWarning) if it is doubtful, and raises
    ValueError if the call is wrong: no such file, track, task or setting.
    """
    given = [f"{key}={_written_value(value)}" for key, value in (settings or {}).items()]
    options = argparse.Namespace(
        track=os.fspath(track), task=task, set=given, gold=[], run=[], topics=_paths(topics), docnos=None,
        explain=None, in_spite_of_errors=False,
    )  # fmt: skip
    problems = Problems()
    with TemporaryDirectory(prefix="assay-") as folder:
        named = {"--gold": "gold"}
        try:
            found = track_of(options)
            options.gold = _paths(gold) or [_written_gold(found, gold, Path(folder), named)]
            options.run = _paths(runs) or _written_runs(found, runs, Path(folder), named)
            results = score_runs(options, problems)
        except (WrongCall, CannotOpen) as error:
            raise ValueError(sentence(error)) from error
        except BadInput as error:
            raise _input_error(problems, str(error), named) from error
        if problems.bad_files:
            raise _input_error(problems, "", named)
        for path in problems.files:
            warn_of(named.get(path, path), problems.issues(path, "warning"))
    return score_frame(results.scores)


def _written_value(value: Any) -> str:
    """Return a setting's value as `--set` takes it: several values with commas between."""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _paths(given: Any) -> list[str]:
    """Return the path or paths that are given. Return [] if anything else is given, even among paths."""
    several = [given] if is_path(given) else given if isinstance(given, list | tuple | set) else ()
    return [os.fspath(each) for each in several] if all(is_path(each) and not is_line(each) for each in several) else []


def _written_gold(track: Track, gold: Any, folder: Path, named: dict[str, str]) -> str:
    """Write what was given as qrels into the folder, and return the path. ``named`` gets the name that errors give it.
    Raises TypeError for a track whose gold is no qrels.
    """
    if QRELS not in {each.name for each in track.exports}:
        names = ", ".join(each.name for each in track.exports)
        raise TypeError(f"The gold of {track.key} is no qrels. Give the paths of its files, or their folder: {names}.")
    path = folder / QRELS
    write_qrels(gold, path)
    named[str(path)] = "gold"
    return str(path)


def _written_runs(track: Track, runs: Any, folder: Path, named: dict[str, str]) -> list[str]:
    """Write the runs that were given into the folder, each into a file of its own, and return their paths. ``named``
    gets the names that errors give them. Raises TypeError for a track whose runs are no rankings.
    """
    if isinstance(runs, tuple | list) and not runs:
        return []
    if not any(each.rankings and each.convert is None for each in track.submissions):
        raise TypeError(f"Runs of {track.key} are files of its own form. Give their paths.")
    paths = []
    for number, (name, rankings) in enumerate(runs_of(runs), 1):
        path = folder / f"run-{number}.txt"
        rows = ((topic, docno, score) for topic, found in rankings.items() for docno, score in found.items())
        lines = (RankedDoc(topic=topic, docno=docno, rank=0, score=score, run=name) for topic, docno, score in rows)
        ranked = list(by_rank(lines))
        require_readable(name, ranked)
        path.write_text("".join(f"{line}\n" for line in write_trec_run(ranked)), encoding="utf-8")
        named[str(path)] = name
        paths.append(str(path))
    return paths


def _input_error(problems: Problems, files: str, named: Mapping[str, str]) -> InputError:
    """Return an InputError with the errors of the first file that has any. If none has, it names ``files``."""
    path = next(iter(problems.bad_files), files)
    message = "It can't be used."
    issues = problems.issues(path) or [Issue(where="", code="bad-file", message=message)]
    return InputError(named.get(path, path), issues)

"""Reads the tables of a release as pandas frames."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TextIO

from scoring.front.errors import refusal
from scoring.front.sources import PathLike
from scoring.reading.json_reading import parse_json
from scoring.release.release_descriptions import COLUMNS
from scoring.release.release_tables import UNDEFINED
from scoring.release.releases import AGREEMENT, MEANS, SCORES, BadRelease, Release, check_file, open_release

if TYPE_CHECKING:
    import pandas

SCORE_COLUMNS = ("topic", "measure", "value", "topics")
TABLES = {
    MEANS: ("run", "measure", "value", "topics"),
    AGREEMENT: ("criterion", "roles", "measure", "value", "items"),
}

KINDS: dict[str, Callable[[str], Any]] = {
    "value": lambda text: math.nan if text == UNDEFINED else float(text),
    "topics": lambda text: int(text) if text else None,
    "items": int,
}
DTYPES = {"value": "float64", "topics": "Int64", "items": "Int64"}


def read_release(release: PathLike) -> dict[str, pandas.DataFrame]:
    """Read the tables of a release in a folder or a zip. Return name -> frame. Each file that is read has to be the
    one of the manifest; nothing is computed again, which `verify` does.

    Names are "topics", "judgments" (a row for each act, with all columns that any act has), "items", "pools", "work",
    "scores" (run, topic, measure, value, topics), "means" and "agreement". A table without rows is an empty frame.
    Numbers of topics are text. Raises InputError if there is no release, or if one of its files
    was changed or can't be read.
    """
    try:
        with open_release(Path(release)) as opened:
            return {PurePosixPath(name).stem: _records(opened, name) for name in COLUMNS} | {
                "scores": _scores(opened),
                **{PurePosixPath(name).stem: _columns(opened, name, columns) for name, columns in TABLES.items()},
            }
    except (BadRelease, OSError, ValueError, OverflowError) as error:
        raise refusal(os.fspath(release), str(error), code="no-release") from error


def _records(release: Release, name: str) -> pandas.DataFrame:
    import pandas

    if name not in release.files:
        return pandas.DataFrame(columns=list(COLUMNS[name]))
    rows: list[dict[str, Any]] = []
    with _open_checked(release, name) as file:
        for number, line in enumerate(file, 1):
            row = parse_json(line)
            if not isinstance(row, dict):
                raise ValueError(f"{name}, line {number:,}: this is no JSON object")
            rows.append(row)
    return pandas.DataFrame(rows, columns=None if rows else list(COLUMNS[name]))


def _open_checked(release: Release, name: str) -> TextIO:
    """Open a file of the release. Raise ValueError if it is not the one that the manifest names."""
    status, said = check_file(release, name)
    if status != "ok":
        raise ValueError(f"{name}: {said}. `python -m scoring verify` says what else is wrong with the release")
    return release.path(name).open(encoding="utf-8", newline="\n")


def _scores(release: Release) -> pandas.DataFrame:
    import pandas

    frames = [
        _columns(release, name, SCORE_COLUMNS).assign(run=PurePosixPath(name).stem)
        for name in sorted(release.files, key=lambda name: (len(name), name))
        if name.startswith(f"{SCORES}/") and name != MEANS
    ]
    empty = pandas.DataFrame(columns=["run", *SCORE_COLUMNS])
    return pandas.concat(frames, ignore_index=True)[["run", *SCORE_COLUMNS]] if frames else empty


def _columns(release: Release, name: str, columns: tuple[str, ...]) -> pandas.DataFrame:
    import pandas

    rows = []
    if name in release.files:
        with _open_checked(release, name) as file:
            for number, line in enumerate(file, 1):
                cells = line.removesuffix("\n").split("\t")
                try:
                    rows.append([KINDS.get(each, str)(cell) for each, cell in zip(columns, cells, strict=True)])
                except ValueError as error:
                    raise ValueError(f"{name}, line {number:,}: {', '.join(columns)} should stand there") from error
    frame = pandas.DataFrame(rows, columns=list(columns))
    return frame.astype({each: kind for each, kind in DTYPES.items() if each in columns})

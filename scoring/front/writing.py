"""Writes qrels, runs and scores in the form that the path's extension asks for, if they can be read back from it."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Any

from scoring.extras import COLLECTIONS, importing
from scoring.formats.spec import whole_value
from scoring.front.errors import InputError, refusal
from scoring.front.sources import PARQUET, PathLike, is_path
from scoring.reading.opening import excerpt_of
from scoring.records import Qrel, RankedDoc
from scoring.spreadsheets import csv_lines, spreadsheet_cell

CSV, JSON_LINES, TABS = ".csv", (".jsonl", ".ndjson"), ".tsv"
OTHERS = (
    *(".json", ".xlsx", ".xls", ".ods", ".feather", ".arrow", ".ipc", ".orc", ".avro", ".xml", ".html"),
    *(".pkl", ".pickle", ".npy", ".h5", ".hdf5", ".db", ".sqlite"),
    *(".zip", ".7z", ".rar", ".tar", ".tgz", ".bz2", ".xz", ".zst", ".lz4"),
)
"""Ends of names that promise a form that is not written here."""


def write_rows(
    path: PathLike,
    columns: Sequence[str],
    rows: list[tuple[Any, ...]],
    lines: Iterable[str],
    *,
    json_lines: Iterable[str] | None = None,
    parquet: Callable[[], bytes] | None = None,
) -> None:
    """Write the rows under the columns' names if the path's extension asks for a table, otherwise write the lines.

    ``json_lines`` and ``parquet`` replace the rows in these two forms. Raises InputError for a form that is not written
    here, and for a text in .csv that a spreadsheet would take for a formula.
    """
    name = os.fspath(path)
    end, is_packed = _end(name)
    if end in OTHERS or (end == PARQUET and is_packed):
        found = f"{end}.gz" if end == PARQUET else end
        told = (
            f"Nothing here writes {found}. Write .csv, .jsonl or .parquet, or .txt for lines; .gz may follow all but "
        )
        raise _refused(name, "", f"{told}.parquet.")
    if end == PARQUET:
        import pandas

        with importing(COLLECTIONS):
            import pyarrow  # noqa: F401
        content = pandas.DataFrame(rows, columns=list(columns)).to_parquet(index=False) if not parquet else parquet()
    elif end == CSV:
        for number, row in enumerate(rows, 1):
            if formulas := [cell for cell in row if cell is not None and spreadsheet_cell(cell) != cell]:
                shown = excerpt_of(repr(formulas[0]))
                told = f"A spreadsheet takes {shown} for a formula. Write .jsonl or .parquet."
                raise _refused(name, f"row {number} of the file", told, code="formula")
        content = "".join(csv_lines(columns, rows)).encode()
    else:
        if end in JSON_LINES:
            objects = (json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) for row in rows)
            lines = objects if json_lines is None else json_lines
        elif end == TABS:
            lines = ("\t".join(line.split()) if "\t" not in line else line for line in lines)
        content = "".join(f"{line}\n" for line in lines).encode()
    Path(path).write_bytes(gzip.compress(content, mtime=0) if is_packed else content)


def require_path(path: object) -> None:
    """Raise TypeError if what should be the path of the file to write is none: perhaps the arguments are swapped."""
    if not is_path(path):
        raise TypeError(f"The second argument is the path of the file to write, not {type(path).__name__}.")


def require_readable(path: PathLike, records: Sequence[Qrel | RankedDoc]) -> None:
    """Raise InputError for records that could not be read back: no records at all, a document twice, several runs in
    one file, a grade out of bounds, or a topic, docno or run that is not one word.
    """
    name = os.fspath(path)
    if not records:
        raise _refused(name, "", "There is nothing to write.")
    if len(runs := {each.run for each in records if isinstance(each, RankedDoc)}) > 1:
        shown = ", ".join(sorted(runs)[:3])
        raise _refused(name, "", f"There are {len(runs)} runs ({shown}), and one file holds one. Write each by itself.")
    for each in records:
        where = f"topic {excerpt_of(each.topic)}, docno {excerpt_of(each.docno)}"
        for word in (each.topic, each.docno, each.run if isinstance(each, RankedDoc) else each.iteration):
            if [word] != word.split() or word.startswith("\ufeff") or "\0" in word:
                told = f"{excerpt_of(repr(word))} is not one word, so it could not be read again. Write it as one."
                raise _refused(name, where, told, code="value")
        if isinstance(each, Qrel) and whole_value(str(each.grade)) is None:
            raise _refused(name, where, f"The grade {each.grade} is out of bounds.", code="value")
    has_columns = _end(name)[0] in (CSV, *JSON_LINES, PARQUET)
    keys = sorted((each.topic, each.docno, each.iteration if isinstance(each, Qrel) else "") for each in records)
    for one, other in pairwise(keys):
        if one == other or (one[:2] == other[:2] and has_columns):
            told = f"Document {excerpt_of(repr(one[1]))} of topic {excerpt_of(repr(one[0]))} is there twice. "
            told += "Keep one." if one == other else "Write judgments of subtopics in TREC's columns, as .txt."
            raise _refused(name, "", told, code="duplicate")


def _end(name: str) -> tuple[str, bool]:
    """Return (extension of a name without .gz, in lower case; whether the name ends in .gz)."""
    plain = name.lower().removesuffix(".gz")
    return PurePath(plain).suffix, plain != name.lower()


def _refused(name: str, where: str, message: str, *, code: str = "form") -> InputError:
    return refusal(name, message, where=where, code=code)

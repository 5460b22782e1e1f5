"""Reads and writes the judgments of a campaign, act by act: JSON lines, CSV and Parquet hold the same members.

A member that an act lacks is an empty cell. In CSV, lists and objects are written as JSON. In Parquet the columns are
those of a release's judgments.parquet, in which `mark` holds the value of a match.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from scoring.formats import judgments_jsonl
from scoring.front.errors import InputError, refusal
from scoring.front.rows import names_in
from scoring.front.sources import PathLike, called, frame_of, is_file, is_path, records_in, taken
from scoring.front.writing import require_path, write_rows
from scoring.reading.json_reading import Flaw, parse_json
from scoring.records import Issue
from scoring.release.judgment_table import LISTS, TEXTS, WHOLE, judgment_bytes
from scoring.release.recorded_acts import RecordedAct

if TYPE_CHECKING:
    import pandas

MEMBERS = tuple(name for name in (*TEXTS[:8], "value", "number", *TEXTS[9:], "version", *LISTS) if name != "mark")
"""The members of acts, in the order of columns."""

OBJECTS = ("given", "fields")
OF_ITEMS = ("judge", "find_answer", "class", "match", "review")
"""Acts on an item. Their docno and answer are written even if they are empty."""


def read_judgments(judgments: Any) -> pandas.DataFrame:
    """Read the judgments of a campaign from judgments.jsonl, from the same as CSV or Parquet, or from rows. Return a
    frame with one row for each act, in order, and one column for each member that any act has. Raises InputError, or
    FileNotFoundError for a missing file.
    """
    import pandas

    rows = [_members(judgments_jsonl.act_line(act)) for act in acts_of(judgments)]
    found = set().union(*rows)
    return pandas.DataFrame(rows, columns=[name for name in MEMBERS if name in found])


def write_judgments(judgments: Any, path: PathLike) -> None:
    """Write the judgments of a campaign as CSV or Parquet if the path has that extension, otherwise as JSON lines. They
    are in the order of exports.

    The path may end with `.gz`, except for Parquet. Raises InputError if anything given is not a judgment.
    """
    require_path(path)
    lines = list(judgments_jsonl.write_judgments(acts_of(judgments)))
    rows = [_members(line) for line in lines]
    found = set().union(*rows)
    columns = [name for name in MEMBERS if name in found]
    cells = [tuple(_cell(row.get(name)) for name in columns) for row in rows]
    write_rows(path, columns, cells, lines, json_lines=lines, parquet=lambda: _table(lines))


def acts_of(source: Any) -> Iterator[RecordedAct]:
    """Yield the acts in a file, a frame, or rows. Raises InputError if there are none, if the file can't be read, or if
    anything is not an act; the error names its line or row. Raises FileNotFoundError for a missing file.
    """
    what = called(source, "judgments")
    if is_path(source) and os.fspath(source).lower().removesuffix(".gz").endswith(".csv"):
        import pandas

        source = frame_of(source, "CSV", pandas.read_csv, dtype=str, keep_default_na=False)
    source = taken(source, what="judgments")
    if is_file(source):
        yield from records_in(source, judgments_jsonl.read_judgments)
        return
    rows = source.to_dict("records") if hasattr(source, "columns") else source
    found = [_act(number, row) for number, row in enumerate(rows, 1)]
    if issues := [each for each in found if isinstance(each, Issue)]:
        raise InputError(what, issues)
    if not found:
        raise refusal(what, "There is nothing in it that could be used.", code="empty")
    yield from (each for each in found if not isinstance(each, Issue))


def _members(line: str) -> dict[str, Any]:
    return cast(dict[str, Any], parse_json(line))


def _act(number: int, row: Any) -> RecordedAct | Issue:
    if not names_in(row):
        return Issue(where=f"row {number}", code="record", message="A row is a mapping of an act's members.")
    members = {str(name): _member(str(name), value) for name, value in dict(row).items() if not _is_missing(value)}
    if "mark" in members:
        members["value"] = members.pop("mark")
    if members.get("do") in OF_ITEMS:
        members = {"docno": "", "answer": "", **members}
    if members.get("do") == "judge":
        members.setdefault("value", None)
    act = judgments_jsonl.parse_judgment(number, json.dumps(members, default=str))
    return replace(act, where=f"row {number}") if isinstance(act, Issue) else act


def _is_missing(value: Any) -> bool:
    """Return whether a cell of a frame is empty. The act then does not have this member."""
    return value is None or (isinstance(value, str) and value == "") or (isinstance(value, Real) and value != value)


def _member(name: str, value: Any) -> Any:
    """Return a cell as the value of an act's member. Whole numbers may have any numeric type, and lists and objects may
    be written as JSON.
    """
    if isinstance(value, str):
        if name in LISTS or name in OBJECTS or name in WHOLE:
            found = parse_json(value)
            return value if isinstance(found, Flaw) else found
        return value
    return _inside(value)


def _inside(value: Any) -> Any:
    """Return a value with whole numbers as int, whatever their numeric type, and without members that are null
    or NaN.
    """
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, dict):
        return {name: _inside(each) for name, each in value.items() if each is not None and each == each}
    if isinstance(value, list | tuple):
        return [_inside(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _table(lines: list[str]) -> bytes:
    """Return the bytes of the Parquet table that a release makes of these lines."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "judgments.jsonl"
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return b"".join(judgment_bytes(file))

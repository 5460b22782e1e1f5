"""Writes judgments.jsonl as a table for tools that read columns, and compares such a table with the lines.

    judgments.parquet    a row for each line of exports/judgments.jsonl, in its order; a column for each member

The columns have the names of the members, and are null where a line has no such member. A grade is a whole number in
`value`; what a match says there (partial, none) is in `mark`, since a column has one type. Snippets, sources, orders
and refused drafts are lists; `given` and `fields`, whose members are each campaign's own, are JSON. The same lines give
the same bytes with one version of pyarrow. Memory holds `ROWS` rows, which are also a row group.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from scoring.reading.arrow_columns import arrow_column
from scoring.reading.json_reading import Flaw, parse_json

ROWS = 10_000
TEXTS = (
    *("topic", "do", "by", "role", "criterion", "docno", "answer", "key"),
    *("mark", "nugget", "importance", "text", "group", "class", "note", "quote", "draft", "how", "given", "fields"),
)
"""The members that are texts, or are written as one."""

WHOLE = ("value", "number", "version")
LISTS = {
    "order": ("whole", ()),
    "evidence": ("quote label", ("start", "value")),
    "sources": ("docno quote", ()),
    "refused": ("by text", ("number",)),
}
"""The members that are lists: of whole numbers, or of objects with these texts and whole numbers."""

_JSON = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


def judgment_schema() -> Any:
    """Return the columns as a pyarrow schema."""
    import pyarrow

    text, whole = pyarrow.string(), pyarrow.int64()
    columns = [(name, text) for name in TEXTS] + [(name, whole) for name in WHOLE]
    for name, (texts, numbers) in LISTS.items():
        parts = [(part, text) for part in texts.split()] + [(part, whole) for part in numbers]
        inside = whole if name == "order" else pyarrow.struct(parts)
        columns.append((name, pyarrow.list_(pyarrow.field("element", inside))))
    return pyarrow.schema(columns)


def judgment_tables(lines: Path) -> Iterator[Any]:
    """Yield the rows of a file of lines as pyarrow tables of `ROWS` rows, the last of fewer.

    Raises ValueError or TypeError for lines that are no objects, or whose members have other types.
    """
    import pyarrow

    schema = judgment_schema()
    with lines.open(encoding="utf-8", newline="\n") as file:
        while rows := [_row(line) for line in islice(file, ROWS)]:
            columns = _columns(rows)
            yield pyarrow.Table.from_arrays(
                [
                    arrow_column(columns[field.name], field.type)
                    if field.name in columns
                    else pyarrow.nulls(len(rows), field.type)
                    for field in schema
                ],
                schema=schema,
            )


def _row(line: str) -> dict[str, Any]:
    row = parse_json(line)
    if not isinstance(row, dict):
        raise ValueError(row.message if isinstance(row, Flaw) else "a line is no JSON object")
    return row


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return the values of each member that some row has, row by row."""
    for row in rows:
        if "value" in row and row["do"] == "match":
            row["mark"] = row.pop("value")
        for name in ("given", "fields"):
            if name in row:
                row[name] = _JSON(row[name])
    return {name: [row.get(name) for row in rows] for name in set().union(*rows)}


class _Sink:
    """A file for pyarrow whose bytes are taken away piece by piece."""

    closed = False

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._written = 0

    def write(self, piece: bytes) -> int:
        """Take some bytes."""
        self._pieces.append(bytes(piece))
        self._written += len(piece)
        return len(piece)

    def tell(self) -> int:
        """Return how many bytes were written."""
        return self._written

    def flush(self) -> None:
        """Do nothing, as all bytes are here."""

    def close(self) -> None:
        """Take no more bytes."""
        self.closed = True

    def taken(self) -> list[bytes]:
        """Return what was written since the last call."""
        pieces, self._pieces = self._pieces, []
        return pieces


def judgment_bytes(lines: Path) -> Iterator[bytes]:
    """Yield the bytes of the table of a file of lines, piece by piece."""
    import pyarrow
    import pyarrow.parquet

    sink = _Sink()
    with (
        pyarrow.PythonFile(sink, mode="w") as target,
        pyarrow.parquet.ParquetWriter(target, judgment_schema(), compression="zstd", store_schema=False) as writer,
    ):
        for table in judgment_tables(lines):
            writer.write_table(table, row_group_size=ROWS)
            yield from sink.taken()
    yield from sink.taken()


def table_difference(table: Path, lines: Path) -> str:
    """Return what differs first between a table and the one that these lines give; "" if they say the same.

    Another version of pyarrow may write other bytes for it, so rows are compared. Raises ModuleNotFoundError if pyarrow
    is not installed, and for lines what `judgment_tables` raises.
    """
    import pyarrow

    try:
        return _difference(table, lines)
    except pyarrow.ArrowException as error:
        return f"it can't be read as such a table: {str(error).splitlines()[0]}"


def _difference(table: Path, lines: Path) -> str:
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(table) as file:
        if file.schema_arrow.remove_metadata() != judgment_schema():
            return "its columns are not those of such a table"
        groups, before = 0, 0
        for groups, again in enumerate(judgment_tables(lines), start=1):
            if groups > file.num_row_groups or file.metadata.row_group(groups - 1).num_rows != again.num_rows:
                return f"after row {before:,}: it has other rows than the file of lines"
            for name in again.column_names:
                found = file.read_row_group(groups - 1, columns=[name], use_threads=False).column(0)
                if found != again.column(name):
                    return f"rows {before + 1:,} to {before + again.num_rows:,}: {name} differs from the file of lines"
            before += again.num_rows
        return "" if groups == file.num_row_groups else f"after row {before:,}: it has rows that no line gives"

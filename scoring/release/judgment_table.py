"""Writes judgments.jsonl as a table for tools that read columns, and compares such a table with the lines.

    judgments.parquet    a row for each line of exports/judgments.jsonl, in its order; a column for each member

The columns have the names of the members, and are null where a line has no such member. A grade is a whole number in
`value`; what a match says there (partial, none) is in `mark`, since a column has one type. Snippets, sources, orders
and refused drafts are lists; `given` and `fields`, whose members are each campaign's own, are JSON. The same lines give
the same bytes with one version of pyarrow. Memory holds `ROWS` rows, which are also a row group.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from scoring.formats.written_acts import MATCH, verb_of
from scoring.reading.arrow_columns import arrow_column
from scoring.reading.json_reading import Flaw, parse_json

# With its own allocator, pyarrow keeps 35 MB of memory after a table. It reads this setting once, when it is loaded.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

TOGETHER = 100
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

_ITEM = "by topic role do docno answer key"
FREQUENT = {
    "judge": f"{_ITEM} criterion value note evidence draft order version how",
    "match": f"{_ITEM} nugget quote value draft",
    "review": _ITEM,
    "vote": "by topic role do number importance",
}
"""The verbs that may have hundreds of thousands of lines, and the members of such a line. The member ``given`` is left
out.
"""

_JSON = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


@cache
def judgment_schema() -> Any:
    """Return the columns of judgments.parquet as a pyarrow schema."""
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

    Raises ValueError, TypeError or AttributeError if a line is not an object, or if a member has a type that does not
    fit its column.
    """
    import pyarrow

    with lines.open("rb") as file:
        while block := list(islice(file, ROWS)):
            yield pyarrow.concat_tables([_table(verb, same) for verb, same in _by_verb(block)]).combine_chunks()


def _by_verb(lines: list[bytes]) -> Iterator[tuple[str, list[bytes]]]:
    """Yield the lines that follow one another with the same verb, as `verb_of` finds it.

    The lines of a release are sorted. So a hundred lines in a row mostly have one verb, and counting it shows that they
    do.
    """
    verbs: list[str] = []
    for start in range(0, len(lines), TOGETHER):
        some = lines[start : start + TOGETHER]
        text, verb = b"".join(some), verb_of(some[0])
        is_only = text.count(f'"do": "{verb}"'.encode()) == text.count(b'"do": ') == len(some)
        verbs += [verb] * len(some) if is_only else map(verb_of, some)
    for verb, same in groupby(zip(verbs, lines, strict=True), key=itemgetter(0)):
        yield verb, [line for _, line in same]


def _table(verb: str, lines: Sequence[bytes]) -> Any:
    """Return a pyarrow table of these lines, all of which have this verb (as found by `verb_of`)."""
    import pyarrow

    schema, found = judgment_schema(), _read_by_arrow(verb, lines)
    if found is None:
        rows = [_row(line.decode()) for line in lines]
        columns = _columns(rows)
        found = {each.name: arrow_column(columns[each.name], each.type) for each in schema if each.name in columns}
    others = {field.name: pyarrow.nulls(len(lines), field.type) for field in schema if field.name not in found}
    return pyarrow.Table.from_pydict(found | others, schema=schema)


def _read_by_arrow(verb: str, lines: Sequence[bytes]) -> dict[str, Any] | None:
    """Return the columns of these lines as pyarrow's own JSON reader finds them, which takes a fifth of the time of
    reading them one by one. Return None if that reader would read a line otherwise than Python, or if a member has no
    column.

    One difference is accepted: only pyarrow's reader takes whole numbers of 19 digits. No line of a release has them.
    """
    import pyarrow
    import pyarrow.json

    if verb not in FREQUENT or not all(line.startswith(b"{") for line in lines):
        return None
    text = b"".join(lines)
    text.decode()  # which that reader does not try
    if b"\\u" in text:
        return None
    try:
        found = pyarrow.json.read_json(
            pyarrow.BufferReader(text),
            pyarrow.json.ReadOptions(use_threads=False, block_size=len(text) + 1),
            pyarrow.json.ParseOptions(explicit_schema=_members_of(verb), unexpected_field_behavior="error"),
        )
    except pyarrow.ArrowInvalid:
        return None
    if found.num_rows != len(lines):
        return None
    named = "mark" if verb == MATCH else "value"
    return {named if name == "value" else name: found.column(name) for name in found.column_names}


@cache
def _members_of(verb: str) -> Any:
    """Return a pyarrow schema of the members that lines with this verb have."""
    import pyarrow

    schema = judgment_schema()
    fields = [schema.field(name) for name in FREQUENT[verb].split()]
    return pyarrow.schema(
        [
            pyarrow.field("value", pyarrow.string()) if each.name == "value" and verb == MATCH else each
            for each in fields
        ]
    )


def _row(line: str) -> dict[str, Any]:
    row = parse_json(line)
    if not isinstance(row, dict):
        raise ValueError(row.message if isinstance(row, Flaw) else "a line is no JSON object")
    return row


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return, for each member that any row has, its values row by row. The value of a match becomes its ``mark``. The
    rows are changed.
    """
    for row in rows:
        if "value" in row and row.get("do") == "match":
            row["mark"] = row.pop("value")
        for name in ("given", "fields"):
            if name in row:
                row[name] = _JSON(row[name])
    return {name: [row.get(name) for row in rows] for name in set().union(*rows)}


class _Sink:
    """A file that pyarrow writes to. The caller takes the bytes away piece by piece."""

    closed = False

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._written = 0

    def write(self, piece: bytes) -> int:
        """Store some bytes, and return their number."""
        self._pieces.append(bytes(piece))
        self._written += len(piece)
        return len(piece)

    def tell(self) -> int:
        """Return how many bytes were written."""
        return self._written

    def flush(self) -> None:
        """Do nothing: there is no buffer to empty."""

    def close(self) -> None:
        """Take no more bytes."""
        self.closed = True

    def taken(self) -> list[bytes]:
        """Return the bytes that were written since the last call."""
        pieces, self._pieces = self._pieces, []
        return pieces


def judgment_bytes(lines: Path) -> Iterator[bytes]:
    """Yield the bytes of the Parquet table that is made of a file of lines, piece by piece. Raises
    ModuleNotFoundError if pyarrow is not installed, and for bad lines the errors of `judgment_tables`.
    """
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
    pyarrow.default_memory_pool().release_unused()  # and what else of the process is free


def table_difference(table: Path, lines: Path) -> str:
    """Return a phrase for the first difference between a table and one made of these lines; "" if there is none.

    Rows are compared rather than bytes, since another version of pyarrow may write the same table in other bytes.
    Raises ModuleNotFoundError if pyarrow is not installed, and for bad lines the errors of `judgment_tables`.
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

r"""Reads files of records as a whole: JSON, Parquet, CSV, tab-separated columns and WARC.

    members = guess_members(path).members      # `guesses`: id, text, title, url, date, or a known collection's
    for each in read_members(path, members): …  # every document, or an issue for a bad record

The names are those of a collection file (`collection_file`), with the same presets. Other members of a record become
fields of its document. Codes: those of `json_forms` and `separated`, warc, and no-members, no-docno, damaged-file,
passed-over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from scoring.collections.json_forms import MADE, json_value, members_document
from scoring.collections.members import OWN_NAME, Members
from scoring.collections.model import Hit, Search
from scoring.collections.warc import search_warc
from scoring.formats.doc_records import RECORD_LIMIT
from scoring.formats.separated import read_table
from scoring.reading.json_reading import kind_of
from scoring.reading.json_values import json_values
from scoring.reading.opening import excerpt_of, open_input
from scoring.reading.unpacking import damage_errors, damage_issue
from scoring.records import DocumentRecord, Issue

BATCH = 256


def read_members(path: Path, members: Members, *, name: str = "") -> Iterator[DocumentRecord | Issue]:
    """Yield every document of a file in order, and an issue with its line for each record that can't be read. If the
    members do not suffice to read the file, yield only the issues that say so. Raises CannotOpen.

    One record is held at a time, or some hundreds for Parquet. ``name`` is the file's own name, which is used for rows
    without ids.
    """
    if missing := members.missing():
        yield from missing
        return
    try:
        if members.form == "parquet":
            yield from _parquet(path, members, name or path.name)
            return
        with open_input(path) as stream:
            if members.form == "warc":
                search = Search(collection=members.as_collection(), docnos=_Every())
                yield from search_warc(stream, search)
                yield from _passed_over(search.passed_over)
            elif members.is_table:
                yield from _rows(stream, members)
            else:
                values = _lines(stream) if members.form == "json-lines" else _values(stream)
                yield from _json_records(values, members)
    except damage_errors() as error:
        yield damage_issue(error)


def _passed_over(kinds: Counter[str]) -> Iterator[Issue]:
    """Yield one note with the number of a crawl's records of each type that are not documents; nothing if there are
    none.
    """
    if kinds:
        counted = ", ".join(f"{count:,} {excerpt_of(kind)}" for kind, count in sorted(kinds.items()))
        message = f"Records that are no documents were passed over: {counted}."
        yield Issue(where="", code="passed-over", message=message, severity="note")


class _Every(frozenset[str]):
    """A set that contains every docno except the empty one."""

    def __contains__(self, docno: object) -> bool:
        return bool(docno)


Value = tuple[int, int, Any]  # where the value begins (byte of the file or number, and line), and the value


def _json_records(values: Iterable[Value | Issue], members: Members) -> Iterator[Hit]:
    """Yield the documents in JSON values. A value is a record, or holds a list of records."""
    collection, others = members.as_collection(), Counter[str]()
    for each in values:
        if isinstance(each, Issue):
            yield each
            continue
        offset, line, value = each
        if members.id == OWN_NAME:
            for place, record in enumerate(_by_names(value)):
                yield members_document(record, collection, offset=offset + place, line=line)
            continue
        if not members.listed:
            yield members_document(value, collection, offset=offset, line=line)
            continue
        if is_of_lists(value, members.listed):
            inside = [(offset, line, one) for one in value.values()]
            yield from _json_records(inside, members)
            continue
        records = value.get(members.listed) if isinstance(value, Mapping) else None
        if not isinstance(records, list):
            message = f"“{members.listed}” must be a list of records, not {kind_of(records)}. It is passed over."
            yield Issue(where=line, code="type", message=message)
            continue
        others.update(name for name in value if name != members.listed)
        for place, record in enumerate(records):
            yield members_document(record, collection, offset=offset + place, line=line)
    if others:
        named = ", ".join(f"{excerpt_of(name)} ({count:,})" for name, count in others.most_common(20))
        message = f"Beside the records in “{members.listed}” stands what is of no document, and not kept: {named}."
        yield Issue(where="", code="passed-over", message=message, severity="note")


def _by_names(value: Any) -> Iterator[Any]:
    """Yield the records of an object whose members are records. The name of each record in the object is added to it. A
    value that is not a record is yielded unchanged.
    """
    if not isinstance(value, Mapping):
        yield value
        return
    for name, record in value.items():
        yield {OWN_NAME: name, **record} if isinstance(record, Mapping) else record


def is_of_lists(value: Any, listed: str) -> bool:
    """Return whether a value is a non-empty object of objects that each hold their records in a member ``listed``. An
    object that has that member itself is none.
    """
    is_filled = isinstance(value, Mapping) and bool(value) and listed not in value
    return is_filled and all(isinstance(one, Mapping) and listed in one for one in value.values())


def _lines(stream: BinaryIO) -> Iterator[Value | Issue]:
    """Yield the JSON values of a file with one value a line, and an issue for each other line."""
    offset, number = 0, 0
    while line := stream.readline(RECORD_LIMIT + 1):
        number += 1
        start, offset = offset, offset + len(line)
        if len(line) > RECORD_LIMIT and not line.endswith(b"\n"):
            while (rest := stream.readline(RECORD_LIMIT)) and not rest.endswith(b"\n"):
                offset += len(rest)
            offset += len(rest)
            message = f"The line is longer than {RECORD_LIMIT:,} bytes. It is passed over."
            yield Issue(where=number, code="line-too-long", message=message)
        elif line.strip():
            value = json_value(line, line=number)
            yield value if isinstance(value, Issue) else (start, number, value)


def _values(stream: BinaryIO) -> Iterator[Value | Issue]:
    """Yield the JSON values of a file, numbered from 0, however they are laid out on its lines, and issues."""
    for number, each in enumerate(json_values(stream)):
        yield each if isinstance(each, Issue) else (number, *each)


def _rows(stream: BinaryIO, members: Members) -> Iterator[Hit]:
    """Yield the documents in the rows of a table. The line number of a document is that of the last line of its row."""
    collection = members.as_collection()
    wanted = sorted(members.used() - {""})
    names: list[str] = []
    for place, row in enumerate(read_table(stream, form=members.form, header=members.header, wanted=wanted)):
        if isinstance(row, Issue):
            yield row
        elif not place:
            names = row[1]
        else:
            value = dict(zip(names, row[1], strict=True))
            yield members_document(value, collection, offset=place, line=row[0])


def _parquet(path: Path, members: Members, name: str) -> Iterator[Hit]:
    import pyarrow
    import pyarrow.parquet

    collection = (members if members.id else replace(members, id=MADE)).as_collection()
    stem = name.rpartition("/")[2].removesuffix(".parquet")
    columns = sorted(members.used())
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            there = set(file.schema_arrow.names)
            if missing := [each for each in columns if not {each, each.partition(".")[0]} & there]:
                has = ", ".join(excerpt_of(name) for name in file.schema_arrow.names[:60])
                message = f"There is no column {', '.join(missing)}. The file has: {has}. Name one of them."
                yield Issue(where="", code="missing", message=message)
                return
            row = 0
            for batch in file.iter_batches(batch_size=BATCH, use_threads=False):
                for values in batch.to_pylist():
                    value = values if members.id else {**values, MADE: f"{stem}_{row}"}
                    yield members_document(value, collection, offset=row, line=row + 1)
                    row += 1
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        message = f"The file can't be read as Parquet: {str(error)[:200]}. Copy it again."
        yield Issue(where="", code="damaged-file", message=message)

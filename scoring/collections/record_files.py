r"""Files of records that are read whole: JSON lines, Parquet, CSV and WARC, with the names of their members.

    members = guess_members(path).members      # id, text, title, url, date: by their names, or a known collection's
    for each in read_members(path, members): …  # every document, or the issue that a record is none

The names are those of a collection file (`collection_file`), and the same presets are known. Codes: those of
`json_forms`, warc, and no-members, columns, no-docno, damaged-file.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, BinaryIO

from scoring.collections.json_forms import json_document, members_document
from scoring.collections.known_collections import PRESETS
from scoring.collections.model import Collection, Hit, Search
from scoring.collections.warc import search_warc
from scoring.formats.doc_records import RECORD_LIMIT
from scoring.json_reading import Flaw, parse_json
from scoring.reading import damage_errors, damage_issue, excerpt_of, open_input
from scoring.records import DocumentRecord, Issue

FORMS = ("json-lines", "csv", "parquet", "warc")
NAMED = {
    "id": ("docno", "docid", "doc_id", "document_id", "id", "_id", "pmid", "uuid"),
    "text": ("text", "contents", "content", "html", "body", "segment", "passage_text", "passage", "abstract"),
    "title": ("title", "headline"),
    "url": ("url", "link", "uri"),
    "date": ("date", "published", "timestamp", "created"),
}
"""Under which names members usually stand, the likeliest first."""

MEDIA_TYPES = ("text/plain", "text/html")
BATCH = 256
_HEAD = 1 << 16  # bytes that tell what a file is
_MADE = "\0docno"  # under which a docno stands that was made of file and row
_NAMES = 60  # of members, and characters of each, that are shown


@dataclass(frozen=True, kw_only=True, slots=True)
class Members:
    """The form of a file, and under which names its records hold what. A WARC file needs no names.

    Without ``id`` the rows of a Parquet file are called by the file and their number from 0, as ClimbMix does.
    """

    form: str = ""
    id: str = ""
    text: tuple[str, ...] = ()
    title: str = ""
    url: str = ""
    date: str = ""
    media_type: str = "text/plain"

    def missing(self) -> list[Issue]:
        """What has to be named first, if anything."""
        found = []
        if self.form not in FORMS:
            found.append(_wrong("form", f"“{self.form}” is no form. Take one of: {', '.join(FORMS)}."))
        if self.media_type not in MEDIA_TYPES:
            known = ", ".join(MEDIA_TYPES)
            found.append(_wrong("media_type", f"“{self.media_type}” can't be shown. Take one of: {known}."))
        if not self.text and self.form != "warc":
            found.append(_wrong("text", "Nothing tells which member holds the text. Name it under “text”."))
        if not self.id and self.form != "warc" and (self.form != "parquet" or not self.text):
            other = "; else rows are called by the file and their number" if self.form == "parquet" else ""
            found.append(_wrong("id", f"Nothing tells which member holds the docno. Name it under “id”{other}."))
        return found

    def used(self) -> set[str]:
        """The names of all members that are read."""
        return {self.id, *self.text, self.title, self.url, self.date} - {""}

    def as_collection(self) -> Collection:
        """The same as the readers of collections take it."""
        return Collection(
            name="",
            folder="",
            shards=(),
            form=self.form,
            id=(self.id,) if self.id else (),
            text=self.text,
            title=self.title,
            url=self.url,
            date=self.date,
            media_type=self.media_type,
        )

    def as_values(self) -> dict[str, Any]:
        """As JSON; `members_from` reads it again."""
        return {**asdict(self), "text": list(self.text)}


def members_from(values: Mapping[str, Any]) -> Members:
    """Members from texts under their names; ``text`` is a list, or names with commas between. Others are left out."""
    known = {each.name: values[each.name] for each in fields(Members) if values.get(each.name)}
    text = known.pop("text", ())
    names = text.split(",") if isinstance(text, str) else text
    return Members(
        **{name: str(value).strip() for name, value in known.items()},
        text=tuple(name.strip() for name in names if name.strip()),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Guess:
    """What a file most likely is: ``names`` are those of its first record, ``preset`` the collection that has them."""

    members: Members
    names: tuple[str, ...] = ()
    preset: str = ""

    def unused(self, members: Members) -> tuple[str, ...]:
        """Those of the names that are not read by these members."""
        used = _shown(sorted(members.used()))
        return tuple(name for name in self.names if name not in used)


def guess_members(path: Path) -> Guess | Issue:
    """What a file most likely is, by its first record; an issue where it is no such file. Raises CannotOpen."""
    try:
        with open_input(path) as stream:
            head = stream.read(_HEAD)
        if head.startswith(b"PAR1"):
            return _named("parquet", _parquet_names(path), {})
        if head.startswith(b"WARC/"):
            return Guess(members=Members(form="warc", media_type="text/html"))
        if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            return _json_names(path)
        return _csv_names(path, head)
    except damage_errors() as error:
        return damage_issue(error)


def preset_members(preset: str) -> Members | None:
    """The members of a known collection, where its files are read whole."""
    values = PRESETS.get(preset)
    if values is None or values["form"] not in FORMS:
        return None
    return members_from({**values, "id": values.get("id", "") if isinstance(values.get("id", ""), str) else ""})


def read_members(path: Path, members: Members, *, name: str = "") -> Iterator[DocumentRecord | Issue]:
    """Every document of a file, in order; a record that is none is an issue with its line. Raises CannotOpen.

    One record is held at a time, of Parquet some hundreds. ``name`` is the file's own, for rows without ids.
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
            elif members.form == "csv":
                yield from _csv(stream, members)
            else:
                yield from _json_lines(stream, members)
    except damage_errors() as error:
        yield damage_issue(error)


def _passed_over(kinds: Counter[str]) -> Iterator[Issue]:
    """What of a crawl is no document, in one note."""
    if kinds:
        counted = ", ".join(f"{count:,} {excerpt_of(kind)}" for kind, count in sorted(kinds.items()))
        message = f"Records that are no documents were passed over: {counted}."
        yield Issue(where="", code="passed-over", message=message, severity="note")


class _Every(frozenset[str]):
    """All docnos that there are, but none that is empty."""

    def __contains__(self, docno: object) -> bool:
        return bool(docno)


def _wrong(field: str, message: str) -> Issue:
    return Issue(where=field, code="no-members", message=message)


def _json_lines(stream: BinaryIO, members: Members) -> Iterator[Hit]:
    collection, offset, number = members.as_collection(), 0, 0
    while line := stream.readline(RECORD_LIMIT + 1):
        number += 1
        start, offset = offset, offset + len(line)
        if len(line) > RECORD_LIMIT:
            while (rest := stream.readline(RECORD_LIMIT)) and not rest.endswith(b"\n"):
                offset += len(rest)
            offset += len(rest)
            message = f"The line is longer than {RECORD_LIMIT:,} bytes. It is passed over."
            yield Issue(where=number, code="line-too-long", message=message)
        elif line.strip():
            yield json_document(line, collection, offset=start, line=number)


def _csv(stream: BinaryIO, members: Members) -> Iterator[Hit]:
    """Rows under a line of names. Fields may hold line breaks; the line is that at which a row ends."""
    csv.field_size_limit(RECORD_LIMIT)
    first = stream.readline(RECORD_LIMIT)
    rows = csv.reader(_decoded(first, stream), delimiter=_delimiter(first.decode("utf-8", "replace")), strict=True)
    collection = members.as_collection()
    try:
        names = next(rows, [])
        for number, row in enumerate(rows, start=1):
            if len(row) == len(names):
                value = dict(zip(names, row, strict=True))
                yield members_document(value, collection, offset=number, line=rows.line_num)
            elif row:
                message = f"The row has {len(row)} fields, the first line {len(names)}. Put quotes around fields."
                yield Issue(where=rows.line_num, code="columns", message=message, excerpt=excerpt_of(" ".join(row)))
    except UnicodeDecodeError:
        message = "Bytes after this line are not UTF-8. Nothing after it is read: save the file as UTF-8."
        yield Issue(where=max(rows.line_num, 1), code="not-utf8", message=message)
    except csv.Error as error:
        message = f"The row can't be read as CSV: {error}. Nothing after it is read: correct its quotes."
        yield Issue(where=max(rows.line_num, 1), code="csv", message=message)


def _decoded(first: bytes, rest: BinaryIO, errors: str = "strict") -> Iterator[str]:
    yield first.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors)
    while line := rest.readline(RECORD_LIMIT):
        yield line.decode("utf-8", errors)


def _delimiter(first: str) -> str:
    return max((",", "\t", ";"), key=first.count)


def _parquet(path: Path, members: Members, name: str) -> Iterator[Hit]:
    import pyarrow
    import pyarrow.parquet

    collection = (members if members.id else replace(members, id=_MADE)).as_collection()
    stem = name.rpartition("/")[2].removesuffix(".parquet")
    columns = list(dict.fromkeys(filter(None, (members.id, *members.text, members.title, members.url, members.date))))
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            if missing := [each for each in columns if each not in file.schema_arrow.names]:
                has = ", ".join(_shown(file.schema_arrow.names))
                message = f"There is no column {', '.join(missing)}. The file has: {has}. Name one of them."
                yield Issue(where="", code="missing", message=message)
                return
            row = 0
            for batch in file.iter_batches(batch_size=BATCH, columns=columns, use_threads=False):
                for values in batch.to_pylist():
                    value = values if members.id else {**values, _MADE: f"{stem}_{row}"}
                    yield members_document(value, collection, offset=row, line=row + 1)
                    row += 1
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        message = f"The file can't be read as Parquet: {str(error)[:200]}. Copy it again."
        yield Issue(where="", code="damaged-file", message=message)


def _json_names(path: Path) -> Guess | Issue:
    with open_input(path) as stream:
        line = stream.readline(RECORD_LIMIT)
        while line and not line.strip():
            line = stream.readline(RECORD_LIMIT)
    value = parse_json(line.decode("utf-8", "replace").removeprefix("\ufeff"))
    if isinstance(value, Flaw) or not isinstance(value, Mapping):
        reason = value.message if isinstance(value, Flaw) else "It is no object."
        message = f"The first line is not one JSON object: {reason} Write one object a line."
        return Issue(where=1, code="json", message=message, excerpt=excerpt_of(line[:400].decode("utf-8", "replace")))
    return _named("json-lines", list(value), value)


def _csv_names(path: Path, head: bytes) -> Guess | Issue:
    csv.field_size_limit(RECORD_LIMIT)
    first = head.decode("utf-8-sig", "replace").partition("\n")[0]
    is_text = b"\0" not in head and "\N{REPLACEMENT CHARACTER}" not in first
    if not is_text or not any(mark in first for mark in ",\t;"):
        forms = "JSON lines, CSV with a line of names, Parquet or WARC, gzipped or not"
        message = f"This is no file of records that is known. Known are {forms}."
        return Issue(where="", code="document-format", message=message)
    with open_input(path) as stream:
        try:
            lines = _decoded(stream.readline(RECORD_LIMIT), stream, "replace")
            rows = csv.reader(lines, delimiter=_delimiter(first))
            names, row = next(rows, []), next(rows, [])
        except csv.Error as error:
            return Issue(where=1, code="csv", message=f"The file can't be read as CSV: {error}. Save it again as CSV.")
    return _named("csv", names, dict(zip(names, row, strict=False)))


def _parquet_names(path: Path) -> list[str]:
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            return list(file.schema_arrow.names)
    except (pyarrow.ArrowException, ValueError) as error:
        raise OSError(str(error)[:200]) from error


def _named(form: str, names: Sequence[str], first: Mapping[str, Any]) -> Guess:
    """By what names usually mean, but for what a known collection names all of whose members are there."""
    usual = {name: _first(names, likely) for name, likely in NAMED.items()}
    preset = next((each for each in PRESETS if _fits(each, form, names, has_id=bool(usual["id"]))), "")
    known = preset_members(preset) or Members()
    text = known.text or tuple(filter(None, [usual["text"]]))
    rest = {name: getattr(known, name) or usual[name] for name in ("id", "title", "url", "date")}
    members = Members(form=form, text=text, media_type=_media_type(text, first), **rest)
    return Guess(members=members, names=_shown(names), preset=preset)


def _fits(preset: str, form: str, names: Sequence[str], *, has_id: bool) -> bool:
    """Whether all members that a known collection names are there; one without a docno has a form of its own."""
    known = preset_members(preset)
    if known is None or not known.text or not known.used() <= set(names):
        return False
    return bool(known.id) or (form == known.form and not has_id)


def _first(names: Sequence[str], usual: Sequence[str]) -> str:
    by_small = {name.strip().lower(): name for name in reversed(names)}
    return next((by_small[each] for each in usual if each in by_small), "")


def _media_type(text: Sequence[str], first: Mapping[str, Any]) -> str:
    if any("html" in name.lower() for name in text):
        return "text/html"
    start = str(first.get(text[-1], ""))[:200].lstrip().lower() if text else ""
    return "text/html" if start.startswith(("<!doctype html", "<html")) else "text/plain"


def _shown(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(excerpt_of(name, length=_NAMES) for name in names[:_NAMES])


def members_line(members: Members) -> str:
    """The members on one line, for a terminal."""
    return json.dumps({name: value for name, value in members.as_values().items() if value}, ensure_ascii=False)

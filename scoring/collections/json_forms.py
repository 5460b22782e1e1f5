"""Searches JSON lines and JSON files. Only the id of a line is read, unless the document is wanted: then the whole line
is parsed.

Lines are searched in the bytes of large blocks. An id at the beginning or end of the line, where every known collection
has it, is found without looking at the rest; otherwise the line is searched for the member's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, BinaryIO

from scoring.collections.model import Collection, Hit, Search, misplaced
from scoring.collections.shards import Damage, blocks
from scoring.formats.doc_records import RECORD_LIMIT, check_docno
from scoring.formats.document_facts import further_members, with_further
from scoring.reading.json_reading import Flaw, kind_of, load_json, parse_json
from scoring.reading.opening import excerpt_of
from scoring.reading.unpacking import uncompressed
from scoring.records import DocumentRecord, Issue

PARTS = ("text", "content", "contents", "fullcaption")
"""Members that hold the text of an object in a list of parts, the likeliest first."""

MADE = "\0docno"
"""The name under which a docno made from file and row is stored."""

BACKSLASH = 0x5C  # a number, since searching for bytes in bytes takes six times as long
TAIL = 300
"""The bytes at a line's end in which the last member is searched for."""

_VALUE = rb'\s*:\s*(?:"([^"\\]*)"|(-?[0-9]+))'


class _Ids:
    """Finds the lines in blocks that may have a wanted id."""

    def __init__(self, name: str, wanted: frozenset[str]) -> None:
        key = b'"' + re.escape(name).encode() + b'"'
        self.wanted = frozenset(docno.encode() for docno in wanted)
        self.plain = f'"{name}"'.encode()
        self.head = re.compile(rb"\s*\{\s*" + key + _VALUE)
        self.tail = re.compile(key + _VALUE + rb"\s*\}\s*\Z")
        self.any = re.compile(key + rb'\s*:\s*(?:"((?:[^"\\]|\\.)*)"|(-?[0-9]+))')
        self.read = self.lines = 0
        self._at_end = False
        self._before = self._after = b""

    def candidates(self, block: bytes, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
        """Yield (start, end, line of the file) for each line that may contain a wanted document.

        Lines that are not blank are counted in ``read``. If the text after a line's id is the same as on the line
        before, the line takes half a microsecond, however long it is. A line that begins with its id takes about a
        microsecond.
        """
        find, rfind, endswith, wanted = block.find, block.rfind, block.endswith, self.wanted
        before, after, length = self._before, self._after, len(self._after)
        number, read = self.lines, self.read
        while (end := find(b"\n", start, stop)) >= 0:
            number += 1
            if before:
                close = end - length
                opened = rfind(b'"', start, close) + 1
                if endswith(before, start, opened) and endswith(after, close, end):
                    docno = block[opened:close]
                    if BACKSLASH not in docno:
                        read += 1
                        if docno in wanted:
                            yield start, end, number
                        start = end + 1
                        continue
            match = self._match(block, start, end)
            before, after, length = self._before, self._after, len(self._after)
            if match is not None:
                read += 1
                if (match[1] or match[2]) in wanted:
                    yield start, end, number
            elif end - start > 8 or block[start:end].strip():
                read += 1
                if self._anywhere(block, start, end):
                    yield start, end, number
            start = end + 1
        self.lines, self.read = number, read

    def _match(self, block: bytes, start: int, end: int) -> re.Match[bytes] | None:
        """Return the match of the id at the end or the beginning of the line, or None. The place where the previous
        line had it is tried first. If the id is a string at the end, the text around it is remembered, since the next
        line most likely has the same text there.
        """
        match = self._at_tail(block, start, end) if self._at_end else None
        if match is None and (match := self.head.match(block, start, end)) is not None:
            self._at_end = False
        if match is None and not self._at_end:
            match = self._at_tail(block, start, end)
            self._at_end = match is not None
        at_end = match is not None and self._at_end and match[1] is not None
        self._before = block[match.start() : match.start(1)] if match is not None and at_end else b""
        self._after = block[match.end(1) : end] if match is not None and at_end else b""
        return match

    def _at_tail(self, block: bytes, start: int, end: int) -> re.Match[bytes] | None:
        last = block.rfind(self.plain, max(start, end - TAIL), end)
        return self.tail.match(block, last, end) if last >= 0 else None

    def _anywhere(self, block: bytes, start: int, end: int) -> bool:
        found = self.any.finditer(block, start, end)
        return any(b"\\" in (each[1] or b"") or (each[1] or each[2]) in self.wanted for each in found)


def search_json_lines(raw: BinaryIO, search: Search) -> Iterator[Hit]:
    """Yield the wanted documents of a file of JSON lines, and issues for what can't be read."""
    if search.places is not None:
        yield from _at_bytes(raw, search) if _kind(search) == "byte" else _at_records(raw, search)
        return
    ids, before = _Ids(search.collection.id[0], search.docnos), search.read
    for block in _whole_lines(raw):
        if not isinstance(block, _Lines):
            yield _unread(block, ids.lines)
            continue
        for start, end, line in ids.candidates(block.held, block.start, block.stop):
            found = json_document(block.held[start:end], search.collection, offset=block.offset + start, line=line)
            if isinstance(found, Issue) or found.docno in search.docnos:
                yield found
        search.read = before + ids.read


def _unread(what: Damage | None, lines: int) -> Issue:
    """Return the issue for damage, or for a line that is too long. ``lines`` is the number of lines before it."""
    if what is not None:
        return what.issue(lines)
    message = f"The line is longer than {RECORD_LIMIT:,} bytes. It is passed over."
    return Issue(where=lines + 1, code="line-too-long", message=message)


def _at_records(raw: BinaryIO, search: Search) -> Iterator[Hit]:
    """Yield the documents at the wanted places, and an issue for each that is not there or can't be read. A place is
    the number of a line, counted from 0 without blank lines.
    """
    wanted, number = dict(search.by_place()), 0
    last = max(wanted, default=-1)
    for block in _whole_lines(raw):
        if not isinstance(block, _Lines):
            yield _unread(block, number)
            continue
        start = block.start
        while (end := block.held.find(b"\n", start, block.stop)) >= 0:
            number += 1
            if not block.held[start : min(end, start + 8)].isspace() and end > start:
                record, search.read = search.read, search.read + 1
                if record in wanted:
                    line = block.held[start:end]
                    yield _named(line, wanted[record], record, "record", search, block.offset + start, number)
                if record == last:
                    return
            start = end + 1
    yield from (misplaced(wanted[each], each, "record", None) for each in wanted if each >= search.read)


@dataclass(frozen=True, slots=True)
class _Lines:
    """Whole lines, each with its LF, between two positions in the buffer. The buffer begins at byte ``offset`` of the
    file.
    """

    held: bytes
    start: int
    stop: int
    offset: int


def _whole_lines(raw: BinaryIO) -> Iterator[_Lines | Damage | None]:
    """Yield the lines of a file in large blocks. A line that crosses two blocks is yielded alone, and a last line
    without LF gets one.

    None is yielded for a line that is too long for the buffer.
    """
    rest, offset, dropping = b"", 0, False
    for piece in blocks(raw):
        if isinstance(piece, Damage):
            yield piece
            rest, dropping, offset = b"", True, offset + len(rest)  # the line that was cut off is skipped
            continue
        first, last = piece.find(b"\n") + 1, piece.rfind(b"\n") + 1
        if not first:
            rest += piece
            if len(rest) > RECORD_LIMIT:
                if not dropping:
                    yield None
                rest, dropping, offset = b"", True, offset + len(rest)
            continue
        begun = rest + piece[:first]
        if not dropping or begun.startswith(b"{"):
            yield _Lines(begun, 0, len(begun), offset)
        offset, dropping = offset + len(rest), False
        yield _Lines(piece, first, last, offset)
        offset, rest = offset + last, piece[last:]
    if rest and not dropping:
        yield _Lines(rest + b"\n", 0, len(rest) + 1, offset)


def _at_bytes(raw: BinaryIO, search: Search) -> Iterator[Hit]:
    """Yield the documents that begin at the wanted byte offsets, and an issue for each that is not there or can't be
    read. A file that is not packed is read by seeking; a packed file is read forward.
    """
    head = raw.read(4)
    raw.seek(0)
    packed = head.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd"))
    stream = _Forward(raw) if packed else raw
    for place, docno in search.by_place():
        try:
            stream.seek(place)
            line = stream.readline(RECORD_LIMIT)
        except _Damaged as error:
            yield error.damage.issue()
            return
        search.read += 1
        yield _named(line, docno, place, "byte", search, place, 1)


class _Damaged(Exception):
    def __init__(self, damage: Damage) -> None:
        super().__init__(damage.reason)
        self.damage = damage


class _Forward:
    """A packed file that can be read forward, and back only within the current block."""

    def __init__(self, raw: BinaryIO) -> None:
        self._blocks = blocks(raw)
        self._block, self._base, self._at = b"", 0, 0

    def seek(self, place: int) -> None:
        """Go forward to a byte of the uncompressed file."""
        while place >= self._base + len(self._block) and self._more(keep=b""):
            pass
        self._at = max(0, place - self._base)

    def readline(self, limit: int) -> bytes:
        """Return the rest of the line from the current position, or b"" past the end."""
        while (end := self._block.find(b"\n", self._at)) < 0 and len(self._block) - self._at < limit:
            kept, self._at = self._block[self._at :], 0
            if not self._more(keep=kept):
                break
        return self._block[self._at : end + 1 if end >= 0 else None]

    def _more(self, *, keep: bytes) -> bool:
        piece = next(self._blocks, b"")
        if isinstance(piece, Damage):
            raise _Damaged(piece)
        self._base += len(self._block) - len(keep)
        self._block = keep + piece
        return bool(piece)


def _named(line: bytes, docno: str, place: int, kind: str, search: Search, offset: int, number: int) -> Hit:
    """Return the document on a line, or an issue if it is not the document with this docno."""
    found = json_document(line, search.collection, offset=offset, line=number) if line.strip() else None
    if isinstance(found, DocumentRecord) and found.docno == docno:
        return found
    return misplaced(docno, place, kind, found.docno if isinstance(found, DocumentRecord) else None)


def _kind(search: Search) -> str:
    return search.collection.address.kind if search.collection.address is not None else ""


def search_json(raw: BinaryIO, search: Search) -> Iterator[Hit]:
    """Yield the wanted documents of a file with one JSON object or a list of objects, and an issue for what can't be
    read.
    """
    value = load_json(uncompressed(raw))
    if isinstance(value, Issue):
        yield value
        return
    for number, each in enumerate(value if isinstance(value, list) else [value]):
        search.read += 1
        found = members_document(each, search.collection, offset=number, line=number + 1)
        if isinstance(found, Issue) or found.docno in search.docnos:
            yield found


def json_document(raw: bytes, collection: Collection, *, offset: int, line: int) -> Hit:
    """Return the document on one line, or the issue that says why there is none."""
    value = json_value(raw, line=line)
    return value if isinstance(value, Issue) else members_document(value, collection, offset=offset, line=line)


def json_value(raw: bytes, *, line: int) -> Any | Issue:
    """Return the JSON value on one line, or the issue that says why there is none."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"Byte {error.start + 1} of the line is not UTF-8. It is passed over: save the file as UTF-8."
        return Issue(where=line, code="not-utf8", message=message)
    value = parse_json(text.removeprefix("\ufeff"))
    if isinstance(value, Flaw):
        return Issue(
            where=line, code=value.code, message=f"{value.message} It is passed over.", excerpt=excerpt_of(text)
        )
    return value


def members_document(value: Any, collection: Collection, *, offset: int, line: int) -> Hit:
    """Return the document made of one JSON object. The collection file names the members that hold its id, text, title,
    url and date.

    Several texts are joined by a blank line. Codes: type, missing, and those of docnos.
    """
    if not isinstance(value, Mapping):
        message = f"The line must be an object, not {kind_of(value)}. It is passed over."
        return Issue(where=line, code="type", message=message)
    docno = _text(_at(value, collection.id[0]))
    if not docno:
        message = f"There is no “{collection.id[0]}” in the record. It is passed over: correct “id”."
        return Issue(where=line, code="missing", message=message, excerpt=excerpt_of(str(list(value)[:9])))
    if issue := check_docno(docno, line):
        return issue
    found = [_at(value, name, _ABSENT) for name in collection.text]
    between = "\n<p>" if collection.media_type == "text/html" else "\n"
    texts = [_text(each, between) for each in found]
    if all(each is _ABSENT for each in found):
        message = f"{docno} has no “{'”, “'.join(collection.text)}”. It is passed over: correct “text”."
        return Issue(where=line, code="missing", message=message, excerpt=excerpt_of(str(list(value)[:9])))
    return made_document(docno, texts, value, collection, offset=offset, line=line)


def made_document(
    docno: str, texts: Sequence[str], value: Mapping[str, Any], collection: Collection, *, offset: int, line: int
) -> DocumentRecord:
    """Return a document made of texts; empty texts are left out.

    The title and the date become the document's fields HEADLINE and DATE. All other members become further fields
    (`further_members`).
    """
    named = {"HEADLINE": _text(_at(value, collection.title)), "DATE": _date(_at(value, collection.date))}
    fields = {name: " ".join(found.split()) for name, found in named.items()}
    fields = with_further(fields, dict(further_members(value, collection.used | {MADE})))
    return DocumentRecord(
        docno=docno,
        media_type=collection.media_type,
        charset="utf-8",
        raw="\n\n".join(filter(None, texts)).encode("utf-8", "replace"),
        url=_text(_at(value, collection.url)),
        offset=offset,
        line=line,
        fields=fields,
    )


_ABSENT = object()


def _at(value: Mapping[str, Any], name: str, absent: Any = None) -> Any:
    """Return the member with this name, or ``absent`` if there is none. The name may be a path, as in "doc.segment"."""
    if not name:
        return absent
    if name in value or "." not in name:
        return value.get(name, absent)
    first, _, rest = name.partition(".")
    inside = value.get(first)
    return _at(inside, rest, absent) if isinstance(inside, Mapping) else absent


def _text(value: Any, between: str = "\n") -> str:
    """Return a member as text: a number is written out, the parts of a list are joined, and null and other values give
    "".

    A part that is an object has its text in one of `PARTS`, as the paragraphs of the Washington Post do.
    """
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return between.join(filter(None, (_text(_part(each), between) for each in value)))
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _part(value: Any) -> Any:
    return next((value[name] for name in PARTS if value.get(name)), "") if isinstance(value, Mapping) else value


def _date(value: Any) -> str:
    """Return a date as the file writes it. A number of seconds or milliseconds since 1970 becomes a day."""
    if isinstance(value, int) and not isinstance(value, bool) and 10**8 <= value < 10**13 * 5:
        return datetime.fromtimestamp(value / 1000 if value >= 10**11 else value, tz=UTC).date().isoformat()
    return _text(value)

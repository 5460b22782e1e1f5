"""Reads WARC files: web crawls with one record after the other, each with its docno in a header.

    WARC/1.0
    WARC-Type: response
    WARC-TREC-ID: clueweb09-en0000-00-00000
    WARC-Target-URI: http://example.org/
    Content-Length: 1234

    HTTP/1.1 200 OK
    Content-Type: text/html; charset=utf-8

    <html> …

Records of type response, resource and conversion are documents; the content of a response is decoded as its HTTP
headers say. The other headers of the record become fields, and so do the HTTP headers in `HTTP_FIELDS`. Two faults of
old crawls are tolerated. Lines may end with LF alone. A record may not begin where the length of the record before puts
it, and is then searched for. Source: ISO 28500; the headers with docnos are those of ClueWeb09, 12 and 22.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

from scoring.collections.model import Hit, Search, misplaced
from scoring.collections.shards import Damage, blocks
from scoring.formats.doc_records import RECORD_LIMIT, check_docno
from scoring.formats.http_content import content_of
from scoring.records import DocumentRecord, Issue

DOCUMENTS = ("response", "resource", "conversion")
IDS = ("WARC-TREC-ID", "ClueWeb22-ID", "WARC-Record-ID")
"""Headers that may contain the docno, if the collection file names none. The first that a record has is used."""

HTTP_FIELDS = ("last-modified", "content-language", "content-location")
"""HTTP headers that describe the page and not its transfer."""

HEAD_LIMIT = 1 << 18
_READ = frozenset({"warc-type", "warc-date", "warc-target-uri", "content-length", "content-type"})
_START = re.compile(rb"^WARC/[0-9]\.[0-9]+[ \t]*\r?\n", re.MULTILINE)
_BLANK = re.compile(rb"\r?\n\r?\n")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_NO_LENGTH = "A record has no Content-Length. It is passed over."

Headers = dict[str, str]


class _Bytes:
    """The uncompressed bytes of a file, of which only as much is read as is needed. ``at`` is the current position in
    the buffer.
    """

    def __init__(self, raw: BinaryIO) -> None:
        self._blocks = blocks(raw)
        self._base = 0
        self.held, self.at = b"", 0
        self.ended = self.broken = False
        self.issues: list[Issue] = []

    @property
    def place(self) -> int:
        """Return the current position in the uncompressed file, in bytes."""
        return self._base + self.at

    def more(self) -> bool:
        """Read the next block into the buffer. Return False at the end of the file. Return False at a gap in the data
        as well; the buffer is then emptied.
        """
        piece = next(self._blocks, None)
        if isinstance(piece, bytes):
            self.held, self._base, self.at = self.held[self.at :] + piece, self._base + self.at, 0
            return True
        if piece is None:
            self.ended = True
        else:
            self.issues.append(piece.issue())
            self.held, self._base, self.at, self.broken = b"", self._base + len(self.held), 0, True
        return False

    def have(self, count: int) -> bool:
        """Return whether at least ``count`` more bytes follow, reading them if necessary."""
        while len(self.held) - self.at < count:
            if not self.more():
                return False
        return True


def search_warc(raw: BinaryIO, search: Search) -> Iterator[Hit]:
    """Yield the wanted documents of a WARC file, and issues for what can't be read."""
    if search.places is not None and search.collection.address is not None:
        kind = search.collection.address.kind
        if kind == "byte":
            yield from _at_bytes(raw, search)
            return
        by_record = {place: docno for docno, place in search.places.items()}
        for found in _records(raw):
            if isinstance(found, Issue):
                yield found
                continue
            number, search.read = search.read, search.read + 1
            if number in by_record:
                yield from _checked(found, by_record.pop(number), number, "record", search)
            if not by_record:
                return
        yield from (misplaced(by_record[each], each, "record", None) for each in sorted(by_record))
        return
    for found in _records(raw, search.passed_over):
        if isinstance(found, Issue):
            yield found
            continue
        search.read += 1
        docno = _docno(found[1], search)
        if docno in search.docnos:
            yield from _document(found, docno)


_Record = tuple[int, Headers, bytes]


def _at_bytes(raw: BinaryIO, search: Search) -> Iterator[Hit]:
    """Yield the records that begin at the wanted bytes of the file as it is stored. In a packed file each of these
    bytes is the beginning of a gzip member.
    """
    for place, docno in search.by_place():
        raw.seek(place)
        found = next(_records(raw), None)
        search.read += 1
        if found is None or isinstance(found, Issue):
            yield misplaced(docno, place, "byte", None)
        else:
            yield from _checked((place, found[1], found[2]), docno, place, "byte", search)


def _checked(found: _Record, docno: str, place: int, kind: str, search: Search) -> Iterator[Hit]:
    there = _docno(found[1], search)
    if there == docno:
        yield from _document(found, docno)
    else:
        yield misplaced(docno, place, kind, there)


def _docno(headers: Headers, search: Search) -> str:
    for name in search.collection.id or IDS:
        if value := headers.get(name.lower()):
            return value
    return ""


def _records(raw: BinaryIO, passed_over: Counter[str] | None = None) -> Iterator[_Record | Issue]:
    """Yield (byte of the uncompressed file, headers in lower case, content) for each record that is a document, and
    issues.

    ``passed_over`` counts the other records by their type.
    """
    source = _Bytes(raw)
    while not source.ended or source.at < len(source.held):
        found = _next_record(source)
        yield from source.issues
        source.issues.clear()
        if isinstance(found, str):
            if passed_over is not None:
                passed_over[found] += 1
        elif found is not None:
            yield found


def _next_record(source: _Bytes) -> _Record | Issue | str | None:
    """Return the next record, or only its type if it is not a document. Return an issue for a record that can't be
    read, and None at the end of the file.
    """
    source.broken = False
    while (start := _START.search(source.held, source.at)) is None:
        source.at = max(source.at, len(source.held) - 16)
        if not source.more():
            source.at = len(source.held)
            return None
    source.at = start.start()
    place = source.place
    while (blank := _BLANK.search(source.held, source.at)) is None and len(source.held) - source.at < HEAD_LIMIT:
        if not source.more():
            return _cut_off(source, place)
    if blank is None:
        source.at += 5
        return Issue(
            where=f"byte {place}", code="record-header", message="A record's header does not end. It is passed over."
        )
    headers = _headers(source.held[source.at : blank.start()])
    length = headers.get("content-length", "")[:18]
    source.at = blank.end()
    if not length.isascii() or not length.isdigit():
        return Issue(where=f"byte {place}", code="record-length", message=_NO_LENGTH)
    if int(length) > RECORD_LIMIT:
        return _too_large(place, int(length))
    if not source.have(int(length)):
        return _cut_off(source, place)
    content, kind = source.held[source.at : source.at + int(length)], headers.get("warc-type", "response").lower()
    source.have(int(length) + 16)
    if source.broken:  # the data after it are damaged, but this record is complete
        return (place, headers, content) if kind in DOCUMENTS else kind
    begin, end = source.at, source.at + int(length)
    if source.held[end : end + 16].strip(b"\r\n") and not _START.match(source.held[end:].lstrip(b"\r\n")[:16]):
        nearer = _START.search(source.held, begin, end + 16)  # the length is wrong, for example because CRLF became LF
        end = min(end, nearer.start()) if nearer else end
    source.at = end
    return (place, headers, source.held[begin:end]) if kind in DOCUMENTS else kind


def _cut_off(source: _Bytes, place: int) -> Issue | None:
    """Return the issue that the last record is cut off. Return None if the file is damaged there, since the damage was
    reported already.
    """
    if source.broken:
        return None
    source.at = len(source.held)
    return Damage(place, "the last record is cut off").issue()


def _too_large(place: int, size: int) -> Issue:
    message = f"The record at byte {place:,} has {size:,} bytes; the limit is {RECORD_LIMIT:,}. It is passed over."
    return Issue(where=f"byte {place}", code="document-too-large", message=message)


def _headers(head: bytes) -> Headers:
    lines = head.decode("utf-8", "replace").splitlines()
    pairs = (line.partition(":") for line in lines if ":" in line)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _document(found: _Record, docno: str) -> Iterator[Hit]:
    offset, headers, content = found
    if issue := check_docno(docno, 1):
        yield Issue(where=f"byte {offset}", code=issue.code, message=issue.message)
        return
    media_type, charset = headers.get("content-type", ""), None
    http: Headers = {}
    if content.startswith(b"HTTP/"):
        blank = _BLANK.search(content)
        http = _headers(content[: blank.start()]) if blank else {}
        content, why = content_of(content[blank.end() :] if blank else b"", http)
        if why:
            message = f"{docno} is stored as far as it could be undone. {why}"
            yield Issue(where=f"byte {offset}", code="content-encoding", message=message, severity="warning")
        media_type = http.get("content-type", "text/html")
    elif media_type.startswith("application/http"):
        media_type = "text/html"
    if match := _CHARSET.search(media_type):
        charset = match[1]
    yield DocumentRecord(
        docno=docno,
        media_type=media_type.partition(";")[0].strip().lower() or "text/html",
        charset=charset,
        raw=content,
        url=headers.get("warc-target-uri", "").strip("<>"),
        offset=offset,
        fields=_fields(headers, http, docno),
    )


def _fields(headers: Headers, http: Headers, docno: str) -> dict[str, str]:
    """Return the further fields of a document: the record's date, those headers of the record that are not used
    otherwise, and some HTTP headers.
    """
    date = {"DATE": headers["warc-date"]} if headers.get("warc-date") else {}
    further = {name.upper(): value for name, value in headers.items() if name not in _READ and value != docno}
    return date | further | {name.upper(): http[name] for name in HTTP_FIELDS if http.get(name)}

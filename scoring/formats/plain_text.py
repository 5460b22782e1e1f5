"""Plain text: one file is one document, named by the file without its last suffix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import BinaryIO

from scoring.formats.doc_records import RECORD_LIMIT, check_docno
from scoring.json_reading import json_path, kind_of, load_json
from scoring.reading import damage_errors, excerpt_of
from scoring.records import DocumentRecord, Issue

MEDIA_TYPE = "text/plain"


def read_plain_text(
    stream: BinaryIO, *, name: str, start: int = 0, limit: int = RECORD_LIMIT
) -> Iterator[DocumentRecord | Issue]:
    """The one document of a plain text file, or the issue that it cannot be taken.

    ``name`` is the file's name; a `.gz` or `.zst` at its end does not count. A ``start`` past 0 means
    that the document was read already.
    """
    if start > 0:
        return
    docno = document_name(name)
    if issue := check_docno(docno, 1):
        yield issue
        return
    try:
        raw = stream.read(limit + 1)
    except damage_errors() as error:
        message = f"The file cannot be read: it is cut off or damaged ({error}). Copy it again."
        yield Issue(where="", code="damaged-file", message=message)
        return
    if len(raw) > limit:
        message = f"The document is larger than {limit:,} bytes. It is passed over: shorten it or leave it out."
        yield Issue(where="", code="document-too-large", message=message)
        return
    yield DocumentRecord(docno=docno, media_type=MEDIA_TYPE, charset=None, raw=raw)


def document_name(name: str) -> str:
    """The docno that a file's name gives.

    >>> document_name("texts/AP880212-0001.txt.gz")
    'AP880212-0001'
    """
    path = PurePath(name)
    if path.suffix.lower() in (".gz", ".zst"):
        path = path.with_suffix("")
    return path.stem


# Full texts of papers in one JSON object: {"citekey": "the whole text", …}. One member is one document.
#
# The form in which Context25 (SDProc 2025) released its papers; the citekey is the docno. The file is read as a whole.
# Codes beside those of `scoring.json_reading` and `scoring.formats.doc_records`: type, no-documents.

_START = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"[^"\\\r\n]{1,200}"\s*:\s*"')


def read_full_texts(file: BinaryIO, *, start: int = 0, limit: int = RECORD_LIMIT) -> Iterator[DocumentRecord | Issue]:
    """One document for each member, in file order; ``offset`` is the member's number, from 0."""
    value = load_json(file)
    if isinstance(value, Issue):
        yield value
        return
    if not isinstance(value, dict) or not value:
        what = "empty" if value == {} else kind_of(value)
        message = f'The file must be one object, {{"citekey": "text", …}}, but it is {what}.'
        yield Issue(where="$", code="no-documents" if value == {} else "type", message=message)
        return
    for number, (docno, text) in enumerate(value.items()):
        if number >= start:
            yield _document(number, docno, text, limit)


def looks_like_full_texts(head: bytes) -> bool:
    r"""Whether a file that begins so is one object of texts, and not one object a line.

    >>> looks_like_full_texts(b'{"smith2019": "We asked'), looks_like_full_texts(b'{"a": "b"}\n{"a": "c"}')
    (True, False)
    """
    first, _, rest = head.partition(b"\n")
    is_lines = first.rstrip().endswith(b"}") and bool(rest.strip())
    return _START.match(head) is not None and not is_lines


def _document(number: int, docno: str, text: object, limit: int) -> DocumentRecord | Issue:
    where = json_path((docno,))
    if issue := check_docno(docno, 0):
        return Issue(where=where, code=issue.code, message=issue.message, excerpt=excerpt_of(docno))
    if not isinstance(text, str):
        message = f"The document must be a text, but it is {kind_of(text)}. It is passed over: correct it."
        return Issue(where=where, code="type", message=message)
    raw = text.encode()
    if len(raw) > limit:
        message = f"The document is larger than {limit:,} bytes. It is passed over: shorten it or leave it out."
        return Issue(where=where, code="document-too-large", message=message)
    return DocumentRecord(docno=docno, media_type=MEDIA_TYPE, charset="utf-8", raw=raw, offset=number)


# Files that would be taken for one plain text, and are none: JSON, XML, archives, other binary files.
#
# Plain text is what a document file is where nothing tells it to be more, so a file with thousands of documents in a
# form that no reader knows would become one document. Told by the content alone; what a file is called does not matter.

JSON_READERS = ("pubmed-json", "ikat-passages", "full-texts")
XML_READERS = ("pubmed-xml", "trec-sgml")
NEEDS = {
    "pubmed-json": 'lines {"pmid": …, "title": …, "abstract": …}',
    "ikat-passages": 'lines {"id": …, "passage_text": …}',
    "full-texts": 'one object {"docno": "text", …}',
    "pubmed-xml": "PubMed's <PubmedArticleSet>",
    "trec-sgml": "<DOC><DOCNO>…</DOCNO>…</DOC>",
}
"""What a reader takes a file by, in words."""

MOST_CONTROLS = 0.05  # share of control characters that a text has at most
_JSON = re.compile(rb'\s*(?:\[\s*)?\{\s*(?:"(?:[^"\\\r\n]|\\.){0,1000}"\s*:|\}\s*$)')
_XML = re.compile(rb"\s*(?:<\?xml[\s?]|<!DOCTYPE\s+(?!html))", re.IGNORECASE)
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # UTF-16 and UTF-32 begin so where they say what they are
_BEGINNINGS = {
    b"%PDF-": "a PDF file",
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "a file gzipped twice",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ\x00": "an xz archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a rar archive",
    b"\xd0\xcf\x11\xe0": "an Office file",
    b"SQLite format 3\x00": "an SQLite database",
    b"{\\rtf": "an RTF file",
    b"WARC/": "a WARC archive",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Unfit:
    """What a file is instead of a plain text, and the readers that might fit it in another form."""

    what: str
    readers: tuple[str, ...] = ()


def unfit_as_text(head: bytes) -> Unfit | None:
    r"""What a file that begins so is, or None where it may be a plain text.

    >>> unfit_as_text(b'{"docid": "A1", "text": "It rains."}\n').what
    'JSON'
    >>> unfit_as_text(b"{curly} words, and [brackets]") is None
    True
    """
    for beginning, what in _BEGINNINGS.items():
        if head.startswith(beginning):
            return Unfit(what=what)
    if head[257:262] == b"ustar":
        return Unfit(what="a tar archive")
    if head.startswith(_WIDE):
        return None
    if b"\0" in head or _controls(head) > MOST_CONTROLS:
        return Unfit(what="a binary file")
    start = head.removeprefix(b"\xef\xbb\xbf")
    if _JSON.match(start):
        return Unfit(what="JSON", readers=JSON_READERS)
    if _XML.match(start) and b"<html" not in head.lower():
        return Unfit(what="XML", readers=XML_READERS)
    return None


def _controls(head: bytes) -> float:
    """The share of control characters that no text has much of."""
    known = b"\t\n\v\f\r\x1a\x1b"
    found = len(head) - len(head.translate(None, bytes(byte for byte in range(32) if byte not in known)))
    return found / len(head) if head else 0.0

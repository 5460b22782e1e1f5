"""Reads plain text: a file is one document, named by the file without its last suffix. An HTML page is read the same
way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import BinaryIO

from scoring.file_kinds import recognise_beginning
from scoring.formats.doc_records import RECORD_LIMIT, check_docno
from scoring.formats.separated import USUAL_NAMES
from scoring.reading.json_reading import json_path, kind_of, load_json
from scoring.reading.opening import excerpt_of
from scoring.reading.unpacking import PACKINGS, damage_errors, damage_words
from scoring.records import DocumentRecord, Issue

MEDIA_TYPE = "text/plain"
PAGE_TYPE = "text/html"
LOOKED_AT = 1 << 12
"""The number of bytes by which an HTML page is recognised."""


def read_plain_text(
    stream: BinaryIO, *, name: str, start: int = 0, limit: int = RECORD_LIMIT
) -> Iterator[DocumentRecord | Issue]:
    """Yield the one document of a plain text file, or the issue that says why it can't be used.

    The docno is made from ``name``, the file's name, without an extension such as `.gz`. If ``start`` is above 0, the
    document was read already and nothing is yielded.
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
        message = f"The file cannot be read: it is {damage_words(error)}. Copy it again."
        yield Issue(where="", code="damaged-file", message=message)
        return
    if len(raw) > limit:
        message = f"The document is larger than {limit:,} bytes. It is passed over: shorten it or leave it out."
        yield Issue(where="", code="document-too-large", message=message)
        return
    is_page = recognise_beginning(raw[:LOOKED_AT]).form == "html"
    yield DocumentRecord(docno=docno, media_type=PAGE_TYPE if is_page else MEDIA_TYPE, charset=None, raw=raw)


def document_name(name: str) -> str:
    """Return the docno made from a file's name.

    >>> document_name("texts/AP880212-0001.txt.gz")
    'AP880212-0001'
    """
    path = PurePath(name)
    if path.suffix.lower() in PACKINGS:
        path = path.with_suffix("")
    return path.stem


# Full texts of papers in one JSON object: {"citekey": "the whole text", …}. One member is one document.
#
# The form in which Context25 (SDProc 2025) released its papers; the citekey is the docno. The file is read as a whole.
# Codes beside those of `scoring.reading.json_reading` and `scoring.formats.doc_records`: type, no-documents.

_START = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"([^"\\\r\n]{1,200})"\s*:\s*"')


def read_full_texts(file: BinaryIO, *, start: int = 0, limit: int = RECORD_LIMIT) -> Iterator[DocumentRecord | Issue]:
    """Yield one document for each member, in file order, and an issue for each that can't be used. ``offset`` is the
    member's index, from 0. Members before the index ``start`` are passed over.
    """
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
    r"""Return whether a file with this beginning is a single object with texts, rather than one object on each line.

    >>> looks_like_full_texts(b'{"smith2019": "We asked'), looks_like_full_texts(b'{"a": "b"}\n{"a": "c"}')
    (True, False)
    >>> looks_like_full_texts(b'{"_id": "d1", "text": "One record"}')
    False
    """
    first, _, rest = head.partition(b"\n")
    is_lines = first.rstrip().endswith(b"}") and bool(rest.strip())
    start = _START.match(head)
    return start is not None and not is_lines and start[1].decode("utf-8", "replace").lower() not in USUAL_NAMES


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

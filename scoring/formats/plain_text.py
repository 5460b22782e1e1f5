"""Plain text: one file is one document, named by the file without its last suffix."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import BinaryIO

from scoring.formats.doc_records import RECORD_LIMIT, check_docno
from scoring.reading import damage_errors
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

"""Passages given as text, as TREC iKAT released them, and documents to be cut into passages: a JSON object a line.

    {"doc_id": "clueweb22-en0000-32-08101", "passage_id": "4", "passage_text": S}     docno: doc_id:passage_id
    {"id": "clueweb22-en0000-32-08101", "text": S}                                    a whole document

A whole document's name stands under doc_id, docno, docid, id or ClueWeb22-ID, its text under text, contents, body or
Clean-Text. Codes beside those of `scoring.json_reading` and `scoring.formats.doc_records`: type, missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from scoring.formats.doc_records import RECORD_LIMIT, check_docno
from scoring.formats.plain_text import MEDIA_TYPE
from scoring.json_reading import json_lines, kind_of
from scoring.passages import passage_name
from scoring.reading import excerpt_of
from scoring.records import DocumentRecord, Issue

NAMES = ("doc_id", "docno", "docid", "id", "ClueWeb22-ID")
TEXTS = ("text", "contents", "body", "Clean-Text")

_START = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{[^\n]{0,60000}?"passage_text"\s*:')


def read_ikat_passages(file: BinaryIO, *, start: int = 0) -> Iterator[DocumentRecord | Issue]:
    """One document for each line; ``offset`` is its line number. An issue for each line that is no passage."""
    for line in json_lines(file, limit=RECORD_LIMIT):
        if isinstance(line, Issue):
            yield line
        elif line[0] >= start:
            yield _passage(*line)


def looks_like_passages(head: bytes) -> bool:
    """Whether a file that begins so holds passages."""
    return _START.match(head) is not None


def read_whole_documents(file: BinaryIO) -> Iterator[tuple[str, str] | Issue]:
    """(docno, text) of each line, and an issue for each line that is no document."""
    for line in json_lines(file, limit=RECORD_LIMIT):
        if isinstance(line, Issue):
            yield line
            continue
        number, value = line
        name = _given(number, value, NAMES)
        text = _given(number, value, TEXTS)
        if isinstance(name, Issue):
            yield name
        elif isinstance(text, Issue):
            yield text
        else:
            yield check_docno(name, number) or (name, text)


def _passage(number: int, value: Any) -> DocumentRecord | Issue:
    parts = [_given(number, value, (name,)) for name in ("doc_id", "passage_id", "passage_text")]
    for part in parts:
        if isinstance(part, Issue):
            return part
    document, passage, text = map(str, parts)
    docno = passage_name(document, passage)
    if issue := check_docno(docno, number):
        return issue
    return DocumentRecord(
        docno=docno, media_type=MEDIA_TYPE, charset="utf-8", raw=text.encode(), offset=number, line=number
    )


def _given(number: int, value: Any, names: tuple[str, ...]) -> str | Issue:
    """The text under the first of these names; ids may be whole numbers."""
    if not isinstance(value, dict):
        message = f"The line must be an object, not {kind_of(value)}. It is passed over."
        return Issue(where=number, code="type", message=message)
    name = next((name for name in names if name in value), None)
    if name is None:
        message = f"The line has no “{names[0]}”. It is passed over: add it."
        return Issue(where=number, code="missing", message=message, excerpt=excerpt_of(str(list(value)[:9])))
    found = value[name]
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    if not isinstance(found, str):
        message = f"“{name}” must be a text, not {kind_of(found)}. The line is passed over."
        return Issue(where=number, code="type", message=message)
    return found

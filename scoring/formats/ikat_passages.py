"""Reads passages with their text, as TREC iKAT released them, and documents to be cut into passages: a JSON object a
line.

    {"doc_id": "clueweb22-en0000-32-08101", "passage_id": "4", "passage_text": S}     docno: doc_id:passage_id
    {"id": "clueweb22-en0000-32-08101", "text": S}                                    a whole document

Other members of a passage become its fields. A whole document's name is in doc_id, docno, docid, id or ClueWeb22-ID,
and its text in text, contents, body or Clean-Text. Codes beside those of `scoring.reading.json_reading` and
`scoring.formats.doc_records`: type, missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from scoring.formats.doc_records import RECORD_LIMIT, check_docno
from scoring.formats.document_facts import further_members
from scoring.formats.json_members import NAME, Member, Shape, Taken
from scoring.formats.member_reports import Report
from scoring.formats.plain_text import MEDIA_TYPE
from scoring.reading.json_reading import json_lines
from scoring.reading.opening import excerpt_of
from scoring.reading.sentences import passage_name
from scoring.records import DocumentRecord, Issue

NAMES = ("doc_id", "docno", "docid", "id", "ClueWeb22-ID")
TEXTS = ("text", "contents", "body", "Clean-Text")

_START = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{[^\n]{0,60000}?"passage_text"\s*:')


def read_ikat_passages(file: BinaryIO, *, start: int = 0) -> Iterator[DocumentRecord | Issue]:
    """Yield one document for each line, and an issue for each line that is not a passage. A document's ``offset`` is
    its line number. Documents before the line ``start`` are passed over.
    """
    for line in json_lines(file, limit=RECORD_LIMIT):
        if isinstance(line, Issue):
            yield line
        elif line[0] >= start:
            yield _passage(*line)


def looks_like_passages(head: bytes) -> bool:
    """Return whether a file with this beginning holds passages."""
    return _START.match(head) is not None


def read_whole_documents(file: BinaryIO) -> Iterator[tuple[str, str] | Issue]:
    """Yield (docno, text) for each line, and an issue for each line that is not a document."""
    for line in json_lines(file, limit=RECORD_LIMIT):
        if isinstance(line, Issue):
            yield line
            continue
        number, value = line
        found = _taken(_DOCUMENT, number, value)
        if isinstance(found, Issue):
            yield found
        else:
            yield check_docno(found["doc_id"], number) or (found["doc_id"], found["text"])


def _passage(number: int, value: Any) -> DocumentRecord | Issue:
    found = _taken(_PASSAGE, number, value)
    if isinstance(found, Issue):
        return found
    docno = passage_name(found["doc_id"], found["passage_id"])
    if issue := check_docno(docno, number):
        return issue
    return DocumentRecord(
        docno=docno,
        media_type=MEDIA_TYPE,
        charset="utf-8",
        raw=found["passage_text"].encode(),
        offset=number,
        line=number,
        fields=dict(further_members(value, ("doc_id", "passage_id", "passage_text"))),
    )


def _taken(shape: Shape, number: int, value: Any) -> Taken | Issue:
    """Return the members of a line, or the first issue in it."""
    excerpt = excerpt_of(str(list(value)[:9])) if isinstance(value, dict) else ""
    report = Report(at=number, excerpt=excerpt, then="The line is passed over.")
    found: Taken = shape.take(value, report)
    return report.issues[0] if report.issues else found


_PASSAGE = Shape(members=tuple(Member(name, NAME) for name in ("doc_id", "passage_id", "passage_text")))
_DOCUMENT = Shape(members=tuple(Member(names[0], NAME, also=names[1:]) for names in (NAMES, TEXTS)))

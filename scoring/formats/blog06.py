"""Reads Blog06 collection files: crawled pages between <DOC> and </DOC>, many in a file, usually gzipped.

    <DOC>
    <DOCNO>BLOG06-20051206-000-0000000003</DOCNO>
    <DATE_XML>2005-12-06T00:00:00+0000</DATE_XML>
    <FEEDNO>…</FEEDNO> <FEEDURL>…</FEEDURL> <BLOGHPNO>…</BLOGHPNO> <BLOGHPURL>…</BLOGHPURL>
    <PERMALINK>http://example.org/2005/12/post.html#</PERMALINK>
    <DOCHDR>
    http://example.org/2005/12/post.html 0.0.0.0 20051206000000 59077
    HTTP/1.1 200 OK
    Content-Type: text/html; charset=utf-8
    </DOCHDR>
    <html> … the page as crawled, in any encoding …
    </DOC>

Source: Macdonald and Ounis, "The TREC Blogs06 Collection", University of Glasgow TR-2006-224.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from scoring.formats.doc_records import RECORD_LIMIT, RawRecord, check_docno, split_records
from scoring.formats.http_content import content_of
from scoring.reading.opening import excerpt_of
from scoring.records import DocumentRecord, Issue

HEAD_LIMIT = 1 << 18
"""The number of bytes in which the tags and the header must end."""

_HEADER_START = re.compile(rb"^[ \t]*<DOCHDR>[ \t]*\r?\n?", re.MULTILINE)
_HEADER_END = re.compile(rb"[ \t]*</DOCHDR>[ \t]*(?:\r?\n)?")
_TAG = re.compile(r"[ \t]*<([A-Z][A-Z0-9_]*)>(.*)</\1>[ \t]*\Z", re.DOTALL)
_MEDIA_TYPE = re.compile(r"\s*([\w.+-]+/[\w.+-]+)", re.ASCII)
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.ASCII | re.IGNORECASE)


def read_blog06(stream: BinaryIO, *, start: int = 0, limit: int = RECORD_LIMIT) -> Iterator[DocumentRecord | Issue]:
    """Yield the documents of a Blog06 file in order, with issues in between. Never raises on the content of the file.

    A record's ``raw`` holds all bytes between the `</DOCHDR>` line and the `</DOC>` line, with the encodings that the
    HTTP header names undone. Records that begin before the offset ``start`` are skipped. One record is in memory at a
    time.
    """
    for record in split_records(stream, start=start, limit=limit):
        if isinstance(record, Issue):
            yield record
        else:
            yield from _document(record)


def _document(record: RawRecord) -> Iterator[DocumentRecord | Issue]:
    head = record.content[:HEAD_LIMIT]
    opening = _HEADER_START.search(head)
    ending = _HEADER_END.search(head, opening.end()) if opening else None
    if opening is None or ending is None:
        yield Issue(
            where=record.line,
            code="missing-dochdr",
            message=f"The document that starts at line {record.line} has no <DOCHDR> … </DOCHDR> lines. It is passed "
            "over: put the page's address and HTTP header there.",
        )
        return
    fields, issues = _fields(_text(head[: opening.start()]), record.line + 1)
    yield from issues
    if any(issue.severity == "error" for issue in issues):
        return
    docno = fields.pop("DOCNO", "")
    if issue := check_docno(docno, record.line):
        yield issue
        return
    url, headers = _http_header(_text(head[opening.end() : ending.start()]))
    media_type, charset = parse_content_type(headers.get("content-type", ""))
    raw, why = content_of(record.content[ending.end() :], headers)
    if why:
        message = f"The document that starts at line {record.line} is stored as far as it could be undone. {why}"
        yield Issue(where=record.line, code="content-encoding", message=message, severity="warning")
    yield DocumentRecord(
        docno=docno,
        media_type=media_type,
        charset=charset,
        raw=raw,
        url=url or fields.get("PERMALINK", ""),
        offset=record.offset,
        line=record.line,
        fields=fields,
    )


def _fields(head: str, first_line: int) -> tuple[dict[str, str], list[Issue]]:
    """Return the contents of all tags before the header, and issues. If a tag is repeated, the first one counts. A
    second DOCNO that differs is an error.
    """
    fields: dict[str, str] = {}
    issues: list[Issue] = []
    for number, text in enumerate(head.split("\n"), first_line):
        match = _TAG.match(text.rstrip("\r"))
        if match is None:
            if text.strip():
                issues.append(_unreadable(number, text))
            continue
        name, value = match[1], match[2].strip()
        if "\0" in value:
            issues.append(_nul(number, name, value))
        elif name in fields:
            issues.append(_duplicate(number, name, value, fields[name]))
        elif value:
            fields[name] = value
    return fields, issues


def _nul(number: int, name: str, value: str) -> Issue:
    message = f"{name} holds a NUL byte. The document is passed over: remove it."
    return Issue(where=number, code="nul-byte", message=message, excerpt=excerpt_of(value))


def _unreadable(number: int, text: str) -> Issue:
    return Issue(
        where=number,
        code="unreadable-tag",
        message="Expected one tag on a line, as in <FEEDNO>…</FEEDNO>; the line is passed over.",
        severity="warning",
        excerpt=excerpt_of(text),
    )


def _duplicate(number: int, name: str, value: str, first: str) -> Issue:
    fatal = name == "DOCNO" and value != first
    return Issue(
        where=number,
        code="duplicate-tag",
        message=f"{name} is given twice. "
        + ("The document is passed over: leave the right one." if fatal else "The first one is taken."),
        severity="error" if fatal else "warning",
        excerpt=excerpt_of(value),
    )


def _http_header(text: str) -> tuple[str, dict[str, str]]:
    """Return the URL in the first line, and the fields of the HTTP header with their names in lower case."""
    lines = text.splitlines()
    first = lines[0].split() if lines else []
    url = first[0] if first and "://" in first[0] else ""
    pairs = (line.partition(":") for line in lines[1:])
    return url, {name.strip().lower(): value.strip() for name, colon, value in pairs if colon}


def parse_content_type(value: str) -> tuple[str, str | None]:
    """Return the media type and charset of an HTTP Content-Type. A page without one is taken to be HTML.

    >>> parse_content_type('text/html; charset="ISO-8859-1"')
    ('text/html', 'iso-8859-1')
    >>> parse_content_type("")
    ('text/html', None)
    """
    media_type = _MEDIA_TYPE.match(value)
    charset = _CHARSET.search(value)
    return (media_type[1].lower() if media_type else "text/html"), (charset[1].lower() if charset else None)


def _text(raw: bytes) -> str:
    """Return tags and headers as text. They are usually ASCII; other bytes are read as UTF-8, or else as Latin-1."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")

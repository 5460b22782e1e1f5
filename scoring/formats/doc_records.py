"""Splits collection files into their <DOC> … </DOC> records, for both Blog06 and TREC newswire.

A record starts at a line that is only `<DOC>` (or `<DOC id="…">`) and ends at a line that is only `</DOC>`, so the same
tags inside a page do no harm. If the first record of a file begins `<DOC><DOCNO>`, tags are recognised anywhere in a
line. Memory is bounded by the size limit of one record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import BinaryIO

from scoring.reading.opening import FIELD_LIMIT, MARK, excerpt_of
from scoring.reading.unpacking import damage_errors, damage_issue
from scoring.records import Issue

RECORD_LIMIT = FIELD_LIMIT
"""The most bytes in one record; larger ones are reported and skipped."""

PIECE = 1 << 16
BLANK_LINES = 100  # the most that is searched for the first record
DOCNO_LIMIT = 128

_INLINE = re.compile(rb"\s*<DOC(?:(?:\s[^<>]*)?>\s*<DOCNO>|(?=\s[^<>]*\bid\s*=)\s[^<>]*>\s*<[A-Z])", re.IGNORECASE)
_DOCNO_LINE = re.compile(rb"\s*<DOCNO>", re.IGNORECASE)
_DOCNO = re.compile(r"[!-~]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tags:
    """The tags that begin and end a record in a file, spelt as in its first record: <DOC> or <doc>."""

    opens: re.Pattern[bytes]
    closes: re.Pattern[bytes]
    both: re.Pattern[bytes]


def _tags(name: bytes) -> _Tags:
    return _Tags(
        opens=re.compile(rb"(?:%b)?\s*<%b(?:\s[^<>]*)?>\s*\Z" % (MARK, name)),
        closes=re.compile(rb"\s*</%b>\s*\Z" % name),
        both=re.compile(rb"(<%b(?:\s[^<>]*)?>|</%b>)" % (name, name)),
    )


_LARGE, _SMALL = _tags(b"DOC"), _tags(b"doc")


@dataclass(frozen=True, kw_only=True, slots=True)
class RawRecord:
    """The bytes between the `<DOC>` line and the `</DOC>` line, and their place in the file."""

    offset: int
    line: int
    opening: bytes
    content: bytes


@dataclass(slots=True)
class _Open:
    """A record that is being read. ``parts`` is emptied once the record exceeds the limit."""

    offset: int
    line: int
    opening: bytes
    parts: list[bytes]
    size: int = 0

    def add(self, piece: bytes, limit: int) -> None:
        """Add a piece to the record, or drop the content if the record is too large."""
        self.size += len(piece)
        if self.size > limit:
            self.parts.clear()
        else:
            self.parts.append(piece)

    def closed(self, limit: int) -> RawRecord | Issue:
        """Return the whole record, or an issue if it is too large."""
        if self.size > limit:
            return Issue(
                where=self.line,
                code="document-too-large",
                message=f"The document that starts at line {self.line} has {self.size:,} bytes; the limit is {limit:,}."
                " It is passed over: shorten it, or leave it out of the collection.",
            )
        return RawRecord(offset=self.offset, line=self.line, opening=self.opening, content=b"".join(self.parts))

    def truncated(self, line: int, found: str) -> Issue:
        """Return the issue of a record that has no end."""
        return Issue(
            where=self.line,
            code="truncated-document",
            message=f"The document that starts at line {self.line} has no </DOC> line before {found} at line {line}. "
            "It is passed over: the file may have been cut off; copy it again.",
        )


def split_records(stream: BinaryIO, *, start: int = 0, limit: int = RECORD_LIMIT) -> Iterator[RawRecord | Issue]:
    """Yield the records of a file in order, with issues in between.

    Records that begin before the byte ``start`` are skipped without being stored, so that an interrupted import can
    continue. Their lines are still counted, and issues before ``start`` are yielded again.
    """
    for found in _split(stream, limit=limit):
        if isinstance(found, Issue) or found.offset >= start:
            yield found


def _split(stream: BinaryIO, *, limit: int) -> Iterator[RawRecord | Issue]:
    current: _Open | None = None
    held: tuple[int, int, bytes] | None = None  # an opening line inside a record, not yet decided
    offset, line, at_start, stray = 0, 1, True, False
    try:
        pieces, is_shared, tags = _pieces(stream)
        for piece in pieces:
            if held is not None and current is not None:
                if _DOCNO_LINE.match(piece):
                    yield current.truncated(held[1], "the next <DOC>")
                    current = _Open(*held, parts=[])
                else:
                    current.add(held[2], limit)
            held = None
            if current is None:
                if at_start and tags.opens.match(piece):
                    current, stray = _Open(offset, line, piece, parts=[]), False
                elif not stray and not piece.isspace():
                    stray = True
                    yield _outside(line, piece)
            elif at_start and tags.closes.match(piece):
                yield current.closed(limit)
                current = None
            elif at_start and tags.opens.match(piece):
                held = (offset, line, piece)
            else:
                current.add(piece, limit)
            offset += len(piece)
            at_end = piece.endswith(b"\n")
            at_start = at_end or is_shared
            line += at_end
    except damage_errors() as error:
        yield damage_issue(error, after=line - 1)
    if current is not None:
        yield current.truncated(line, "the end of the file")


def _pieces(stream: BinaryIO) -> tuple[Iterator[bytes], bool, _Tags]:
    """Return three values: the lines of a file, each in pieces of at most `PIECE` bytes; whether several records may be
    on one line; and the tags around records.

    Records may share a line if the first record has its `<DOC>` and its `<DOCNO>` on one line, or has an id in its tag
    and continues on that line. Then every <DOC> and </DOC> becomes a piece of its own.
    """
    rest = iter(partial(stream.readline, PIECE), b"")
    begun: list[bytes] = []
    for piece in islice(rest, BLANK_LINES):
        begun.append(piece if begun else piece.removeprefix(MARK))
        if not piece.isspace():
            break
    pieces = chain(begun, rest)
    first = begun[-1].lstrip() if begun else b""
    tags = _SMALL if first.startswith(b"<doc") else _LARGE
    if _INLINE.match(first) is None:
        return pieces, False, tags
    return (part for piece in pieces for part in tags.both.split(piece) if part), True, tags


def _outside(line: int, piece: bytes) -> Issue:
    return Issue(
        where=line,
        code="text-outside-document",
        message="There is text outside any <DOC> … </DOC> record; it is passed over. Check that the file is a "
        "collection file and that each record starts with a line <DOC>.",
        severity="warning",
        excerpt=excerpt_of(piece[:200].decode("utf-8", "replace")),
    )


def check_docno(docno: str, line: int) -> Issue | None:
    """Return an issue if a document's name is missing or malformed, otherwise None."""
    if not docno:
        return Issue(
            where=line,
            code="missing-docno",
            message=f"The document that starts at line {line} has no <DOCNO>. It is passed over: give it one.",
        )
    if len(docno) > DOCNO_LIMIT or not _DOCNO.fullmatch(docno):
        return Issue(
            where=line,
            code="bad-docno",
            message=f"The docno may have up to {DOCNO_LIMIT} visible ASCII characters and no white space. The document "
            "is passed over: change its DOCNO.",
            excerpt=excerpt_of(docno),
        )
    return None

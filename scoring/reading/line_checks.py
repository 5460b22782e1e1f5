"""Splits a file into lines of text in bounded memory, and names every flaw found on the way.

`read_lines` streams a binary file and never raises on its content. Codes of its issues:

    damaged-file          the archive that holds the file is cut off or damaged
    empty-file            there is nothing in the file
    reading-stopped       more blank lines than any file has; nothing after them is read
    compressed-file       the bytes are gzip, zip, bzip2, xz or zstandard, not text
    encoding-utf16        the file is UTF-16 or UTF-32; reading stops
    line-ends             there is no LF in the file, whose lines end with CR alone; reading stops
    byte-order-mark       (warning) a UTF-8 byte order mark at the start of a line; it is skipped
    encoding              bytes that are not UTF-8, with their offset in the file
    line-too-long         the line is longer than any valid one, its white space not counted; it is cut
    carriage-returns      (warning, once) lines end with CR LF; the CR is skipped
    white-space           (note, once each) a vertical tab (VT) or form feed (FF): it is read as white space
    line-break            a line-break character inside a line: a lone CR, NEL, U+2028, U+2029 …
    nul, control-character
    no-final-line-break   (warning) the last line does not end with a line break
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from scoring.reading.opening import BLANK_LINES, WIDE_MARKS, too_many_blank_lines, wide_file, without_marks
from scoring.reading.unpacking import damage_errors, damage_issue
from scoring.records import Issue

FOREIGN = ("encoding-utf16", "compressed-file", "empty-file", "damaged-file", "line-ends")
"""Codes after which nothing of a file was checked."""

MAX_LINE_BYTES = 1 << 24
"""The most bytes in a line that are not white space: guidelines limit the text, but not the space between columns."""

PIECE = 65_536
EXCERPT_LENGTH = 80

LINE_BREAKS = "\r\x1c\x1d\x1e\x85\u2028\u2029"
_SUSPECT = re.compile(rf"[\x00-\x08\x0e-\x1f\x7f-\x9f{LINE_BREAKS}]")
_BREAK_NAMES = {
    "\r": "a carriage return (CR)",
    "\x85": "a next-line character (U+0085)",
    "\u2028": "a line separator (U+2028)",
    "\u2029": "a paragraph separator (U+2029)",
}
_UPRIGHT = {"\x0b": "a vertical tab (VT)", "\x0c": "a form feed (FF)"}
_WIDE = re.compile(rb"[ \t\x0b\x0c]{2,}")
_ARCHIVES = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "a zip archive",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstandard",
}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file, without its line break. Bytes that are not UTF-8 are replaced by U+FFFD.

    If ``is_whole`` is False, the line was too long and ``text`` is only its start; the issue before it says so.
    """

    number: int
    text: str
    is_whole: bool = True


def excerpt(text: str) -> str:
    """Return the start of a line for a report: at most 80 characters, with control characters escaped."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: EXCERPT_LENGTH + 1])
    return shown if len(shown) <= EXCERPT_LENGTH else shown[: EXCERPT_LENGTH - 1] + "…"


def read_lines(
    file: BinaryIO, *, limit: int = MAX_LINE_BYTES, after: int = 0, offset: int = 0
) -> Iterator[Line | Issue]:
    """Yield the file's lines in order. The issues found in a line come before the line.

    Flawed lines are yielded too, so that a checker can go on after an error. But nothing follows the issue that a file
    is damaged, is not UTF-8 text at all, ends its lines with CR alone, or has too many blank lines. ``after`` is the
    number of lines that were read before, and ``offset`` the number of bytes. At most ``limit`` bytes of a line are
    held in memory. A wide gap in a longer line is read as one blank, and a line that is still too long is cut.
    """
    crlf_seen, blank = False, 0
    upright = dict(_UPRIGHT)
    raw: _RawLine | None = None
    for item in _raw_lines(file, limit, after, offset):
        if isinstance(item, Issue):
            yield item
            return
        raw = item
        if not raw.body or raw.body.isspace():
            blank += 1
            if blank > BLANK_LINES:
                yield too_many_blank_lines(raw.number)
                return
        if raw.number == 1:
            foreign = foreign_file(raw.body)
            if foreign is not None:
                yield foreign
                return
            if not raw.ending and not raw.is_cut and b"\r" in raw.body.rstrip(b"\r"):
                message = "The lines end with CR alone. Save with LF line ends and try again; nothing else was checked."
                yield Issue(where=1, code="line-ends", message=message)
                return
        if raw.mark:
            what = "file" if raw.number == 1 else "line"
            message = f"The {what} starts with a byte order mark; it is skipped. Save without."
            yield _warning(raw.number, "byte-order-mark", message)
        if raw.is_cut:
            yield _too_long(raw, limit)
            yield Line(raw.number, raw.body[:PIECE].decode("utf-8", errors="replace"), is_whole=False)
            continue
        if raw.ending == b"\r\n" and not crlf_seen:
            crlf_seen = True
            message = "Lines end with CR LF (Windows); the CR is skipped here and below. Save with LF line ends."
            yield _warning(raw.number, "carriage-returns", message)
        text, issue = _decode(raw)
        if issue is not None:
            yield issue
        for character in [each for each in upright if each in text]:
            message = f"There is {upright.pop(character)} in the line; it is read as white space, here and below."
            yield Issue(where=raw.number, code="white-space", message=message, severity="note")
        yield from _suspect_characters(text, raw.number)
        yield Line(raw.number, text)
    if raw is None:
        yield Issue(where="", code="empty-file", message="The file is empty. Check that the right file was chosen.")
    elif not raw.ending:
        yield _warning(raw.number, "no-final-line-break", "The last line does not end with a line break; add one.")


@dataclass(frozen=True, slots=True)
class _RawLine:
    number: int
    offset: int  # place of the body's first byte in the file
    body: bytes  # at most `limit` bytes
    ending: bytes  # CR LF, LF, or nothing at the end of the file
    size: int  # size of the whole body, including what was not stored
    mark: bool  # whether a byte order mark came before the body
    is_cut: bool = False


def _raw_lines(file: BinaryIO, limit: int, after: int, offset: int) -> Iterator[_RawLine | Issue]:
    number = after
    try:
        for raw in _whole_lines(file, limit, after, offset):
            number = raw.number
            yield raw
    except damage_errors() as error:
        yield damage_issue(error, after=number)


def _whole_lines(file: BinaryIO, limit: int, number: int, offset: int) -> Iterator[_RawLine]:
    while raw := file.readline(limit + 2):
        number += 1
        mark = raw.startswith(_BYTE_ORDER_MARK)
        if mark:
            offset += len(raw) - len(raw := without_marks(raw))
        body, ending = _split_ending(raw)
        size = len(body)
        if not ending and size >= limit - len(_BYTE_ORDER_MARK):
            body, ending, size = _without_gaps(file, body, limit)
        elif size > limit:
            body = _WIDE.sub(b" ", body)
        yield _RawLine(number, offset, body[:limit], ending, size, mark, is_cut=len(body) > limit)
        offset += size + len(ending)


def _too_long(raw: _RawLine, limit: int) -> Issue:
    message = (
        f"The line has {raw.size:,} bytes; no line may have more than {limit:,}, white space not counted. It is not "
        "read. Check that line breaks were not lost."
    )
    return Issue(where=raw.number, code="line-too-long", message=message)


def _warning(where: int, code: str, message: str) -> Issue:
    return Issue(where=where, code=code, message=message, severity="warning")


def foreign_file(start: bytes) -> Issue | None:
    """Return an issue if the first bytes show that the file is not UTF-8 text at all, otherwise None."""
    if start.startswith(WIDE_MARKS):
        return wide_file()
    for magic, name in _ARCHIVES.items():
        if start.startswith(magic):
            message = f"The file is compressed ({name}), not plain text. Uncompress it; nothing else was checked."
            return Issue(where=1, code="compressed-file", message=message)
    return None


def _split_ending(raw: bytes) -> tuple[bytes, bytes]:
    if raw.endswith(b"\r\n"):
        return raw[:-2], b"\r\n"
    if raw.endswith(b"\n"):
        return raw[:-1], b"\n"
    return raw, b""


def _without_gaps(file: BinaryIO, start: bytes, limit: int) -> tuple[bytes, bytes, int]:
    """Read the rest of a line that begins with ``start``. Return the line's bytes with each gap replaced by one blank,
    its line ending, and its true size.

    Once the line is longer than the limit without its gaps, the rest of it is read but not stored.
    """
    kept, size, ending = bytearray(_WIDE.sub(b" ", start)), len(start), b""
    while not ending and (chunk := file.readline(PIECE)):
        if chunk.endswith(b"\n"):
            chunk, ending = chunk[:-1], b"\n"
        size += len(chunk)
        if len(kept) <= limit:
            piece = _WIDE.sub(b" ", chunk)
            kept += piece.lstrip(b" \t\x0b\x0c") if kept[-1:].isspace() else piece
    if ending and kept.endswith(b"\r"):
        return bytes(kept[:-1]), b"\r\n", size - 1
    return bytes(kept), ending, size


def _decode(raw: _RawLine) -> tuple[str, Issue | None]:
    """Return the text of a line, with an issue if any byte is not UTF-8. The issue names the first such byte."""
    try:
        return raw.body.decode("utf-8"), None
    except UnicodeDecodeError as error:
        text = raw.body.decode("utf-8", errors="replace")
        message = (
            f"Byte {raw.offset + error.start:,} of the file (0x{raw.body[error.start]:02x}, byte {error.start + 1:,} "
            "of the line) is not UTF-8. Save the file as UTF-8."
        )
        return text, Issue(where=raw.number, code="encoding", message=message, excerpt=excerpt(text))


def _suspect_characters(text: str, number: int) -> Iterator[Issue]:
    """Yield one issue for each kind of character that does not belong in a line."""
    seen: set[str] = set()
    for match in _SUSPECT.finditer(text):
        character = match.group()
        if character in seen:
            continue
        seen.add(character)
        column = match.start() + 1
        code, name = _name_character(character)
        message = f"There is {name} inside the line, at character {column:,}. Replace it by a space or remove it."
        yield Issue(where=number, code=code, message=message, excerpt=excerpt(text[max(0, match.start() - 30) :]))


def _name_character(character: str) -> tuple[str, str]:
    if character in LINE_BREAKS:
        return "line-break", _BREAK_NAMES.get(character, f"a line-break character (U+{ord(character):04X})")
    if character == "\0":
        return "nul", "a NUL character"
    return "control-character", f"a control character (U+{ord(character):04X})"

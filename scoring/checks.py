"""Reusable checks of line-based files: bytes to lines of text, in bounded memory, with every flaw named.

`read_lines` streams a binary file and never raises on what it holds. Codes of its issues:

    damaged-file          the file comes out of an archive that is cut off or damaged
    empty-file            there is nothing in the file
    compressed-file       the bytes are gzip, zip, bzip2, xz or zstandard, not text
    encoding-utf16        the file is UTF-16 or UTF-32; reading stops
    byte-order-mark       (warning) a UTF-8 byte order mark at the start; it is skipped
    encoding              bytes that are not UTF-8, with their offset in the file
    line-too-long         the line is longer than any valid one; only its start is read
    carriage-returns      (warning, once) lines end with CR LF; the CR is skipped
    line-break            a line-break character inside a line: a lone CR, VT, FF, NEL, U+2028, U+2029 …
    nul, control-character
    no-final-line-break   (warning) the last line does not end with a line break
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from scoring.reading import damage_errors
from scoring.records import Issue

MAX_LINE_BYTES = 65_536
EXCERPT_LENGTH = 80

LINE_BREAKS = "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_SUSPECT = re.compile(rf"[\x00-\x08\x0e-\x1f\x7f-\x9f{LINE_BREAKS}]")
_BREAK_NAMES = {
    "\r": "a carriage return (CR)",
    "\x0b": "a vertical tab (VT)",
    "\x0c": "a form feed (FF)",
    "\x85": "a next-line character (U+0085)",
    "\u2028": "a line separator (U+2028)",
    "\u2029": "a paragraph separator (U+2029)",
}
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
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
    """One line of a file, without its line break; bytes that are no UTF-8 stand as U+FFFD."""

    number: int
    text: str


def excerpt(text: str) -> str:
    """The start of a line for a report: at most 80 characters, control characters written out."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: EXCERPT_LENGTH + 1])
    return shown if len(shown) <= EXCERPT_LENGTH else shown[: EXCERPT_LENGTH - 1] + "…"


def read_lines(file: BinaryIO, *, limit: int = MAX_LINE_BYTES) -> Iterator[Line | Issue]:
    """The file's lines in order, each after the issues found in it.

    At most ``limit`` bytes of a line are held in memory; the rest of a longer line is passed over. All
    lines come out, flawed ones too, so that a checker can go on after an error.
    """
    crlf_seen = False
    raw: _RawLine | None = None
    for item in _raw_lines(file, limit):
        if isinstance(item, Issue):
            yield item
            return
        raw = item
        if raw.number == 1:
            foreign = _foreign_file(raw.body)
            if foreign is not None:
                yield foreign
                return
            if raw.mark:
                yield _warning(
                    1, "byte-order-mark", "The file starts with a byte order mark; it is skipped. Save without."
                )
        if raw.size > limit:
            yield _too_long(raw, limit)
        if raw.ending == b"\r\n" and not crlf_seen:
            crlf_seen = True
            message = "Lines end with CR LF (Windows); the CR is skipped here and below. Save with LF line ends."
            yield _warning(raw.number, "carriage-returns", message)
        text, issue = _decode(raw)
        if issue is not None:
            yield issue
        yield from _suspect_characters(text, raw.number)
        yield Line(raw.number, text)
    if raw is None:
        yield Issue(where="", code="empty-file", message="The file is empty. Check that the right file was chosen.")
    elif not raw.ending:
        yield _warning(raw.number, "no-final-line-break", "The last line does not end with a line break; add one.")


@dataclass(frozen=True, slots=True)
class _RawLine:
    number: int
    offset: int  # of the body's first byte in the file
    body: bytes  # at most `limit` bytes
    ending: bytes  # CR LF, LF, or nothing at the end of the file
    size: int  # of the whole body, also what was not kept
    mark: bool  # a byte order mark stood before the body


def _raw_lines(file: BinaryIO, limit: int) -> Iterator[_RawLine | Issue]:
    number = 0
    try:
        for raw in _whole_lines(file, limit):
            number = raw.number
            yield raw
    except damage_errors() as error:
        message = f"The file cannot be read past line {number:,}: it is damaged ({error}). Compress or upload it again."
        yield Issue(where=number + 1, code="damaged-file", message=message)


def _whole_lines(file: BinaryIO, limit: int) -> Iterator[_RawLine]:
    number = offset = 0
    while raw := file.readline(limit + 2):
        number += 1
        mark = number == 1 and raw.startswith(_BYTE_ORDER_MARK)
        if mark:
            raw = raw[len(_BYTE_ORDER_MARK) :]
            offset += len(_BYTE_ORDER_MARK)
        body, ending = _split_ending(raw)
        size = len(body)
        if not ending and size >= limit - len(_BYTE_ORDER_MARK):
            rest, ending = _pass_over(file)
            size += rest
        yield _RawLine(number, offset, body[:limit], ending, size, mark)
        offset += size + len(ending)


def _too_long(raw: _RawLine, limit: int) -> Issue:
    message = (
        f"The line has {raw.size:,} bytes; no line may have more than {limit:,}. Its end was not read. "
        "Check that line breaks were not lost."
    )
    return Issue(where=raw.number, code="line-too-long", message=message)


def _warning(where: int, code: str, message: str) -> Issue:
    return Issue(where=where, code=code, message=message, severity="warning")


def _foreign_file(start: bytes) -> Issue | None:
    """An issue where the first bytes say that this is no UTF-8 text at all."""
    if start.startswith(_UTF16_MARKS):
        message = "The file is UTF-16 or UTF-32, not UTF-8. Save it as UTF-8 and try again; nothing else was checked."
        return Issue(where=1, code="encoding-utf16", message=message)
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


def _pass_over(file: BinaryIO) -> tuple[int, bytes]:
    """Read to the end of the line without keeping it: (bytes passed over, the line ending)."""
    size = 0
    while chunk := file.readline(MAX_LINE_BYTES):
        if chunk.endswith(b"\n"):
            return size + len(chunk) - 1, b"\n"
        size += len(chunk)
    return size, b""


def _decode(raw: _RawLine) -> tuple[str, Issue | None]:
    """The text, and an issue at the first byte that is no UTF-8 (a character cut at the limit is none)."""
    try:
        return raw.body.decode("utf-8"), None
    except UnicodeDecodeError as error:
        text = raw.body.decode("utf-8", errors="replace")
        if raw.size > len(raw.body) and error.reason == "unexpected end of data":
            return text, None
        message = (
            f"Byte {raw.offset + error.start:,} of the file (0x{raw.body[error.start]:02x}, byte {error.start + 1:,} "
            "of the line) is not UTF-8. Save the file as UTF-8."
        )
        return text, Issue(where=raw.number, code="encoding", message=message, excerpt=excerpt(text))


def _suspect_characters(text: str, number: int) -> Iterator[Issue]:
    """One issue for each kind of character that has no place in a line."""
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

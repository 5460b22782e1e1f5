"""Yields the lines of a file as UTF-8, whatever its encoding. It is for files that people keep, which may be old or
foreign.

    lines = TolerantLines(file)
    for line in text_lines(lines.stream): ...
    lines.issues()            # warnings about text in another encoding

A line that is not UTF-8 is read as Windows-1252, which includes Latin-1. If it has control characters, it is not text
and is left as it is. A file that begins with the mark of UTF-16, or whose XML declaration names its encoding, is read
in that encoding.
"""

from __future__ import annotations

import codecs
import io
import re
from collections import deque
from collections.abc import Iterator
from typing import BinaryIO, cast

from scoring.reading.line_pieces import remaining
from scoring.reading.opening import BLANK_LINES, MARK
from scoring.reading.unpacking import BUFFER, damage_errors, read_up_to
from scoring.records import Issue

WHOLE_LIMIT = 64 * 1024 * 1024
"""The most bytes in a file that is decoded in one piece."""

LETTER = 4
"""The most bytes that a letter takes in UTF-8."""

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DECLARED = re.compile(rb"<\?xml[^>]{0,100}encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,30})[\"']")
_WINDOWS = {byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0xA0)}
"""The characters of Windows-1252 at the codes where Latin-1 has controls."""
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f]")


class TolerantLines(io.RawIOBase):
    """A binary file whose lines are all read as UTF-8."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._kept: deque[bytes] = deque()
        self._whole_line = True
        self._number = self._first = self._count = 0
        self._encoding = ""

    @property
    def stream(self) -> BinaryIO:
        """The object itself, typed for functions that read lines."""
        return cast(BinaryIO, self)

    def first_text(self) -> str:
        """Return the beginning of the first line that is not blank, as text. The whole line can still be read
        afterwards.

        Return an empty text if the file is damaged there, or if more blank lines come first than any file may have.
        Reading further then raises the error for the damage.
        """
        try:
            return self._first_text()
        except damage_errors():
            return ""

    def _first_text(self) -> str:
        piece = self._file.readline(BUFFER)
        if piece.startswith(_UTF16):
            piece = self._decode_whole(piece, "utf-16")
        elif (declared := _DECLARED.match(piece.removeprefix(MARK))) is not None:
            piece = self._decode_whole(piece, declared[1].decode())
        while piece:
            self._kept.append(piece)
            if piece.removeprefix(MARK).strip():
                return piece.removeprefix(MARK).decode("utf-8", "replace").strip()
            piece = self._file.readline(BUFFER) if len(self._kept) <= BLANK_LINES else b""
        return ""

    def clean_text(self, limit: int) -> str | None:
        """Return the rest of the file, without the last line's end. Return None if it is not UTF-8, has an issue in any
        line, or has more than ``limit`` bytes; nothing of the file is used up then.
        """
        raw = self._held(limit)
        text = None if raw is None else _clean(raw)
        if raw is not None and text is None:
            self._file = cast(BinaryIO, io.BytesIO(raw))
        return text

    def sound_lines(self, limit: int) -> BinaryIO:
        """Return the rest of the file as a stream of lines. If it is UTF-8 and has at most ``limit`` bytes, it is held
        in memory, where splitting lines is faster.
        """
        raw = self._held(limit)
        if raw is None:
            return self.stream
        self._file = cast(BinaryIO, io.BytesIO(raw))
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError:
            return self.stream
        return self._file

    def _held(self, limit: int) -> bytes | None:
        """Return the rest of the file as bytes, after which nothing is left to read. If it is damaged or longer than
        ``limit``, return None and leave the rest to be read.
        """
        kept = b"".join(self._kept)
        self._kept.clear()
        read, damage = read_up_to(self._file, max(limit + 1 - len(kept), 0))
        raw = kept + read
        if damage is None and len(raw) <= limit:
            return raw
        self._file = remaining(raw, self._file, damage)
        return None

    def readline(self, size: int | None = -1, /) -> bytes:
        """Return the next line, or a piece of it if it is longer than ``size``, as bytes of UTF-8.

        Text that is not UTF-8 is converted from Windows-1252, unless it has control characters.
        """
        limit = -1 if size is None else size
        raw = self._kept.popleft() if self._kept else b""
        if not raw.endswith(b"\n") and (limit < 0 or len(raw) < limit):
            raw += self._file.readline(limit if limit < 0 else limit - len(raw))
        self._number += self._whole_line
        self._whole_line = raw.endswith(b"\n")
        if raw.isascii():
            return raw
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError:
            if _CONTROL.search(raw) is None:
                self._first = self._first or self._number
                self._count += 1
                return _from_windows(raw)
        return raw

    def read(self, size: int = -1, /) -> bytes:
        """Return the remaining bytes in UTF-8, or about ``size`` of them. There may be more if letters become longer in
        UTF-8, and fewer if the last letter would be cut.
        """
        raw = b"".join(self._kept)
        self._kept.clear()
        if size < 0 or len(raw) < size:
            raw += self._file.read(size if size < 0 else size - len(raw))
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            if 0 <= size == len(raw) and 0 < error.start > len(raw) - LETTER:  # the last letter was cut
                self._kept.append(raw[error.start :])
                return self._passed_on(raw[: error.start])
            self._file = remaining(raw, self._file, None)
            return self._read_lines(size)
        return self._passed_on(raw)

    def _passed_on(self, raw: bytes) -> bytes:
        """Count the lines in these bytes and return the bytes unchanged."""
        if raw:
            self._number += raw.count(b"\n", 0, len(raw) - 1) + self._whole_line
            self._whole_line = raw.endswith(b"\n")
        return raw

    def _read_lines(self, size: int) -> bytes:
        lines, left = [], size
        while left and (line := self.readline(left)):
            lines.append(line)
            left = max(left - len(line), 0) if size >= 0 else left
        return b"".join(lines)

    def issues(self) -> Iterator[Issue]:
        """Yield an issue for text in an encoding other than UTF-8. Call this after the whole file was read."""
        if self._encoding:
            message = f"The file is written in {self._encoding} and was read so. It is given out in UTF-8."
            yield Issue(where="", code="encoding", message=message, severity="note")
        if self._count:
            is_not = "This line is not UTF-8 and was"
            if self._count > 1:
                is_not = f"This line and {self._count - 1:,} more are not UTF-8 and were"
            message = (
                f"{is_not} read as Windows-1252 (Latin-1). Look at its letters; "
                "if any is wrong, save the file as UTF-8 and load it again."
            )
            yield Issue(where=self._first, code="not-utf8", message=message, severity="warning")

    def _decode_whole(self, piece: bytes, encoding: str) -> bytes:
        """Decode the rest of the file if it really is in this encoding, undamaged and of at most `WHOLE_LIMIT` bytes.
        Return its first line in UTF-8, or otherwise as it is.
        """
        try:
            name = codecs.lookup(encoding).name
        except LookupError:
            return piece
        if name in ("utf-8", "ascii"):
            return piece
        rest, damage = read_up_to(self._file, WHOLE_LIMIT + 1 - len(piece))
        raw = piece + rest
        self._file = remaining(raw, self._file, damage)
        if damage is None and len(raw) <= WHOLE_LIMIT:
            try:
                self._file = cast(BinaryIO, io.BytesIO(raw.decode(name).encode("utf-8", "replace")))
                self._encoding = encoding.upper()
            except (UnicodeError, LookupError):  # the lines are read one by one
                pass
        return self._file.readline(BUFFER)


def _clean(raw: bytes) -> str | None:
    """Return bytes as text whose lines end with LF; None if any line has an issue."""
    if b"\0" in raw or _has_too_many_blank_lines(raw):
        return None
    try:
        text = raw.removeprefix(MARK).decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None
    return None if "\r" in text else text.removesuffix("\n")


def _has_too_many_blank_lines(raw: bytes) -> bool:
    """Return whether the file has more blank lines than any file may have."""
    if raw.count(b"\n") <= BLANK_LINES:
        return False
    if raw.count(b"\n\n") > BLANK_LINES:
        return True
    return sum(not line or line.isspace() for line in raw.split(b"\n")) > BLANK_LINES


def _from_windows(raw: bytes) -> bytes:
    """Return a line in Windows-1252 as UTF-8. Bytes that Windows-1252 does not define are read as Latin-1."""
    return raw.decode("latin-1").translate(_WINDOWS).encode()

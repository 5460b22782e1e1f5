"""Reads files of lines many lines at a time, as long as nothing in them needs a closer check.

for piece in plain_pieces(file):
    if isinstance(piece, RestOfFile):
        ...  # from here on line by line, with `scoring.reading.line_checks.read_lines`
    else:
        piece.number, piece.lines  # no flaw that `read_lines` would tell of in any of them
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeVar, cast

from scoring.reading.line_checks import foreign_file
from scoring.reading.opening import LINE_LIMIT
from scoring.reading.unpacking import damage_errors

PIECE = 1 << 18
"""The number of bytes processed together; less than the longest line that is read."""

_BEYOND = re.compile(
    "[\x80-\x9f\u2028\u2029\ufeff]"
)  # characters beyond ASCII that `scoring.reading.line_checks` reports
_MARK = b"\xef\xbb\xbf"
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Piece:
    """Some lines of a file, without the line end of the last. ``number`` is the number of the first line. If
    ``is_ascii``, the only white space within lines is blanks and tabs.
    """

    number: int
    text: str
    is_ascii: bool

    @property
    def lines(self) -> list[str]:
        """The lines without their ends."""
        return self.text.split("\n")


@dataclass(frozen=True, slots=True)
class RestOfFile:
    """The rest of a file after ``lines`` lines and ``offset`` bytes."""

    file: BinaryIO
    lines: int
    offset: int


def plain_pieces(file: BinaryIO) -> Iterator[Piece | RestOfFile]:
    """Yield the lines in file order, many at a time. Once a line needs a closer check, the rest of the file, beginning
    with that line, is yielded as a `RestOfFile`. So is a last line that has no line end.

    For an empty file only a `RestOfFile` is yielded.
    """

    def look(raw: bytes, lines: int) -> list[Piece] | None:
        text = _plain_text(raw, is_first=lines == 0)
        return None if text is None else [Piece(lines + 1, text[:-1], is_ascii=text.isascii())]

    return closely_read(file, look, size=PIECE)


def closely_read(
    file: BinaryIO, look: Callable[[bytes, int], Sequence[Found] | None], *, size: int
) -> Iterator[Found | RestOfFile]:
    """Yield what ``look`` finds in the whole lines of a file, read ``size`` bytes at a time. ``look`` is called with
    the bytes and the number of lines before them.

    If ``look`` returns None, or the last line has no end, the rest of the file is yielded as a `RestOfFile`, and
    reading ends.
    """
    lines = offset = 0
    rest, damage = b"", None
    while True:
        try:
            read = file.read(size)
        except damage_errors() as error:
            damage = error
            break
        if not read and not rest and lines:
            return
        rest += read
        end = rest.rfind(b"\n") + 1 if read else 0
        is_short = rest.find(b"\n") <= LINE_LIMIT  # only the first line may have begun in an earlier piece
        found = look(rest[:end], lines) if end and is_short else None
        if found is None:
            break
        yield from found
        lines, offset, rest = lines + rest.count(b"\n", 0, end), offset + end, rest[end:]
    yield RestOfFile(remaining(rest, file, damage), lines, offset)


def _plain_text(raw: bytes, *, is_first: bool) -> str | None:
    if _has_controls(raw) or (is_first and (raw.startswith(_MARK) or foreign_file(raw) is not None)):
        return None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if text.isascii() or not _BEYOND.search(text) else None


def _has_controls(raw: bytes) -> bool:
    """Return whether any byte is an ASCII control character other than a tab or a line feed."""
    import numpy as np

    read = np.frombuffer(raw, np.uint8)
    below = read[read < ord(" ")]
    return b"\x7f" in raw or bool(((below != ord("\t")) & (below != ord("\n"))).any())


def remaining(start: bytes, file: BinaryIO, damage: BaseException | None) -> BinaryIO:
    """Return a file that yields the bytes ``start`` and then the rest of ``file``. If ``damage`` is given, reading
    beyond the end raises it.
    """
    return cast(BinaryIO, io.BufferedReader(cast(Any, _Remaining(start, file, damage))))


class _Remaining(io.RawIOBase):
    def __init__(self, start: bytes, file: BinaryIO, damage: BaseException | None) -> None:
        self._start, self._file, self._damage = memoryview(start), file, damage

    def readable(self) -> bool:
        """Return True: the stream can be read."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill ``target`` and return how many bytes were read, like any raw stream. If there is damage, it is raised
        once the bytes before it have been read.
        """
        if not self._start:
            if self._damage is not None:
                raise self._damage
            self._start = memoryview(self._file.read(len(target)))
        count = min(len(target), len(self._start))
        target[:count] = self._start[:count]
        self._start = self._start[count:]
        return count

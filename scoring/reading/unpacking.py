"""Unpacks gzip, zstd, bzip2 and xz in bounded memory; a file's first bytes say which.

Of a damaged file, whatever could be unpacked is read first; reading on then raises the damage, each time anew. The
damage is an exception, one of `damage_errors`; `damage_words` and `damage_issue` put it into words.
"""

from __future__ import annotations

import io
import re
import sys
import zlib
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any, BinaryIO, cast

from scoring.records import Issue

BUFFER = 1 << 17

_GZIP_START = b"\x1f\x8b"
_ZSTD_START = b"\x28\xb5\x2f\xfd"
_XZ_START = b"\xfd7zXZ\x00"
_BZIP2_START = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")  # a block, or the end of an empty file
_STARTS = (_GZIP_START, _ZSTD_START, _XZ_START, b"BZh91AY&SY", b"BZh9\x17rE8P\x90")
PACKINGS = (".gz", ".zst", ".bz2", ".xz")
"""The extensions of files that `uncompressed` unpacks."""

XZ_MEMORY = 1 << 27
"""The most bytes of memory that unpacking an xz file may take; files of xz -9 take half of it."""


def plain_name(name: str) -> str:
    """Return a file's name without the extension of its compression.

    >>> plain_name("Harbor1.txt.gz")
    'Harbor1.txt'
    """
    ending = next((each for each in PACKINGS if name.endswith(each)), "")
    return name.removesuffix(ending)


def is_leftover(path: PurePath) -> bool:
    """Return whether nobody put this file there on purpose: it is hidden, or was added by macOS or Windows.

    >>> [name for name in ("a.txt", ".a.txt", "Thumbs.db", "__MACOSX/a.txt") if is_leftover(PurePath(name))]
    ['.a.txt', 'Thumbs.db', '__MACOSX/a.txt']
    """
    return path.name.startswith(".") or path.name.casefold() in _LEFTOVERS or "__MACOSX" in path.parts


_LEFTOVERS = frozenset({"thumbs.db", "ehthumbs.db", "desktop.ini"})


def named_so(folder: Path, pattern: str) -> set[Path]:
    """Return the paths in a folder whose names match a pattern, with or without the extension of a packed file."""
    return {path for ending in ("", *PACKINGS) for path in folder.glob(f"{pattern}{ending}")}


def is_packed(start: bytes) -> bool:
    """Return whether `uncompressed` would unpack a file that begins like this. Ten bytes are enough."""
    return start.startswith((_GZIP_START, _ZSTD_START, _XZ_START)) or _BZIP2_START.match(start) is not None


def uncompressed(raw: BinaryIO) -> BinaryIO:
    """Return a stream of the uncompressed bytes. It unpacks gzip, zstd, bzip2 or xz if the first bytes show one of
    them; otherwise it is the stream itself.
    """
    buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(Any, raw), BUFFER)
    unpack = _unpacker(buffered)
    return buffered if unpack is None else cast(BinaryIO, io.BufferedReader(_Unpacked(buffered, unpack), BUFFER))


def _unpacker(buffered: io.BufferedReader) -> Callable[[Any], int] | None:
    """Return a function that unpacks the file into a given buffer; None if the file is not packed. A file that holds
    only a part of the first bytes of a packed file counts as packed.
    """
    start = buffered.peek(10)[:10]
    source = cast(BinaryIO, buffered)
    if start.startswith(_GZIP_START):
        return _PartsReader(source, _gzip_part).readinto
    if start.startswith(_ZSTD_START):
        return _ZstdReader(source).readinto
    if start.startswith(_XZ_START):
        return _PartsReader(source, _xz_part).readinto
    if _BZIP2_START.match(start):
        return _PartsReader(source, _bzip2_part).readinto
    return _nothing_of(source) if _is_cut_in_start(start) else None


def _is_cut_in_start(start: bytes) -> bool:
    """Return whether a file consists only of the first bytes of a compression header. A short text with the same
    letters is taken for a text.
    """
    if start.startswith(b"BZh") and start[3:4].isdigit():
        start = b"BZh9" + start[4:]  # the digit is the size of its blocks
    is_start = any(each.startswith(start) for each in _STARTS) if len(start) < 10 else False
    return is_start and (not start.isascii() or len(start) > 3 or not start.decode().isprintable())


class Damaged(EOFError):
    """Raised when a packed file is cut off or damaged. The message says after how many bytes this was found. It
    completes a sentence that begins “it is”.
    """


class _Unpacked(io.RawIOBase):
    """Reads as much of a packed file as can be unpacked. Every later read raises the error for the damage."""

    def __init__(self, source: io.BufferedReader, unpack: Callable[[Any], int]) -> None:
        self._source, self._unpack = source, unpack
        self.damage: Damaged | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        view, filled = memoryview(target), 0
        while filled < len(view) and self.damage is None:
            try:
                count = self._unpack(view[filled:])
            except damage_errors() as error:
                self.damage = Damaged(self._words(error))
                break
            if not count:
                return filled
            filled += count
        if not filled and self.damage is not None:
            raise self.damage
        return filled

    def _words(self, error: BaseException) -> str:
        if not isinstance(error, EOFError):
            return f"damaged ({error})"
        try:
            size = self._source.tell()
        except (OSError, ValueError):
            return "cut off"
        return f"cut off after {size:,} byte{'s' * (size != 1)}"


def _gzip_part() -> Any:
    from isal import igzip_lib

    return igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)


def _nothing_of(source: BinaryIO) -> Callable[[Any], int]:
    """Return an unpacker for a file that ends before any packed content; it always raises EOFError."""

    def unpack(target: Any) -> int:
        del target
        source.read()
        raise EOFError

    return unpack


def _xz_part() -> Any:
    import lzma

    return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=XZ_MEMORY)


def _bzip2_part() -> Any:
    import bz2

    return bz2.BZ2Decompressor()


class _ZstdReader:
    """Reads zstd frames one after the other. Unlike the library's own reader it reports that the last frame is cut
    off.
    """

    def __init__(self, source: BinaryIO) -> None:
        import zstandard

        self._source = source
        self._new_frame = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj
        self._frame = self._new_frame()
        self._ready = memoryview(b"")
        self._in_frame = False

    def readinto(self, target: Any) -> int:
        while not self._ready:
            if not (packed := self._source.read(1 << 14)):
                if self._in_frame:
                    raise EOFError
                return 0
            self._ready = memoryview(self._unpack(packed))
        count = min(len(target), len(self._ready))
        target[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _unpack(self, packed: bytes) -> bytes:
        unpacked = []
        while packed:
            unpacked.append(self._frame.decompress(packed))
            packed, self._in_frame = self._frame.unused_data, not self._frame.eof
            if self._frame.eof:
                self._frame = self._new_frame()
        return b"".join(unpacked)


class _PartsReader:
    """Reads the parts of a gzip, xz or bzip2 file one after the other. It never unpacks more than it is asked for."""

    def __init__(self, source: BinaryIO, new_part: Callable[[], Any]) -> None:
        self._source, self._new_part = source, new_part
        self._part = new_part()
        self._packed = b""
        self._in_part = False
        self._start = b""

    def readinto(self, target: Any) -> int:
        while True:
            if self._part.eof:
                self._packed = self._part.unused_data or self._packed
                self._part, self._in_part = self._new_part(), False
            if not self._packed and self._part.needs_input:
                self._packed = self._source.read(1 << 14)
                if not self._packed and self._in_part:
                    raise EOFError
                if not self._packed:
                    return 0
            if not self._in_part:
                self._packed = self._packed.lstrip(b"\0")  # xz and tape drives fill up with them between parts
                if not self._packed:
                    continue
                self._start = self._start or self._packed[:2]
                if not self._packed.startswith(self._start[: len(self._packed)]):
                    raise OSError("other bytes follow its end")
            found = self._part.decompress(self._packed, len(target))
            self._packed, self._in_part = b"", True
            if found:
                target[: len(found)] = found
                return len(found)


def beginning_of(stream: BinaryIO, size: int) -> bytes:
    """Return the next ``size`` bytes of a file; fewer if the file ends or is damaged before that.

    Raises the error for the damage if nothing can be read before it.
    """
    head, damage = read_up_to(stream, size)
    if damage is not None and not head:
        raise damage
    return head


def read_up_to(stream: BinaryIO, size: int) -> tuple[bytes, BaseException | None]:
    """Return (at most the next ``size`` bytes of a file, error); the error is None unless the file is damaged there."""
    read, pieces, left = getattr(stream, "read1", stream.read), [], size
    try:
        while left and (piece := read(min(left, BUFFER))):
            pieces.append(piece)
            left -= len(piece)
    except damage_errors() as error:
        return b"".join(pieces), error
    return b"".join(pieces), None


def damage_errors() -> tuple[type[BaseException], ...]:
    """Return the exceptions that decompressors may raise. Those of modules that are not loaded are left out, since they
    can't have been raised.
    """
    kinds: list[type[BaseException]] = [EOFError, OSError, zlib.error]
    if (isal := sys.modules.get("isal.igzip_lib") or sys.modules.get("isal.isal_zlib")) is not None:
        kinds.append(isal.error)
    if (zstandard := sys.modules.get("zstandard")) is not None:
        kinds.append(zstandard.ZstdError)
    if (lzma := sys.modules.get("lzma")) is not None:
        kinds.append(lzma.LZMAError)
    return tuple(kinds)


def damage_words(error: BaseException) -> str:
    """Return words for what is wrong with a file, which complete a sentence that begins “it is”."""
    return str(error) if isinstance(error, Damaged) else f"cut off or damaged ({error})"


def damage_issue(error: BaseException, *, after: int | None = None) -> Issue:
    """Return the issue for a file that could not be read to its end. ``after`` is the number of its last readable line
    (0: none could be read; None: unknown).
    """
    how_far = " to its end" if after is None else f" past line {after:,}" if after else ""
    message = f"The file cannot be read{how_far}: it is {damage_words(error)}. Compress or copy it again."
    return Issue(where="" if after is None else after + 1, code="damaged-file", message=message)

"""Undoing gzip, zstd, bzip2 and xz, chosen by a file's first bytes, in bounded memory.

Damage is an exception, one of `damage_errors`; `damage_issue` says it in words.
"""

from __future__ import annotations

import io
import re
import sys
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO, cast

from scoring.records import Issue

BUFFER = 1 << 17

_GZIP_START = b"\x1f\x8b"
_ZSTD_START = b"\x28\xb5\x2f\xfd"
_XZ_START = b"\xfd7zXZ\x00"
_BZIP2_START = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")  # a block, or the end of an empty file
PACKINGS = (".gz", ".zst", ".bz2", ".xz")
"""The endings of the names of files that `uncompressed` unpacks."""

XZ_MEMORY = 1 << 27
"""Bytes that unpacking an xz file may take: those of xz -9 take half of it."""


def plain_name(name: str) -> str:
    """A file's name without the ending of its compression.

    >>> plain_name("Harbor1.txt.gz")
    'Harbor1.txt'
    """
    ending = next((each for each in PACKINGS if name.endswith(each)), "")
    return name.removesuffix(ending)


def is_packed(start: bytes) -> bool:
    """Whether `uncompressed` unpacks a file that begins so; ten bytes are enough."""
    return start.startswith((_GZIP_START, _ZSTD_START, _XZ_START)) or _BZIP2_START.match(start) is not None


def uncompressed(raw: BinaryIO) -> BinaryIO:
    """The stream itself, or one that undoes gzip, zstd, bzip2 or xz, chosen by the first bytes."""
    buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(Any, raw), BUFFER)
    start = buffered.peek(10)[:10]
    if start.startswith(_GZIP_START):
        from isal import igzip

        unpacked: Any = igzip.IGzipFile(fileobj=buffered, mode="rb")  # type: ignore[no-untyped-call]
        return cast(BinaryIO, io.BufferedReader(unpacked, BUFFER))
    if start.startswith(_ZSTD_START):
        return cast(BinaryIO, io.BufferedReader(_ZstdReader(cast(BinaryIO, buffered)), BUFFER))
    if start.startswith(_XZ_START):
        return cast(BinaryIO, io.BufferedReader(_PartsReader(cast(BinaryIO, buffered), _xz_part, "xz"), BUFFER))
    if _BZIP2_START.match(start):
        return cast(BinaryIO, io.BufferedReader(_PartsReader(cast(BinaryIO, buffered), _bzip2_part, "bzip2"), BUFFER))
    return buffered


def _xz_part() -> Any:
    import lzma

    return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=XZ_MEMORY)


def _bzip2_part() -> Any:
    import bz2

    return bz2.BZ2Decompressor()


class _ZstdReader(io.RawIOBase):
    """zstd frames, one after the other. Unlike the library's own reader it says when the last is cut off."""

    def __init__(self, source: BinaryIO) -> None:
        import zstandard

        self._source = source
        self._new_frame = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj
        self._frame = self._new_frame()
        self._ready = memoryview(b"")
        self._in_frame = False

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        while not self._ready:
            if not (packed := self._source.read(1 << 14)):
                if self._in_frame:
                    raise EOFError("the last part of the zstd file is missing")
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


class _PartsReader(io.RawIOBase):
    """The parts of an xz or bzip2 file, one after the other. No more is unpacked at a time than is asked for."""

    def __init__(self, source: BinaryIO, new_part: Callable[[], Any], name: str) -> None:
        self._source, self._new_part, self._name = source, new_part, name
        self._part = new_part()
        self._packed = b""
        self._in_part = False

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        while True:
            if self._part.eof:
                self._packed = self._part.unused_data or self._packed
                self._part, self._in_part = self._new_part(), False
                self._packed = self._packed.lstrip(b"\0")  # xz fills up with them between its parts
            if not self._packed and self._part.needs_input:
                self._packed = self._source.read(1 << 14)
                if not self._packed and self._in_part:
                    raise EOFError(f"the last part of the {self._name} file is missing")
                if not self._packed:
                    return 0
            found = self._part.decompress(self._packed, len(target))
            self._packed, self._in_part = b"", True
            if found:
                target[: len(found)] = found
                return len(found)


def damage_errors() -> tuple[type[BaseException], ...]:
    """What the decompressors raise; only those that are loaded can have raised anything."""
    kinds: list[type[BaseException]] = [EOFError, OSError, zlib.error]
    if (isal := sys.modules.get("isal.isal_zlib")) is not None:
        kinds.append(isal.error)
    if (zstandard := sys.modules.get("zstandard")) is not None:
        kinds.append(zstandard.ZstdError)
    if (lzma := sys.modules.get("lzma")) is not None:
        kinds.append(lzma.LZMAError)
    return tuple(kinds)


def damage_issue(error: BaseException) -> Issue:
    """What is said of a file that could not be read to its end, where nobody knows how far it was."""
    message = f"The file cannot be read to its end: it is cut off or damaged ({error}). Compress or copy it again."
    return Issue(where="", code="damaged-file", message=message)

"""Reading a file, packed or not, in large blocks, and going on after a gzip member that is damaged."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from scoring.reading import damage_errors, uncompressed
from scoring.records import Issue

SIZE = 1 << 20
LARGEST = 1 << 24
"""Bytes of one block: a megabyte of gzip may unpack to a gigabyte."""

_MEMBER = re.compile(rb"\x1f\x8b\x08[\x00-\x1f]")


@dataclass(frozen=True, slots=True)
class Damage:
    """A gzip member, or a file, that is not read to its end. ``place`` is a byte of the file as it is."""

    place: int
    reason: str

    def issue(self, line: int = 0) -> Issue:
        """What is said of it."""
        after = f", after line {line:,}" if line else ""
        message = (
            f"The file is cut off or damaged in what begins at byte {self.place:,}{after} ({self.reason}). What could "
            "be read is used; copy the file again."
        )
        return Issue(where=f"byte {self.place}", code="damaged-file", message=message)


def blocks(raw: BinaryIO) -> Iterator[bytes | Damage]:
    """The uncompressed bytes of a file in order. After a damaged gzip member the next one is looked for."""
    buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(Any, raw), SIZE)
    if buffered.peek(2)[:2] == b"\x1f\x8b":
        yield from _gzip_blocks(buffered, buffered.read(SIZE))
        return
    stream = uncompressed(buffered)
    try:
        while piece := stream.read(SIZE):
            yield piece
    except damage_errors() as error:
        yield Damage(0, str(error))


def _gzip_blocks(raw: BinaryIO, packed: bytes) -> Iterator[bytes | Damage]:
    from isal import isal_zlib

    start = 0  # of ``packed`` in the file
    while packed := _next_start(packed):
        member, end_known = start, start + len(packed)
        unpack = isal_zlib.decompressobj(wbits=31)
        try:
            while True:
                if found := unpack.decompress(packed, LARGEST):
                    yield found
                if unpack.eof:
                    packed = unpack.unused_data
                    break
                packed = unpack.unconsumed_tail
                if not packed:
                    packed = raw.read(SIZE)
                    end_known += len(packed)
                    if not packed:
                        yield Damage(member, "it is cut off")
                        return
        except damage_errors() as error:
            yield Damage(member, str(error))
            packed = packed[1:] if end_known - len(packed) == member else packed
            while (match := _MEMBER.search(packed)) is None:
                kept = packed[-3:]
                more = raw.read(SIZE)
                if not more:
                    return
                packed = kept + more
                end_known += len(more)
            packed = packed[match.start() :]
        if not packed:
            packed = raw.read(SIZE)
            end_known += len(packed)
        if 0 < len(packed) < 4:
            more = raw.read(SIZE)
            packed, end_known = packed + more, end_known + len(more)
        start = end_known - len(packed)
        if packed.strip(b"\0") and not packed.startswith(b"\x1f\x8b"):
            yield Damage(start, "what follows is no gzip")
            return


def _next_start(packed: bytes) -> bytes:
    """Nothing where only padding is left."""
    return packed if packed.startswith(b"\x1f\x8b") else b""

"""Lists, opens and reads the shards of a collection: local files, or any address that fsspec supports."""

from __future__ import annotations

import glob
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from scoring.collections.model import Collection, Shard
from scoring.reading.opening import CannotOpen
from scoring.reading.unpacking import damage_errors, uncompressed
from scoring.records import Issue

_GLOB = ("*", "?", "[")


def list_shards(collection: Collection) -> tuple[list[Shard], list[Issue]]:
    """Return the shards in the order in which the collection file lists them; the files that a glob matches are sorted
    by name. Also return an issue for each entry that matches no file.
    """
    found: dict[str, Shard] = {}
    issues = []
    for entry in collection.shards:
        try:
            listed = list(_remote(entry, collection) if "://" in entry else _local(entry, collection))
        except (OSError, ValueError, ImportError) as error:
            issues.append(_missing(f"{entry} can't be listed: {str(error)[:200]}."))
            continue
        if not listed:
            issues.append(_missing(f"There is no file {entry}. Correct “shards”, or bring the files there."))
        found.update((shard.address, shard) for shard in listed if shard.address not in found)
    return list(found.values()), issues


def _missing(message: str) -> Issue:
    return Issue(where="", code="no-shards", message=message)


def _local(entry: str, collection: Collection) -> Iterator[Shard]:
    place = Path(collection.folder, entry)
    paths = sorted(glob.glob(str(place), recursive=True)) if any(mark in entry for mark in _GLOB) else [str(place)]
    for each in paths:
        path = Path(each)
        if path.is_file():
            within = path.is_relative_to(collection.folder)
            name = path.relative_to(collection.folder).as_posix() if within else each
            stat = path.stat()
            yield Shard(name=name, address=each, size=stat.st_size, modified=str(stat.st_mtime_ns))


def _remote(entry: str, collection: Collection) -> Iterator[Shard]:
    import fsspec

    system, path = fsspec.core.url_to_fs(entry, **collection.options)
    paths = sorted(system.glob(path)) if any(mark in path for mark in _GLOB) else [path]
    for each in paths:
        if system.isfile(each):
            address = system.unstrip_protocol(each)
            yield Shard(name=address, address=address, size=int(system.size(each) or -1))


@contextmanager
def open_shard(shard: Shard, collection: Collection) -> Iterator[BinaryIO]:
    """Open a shard as a seekable stream of its bytes, without unpacking it. Raises CannotOpen if it can't be opened."""
    try:
        if "://" in shard.address:
            import fsspec

            opened: Any = fsspec.open(shard.address, "rb", **collection.options).open()
        else:
            opened = Path(shard.address).open("rb")  # noqa: SIM115 (closed below)
    except (OSError, ValueError, ImportError) as error:
        raise CannotOpen(f"the shard can't be opened: {error}") from error
    with opened:
        yield opened if isinstance(opened, io.BufferedReader) else cast(BinaryIO, io.BufferedReader(opened, 1 << 20))


# Reading a file, packed or not, in large blocks, and going on after a damaged gzip member.

SIZE = 1 << 17
"""The number of bytes read at once. What they unpack to stays in the cache of a core while it is searched."""

LARGEST = 1 << 24
"""The most bytes in one block, since a megabyte of gzip may unpack to a gigabyte."""

_MEMBER = re.compile(rb"\x1f\x8b\x08[\x00-\x1f]")


@dataclass(frozen=True, slots=True)
class Damage:
    """A gzip member or a file that could not be read to its end. ``place`` is the byte of the packed file where it
    begins.
    """

    place: int
    reason: str

    def issue(self, line: int = 0) -> Issue:
        """Return the issue that reports this damage."""
        after = f", after line {line:,}" if line else ""
        message = (
            f"The file is cut off or damaged in what begins at byte {self.place:,}{after} ({self.reason}). What could "
            "be read is used; copy the file again."
        )
        return Issue(where=f"byte {self.place}", code="damaged-file", message=message)


def blocks(raw: BinaryIO) -> Iterator[bytes | Damage]:
    """Yield the uncompressed bytes of a file in order, and a `Damage` for each part that can't be unpacked. After a
    damaged gzip member, reading goes on at the next one.
    """
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
    """Return ``packed`` if it begins with a gzip member, or b"" if only padding is left."""
    return packed if packed.startswith(b"\x1f\x8b") else b""

"""Zip archives that may come from anybody: what their directories say, checked before anything is unpacked.

A zip can say that thousands of entries lie at the same place, or that a megabyte unpacks to a terabyte. So the count,
sizes, ratio and places of all entries are looked at first. What zipfile then unpacks is never more than the directory
said.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence

RATIO = 200
"""The most times that a zip may unpack to its own size …"""

SMALL = 64 << 20
"""… and how many bytes it may unpack to whatever its size."""

_HEADER = 30
"""Bytes of an entry's header in front of its data, without the name."""


def zip_flaw(
    archive: zipfile.ZipFile,
    *,
    packed: int,
    members: int,
    is_read: Callable[[zipfile.ZipInfo], bool] = lambda entry: True,
) -> tuple[str, str] | None:
    """Why nothing may be unpacked from a zip of ``packed`` bytes, or None: a code, and a clause with the numbers.

    Codes: zip-too-many, zip-overlap, zip-bomb. What is not read does not count towards the sizes.
    """
    entries = archive.infolist()
    if len(entries) > members:
        return "zip-too-many", f"the zip holds {len(entries):,} files; {members:,} are allowed"
    if (name := _overlapping(entries, end=archive.start_dir)) is not None:
        return "zip-overlap", f"“{name[:100]}” lies where another file of the zip lies"
    whole = sum(entry.file_size for entry in entries if is_read(entry))
    if whole > max(SMALL, RATIO * packed):
        return "zip-bomb", f"the zip of {packed:,} bytes would unpack to {whole:,}, over {RATIO} times as many"
    return None


def _overlapping(entries: Sequence[zipfile.ZipInfo], *, end: int) -> str | None:
    """The name of an entry whose bytes reach into those of the next one or of the directory."""
    placed = sorted(entries, key=lambda entry: entry.header_offset)
    starts = [entry.header_offset for entry in placed[1:]] + [end]
    for entry, start in zip(placed, starts, strict=True):
        name = len(entry.orig_filename.encode("utf-8" if entry.flag_bits & 0x800 else "cp437", "replace"))
        if entry.header_offset + _HEADER + name + entry.compress_size > start:
            return entry.filename
    return None

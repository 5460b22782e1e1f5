"""Zips that are the same bytes where the files are the same: a fixed time, fixed rights, in the order of names."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

_CLOCK = (1980, 1, 1, 0, 0, 0)  # the first that a zip can say


def zip_entry(name: str, *, size: int = 0) -> zipfile.ZipInfo:
    """A member of a zip that says nothing of when or where it was made; ``size`` where it may be over 2 GiB."""
    entry = zipfile.ZipInfo(name, date_time=_CLOCK)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o100644 << 16
    entry.file_size = size  # by which zipfile leaves room for sizes of 64 bits
    return entry


def write_zip(folder: Path, target: IO[bytes], tell: Callable[[str, int], None] = lambda name, done: None) -> None:
    """All files of a folder as a zip, of any size, read piece by piece; ``tell`` hears of the bytes of each so far."""
    with zipfile.ZipFile(target, "w", compression=zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
            if path.is_dir():
                continue
            entry = zip_entry(path.relative_to(folder).as_posix(), size=path.stat().st_size)
            with archive.open(entry, "w") as inside, path.open("rb") as source:
                while piece := source.read(1 << 20):
                    inside.write(piece)
                    tell(entry.filename, source.tell())

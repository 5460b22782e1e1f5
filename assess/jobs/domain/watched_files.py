"""Kept files, read while somebody watches how far the reading is, and may stop it."""

from __future__ import annotations

import io
from typing import Any, BinaryIO, cast

from assess.base.files import open_file
from assess.jobs.progress import Progress, Tell, quiet

BUFFER = 1 << 17


def open_watched(sha256: str, *, progress: Tell = quiet, note: str = "") -> BinaryIO:
    """The kept file, opened for reading; ``progress`` hears of the bytes and lines read, 128 kB at a time."""
    return watched(open_file(sha256), progress=progress, note=note)


def watched(file: BinaryIO, *, progress: Tell, note: str = "") -> BinaryIO:
    """An open file, watched from where it stands; closing it closes the file. ``progress`` may stop the reading."""
    return cast(BinaryIO, io.BufferedReader(cast(Any, _Watched(file, progress, note)), BUFFER))


class _Watched(io.RawIOBase):
    """Passes on a file's bytes and tells how many have been read since its start."""

    def __init__(self, file: BinaryIO, progress: Tell, note: str) -> None:
        self._file, self._progress, self._note = file, progress, note
        self._total = file.seek(0, io.SEEK_END)
        file.seek(0)
        self._lines = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        place = self._file.seek(offset, whence)
        if place == 0:
            self._lines = 0
        return place

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, target: Any) -> int:
        chunk = self._file.read(len(target))
        target[: len(chunk)] = chunk
        self._lines += chunk.count(b"\n")
        note = f"{self._note}{self._lines:,} lines read"
        self._progress(Progress(done=self._file.tell(), total=self._total, unit="bytes", note=note))
        return len(chunk)

    def close(self) -> None:
        self._file.close()
        super().close()

"""Folders for what is needed only while something is done, which a killed program leaves behind for no longer than
until the next one begins.
"""

from __future__ import annotations

import fcntl
import glob
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SUFFIX = ".scratch"
"""How such a folder's name ends, after its prefix and eight random characters: nobody else names one like that."""


@contextmanager
def scratch_folder(*, prefix: str, place: Path | None = None) -> Iterator[Path]:
    """A new folder in ``place`` (default: the system's for temporary files), gone afterwards.

    The system lets go the lock on it when this process ends, however it ends; so folders of the same ``prefix`` that
    nobody holds are what killed programs left, and are removed first. The prefix must be this program's own, and is not
    enough: who unpacks a release may well call the folder `assay-release-2026`.
    """
    where = Path(tempfile.gettempdir()) if place is None else place
    _sweep(where, prefix)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, suffix=_SUFFIX, dir=where))
        try:
            handle = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:  # another program swept it before it was held
            continue
        fcntl.flock(handle, fcntl.LOCK_EX)
        if folder.is_dir():
            break
        os.close(handle)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)


def _sweep(where: Path, prefix: str) -> None:
    for folder in where.glob(f"{glob.escape(prefix)}????????{_SUFFIX}"):
        try:
            if folder.is_symlink() or not folder.is_dir() or folder.stat().st_uid != os.getuid():
                continue
            handle = os.open(folder, os.O_RDONLY)
        except OSError:  # it is gone, or another account's
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:  # somebody works in it
            continue
        finally:
            os.close(handle)

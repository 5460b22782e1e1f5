"""Makes folders for temporary files. If the program is killed, its folder stays only until the next program starts."""

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
"""The end of such a folder's name, after its prefix and eight random characters; no other program uses it."""


@contextmanager
def scratch_folder(*, prefix: str, place: Path | None = None) -> Iterator[Path]:
    """Make a new folder in ``place`` (default: the system's place for temporary files), and remove it afterwards.

    The folder is locked, and the system releases the lock when this process ends, however it ends. So unlocked folders
    of this kind were left by killed programs, and they are removed first. A folder is of this kind if its name has the
    same ``prefix``, which only this program may use, and also this module's suffix: somebody who unpacks a release may
    well call the folder `assay-release-2026`.
    """
    where = Path(tempfile.gettempdir()) if place is None else place
    _sweep(where, f"{glob.escape(prefix)}????????{_SUFFIX}")
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, suffix=_SUFFIX, dir=where))
        try:
            handle = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:  # another program removed it before it was locked
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


def sweep_scratch(prefix: str, *, place: Path | None = None) -> None:
    """Remove the folders that killed programs left in ``place`` (default: the system's place for temporary files).
    Their prefixes may be this one or any that begins with it.
    """
    where = Path(tempfile.gettempdir()) if place is None else place
    _sweep(where, f"{glob.escape(prefix)}*????????{_SUFFIX}")


def _sweep(where: Path, pattern: str) -> None:
    for folder in where.glob(pattern):
        try:
            if folder.is_symlink() or not folder.is_dir() or folder.stat().st_uid != os.getuid():
                continue
            handle = os.open(folder, os.O_RDONLY)
        except OSError:  # it is gone, or belongs to another account
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:  # another program is using it
            continue
        finally:
            os.close(handle)

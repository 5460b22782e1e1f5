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

    Folders that killed programs left are removed first. These are unlocked folders of this account with the same
    ``prefix``, which only this program may use, and this module's suffix, which nobody gives a folder by chance. The
    new folder is locked, and the system releases the lock when this process ends, however it ends.
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
    """Remove the scratch folders that killed programs left, if their prefixes begin with this one.

    They are looked for in ``place`` (default: the system's place for temporary files). Folders in use are left alone.
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

"""Files that only the site's own user may read: files 0600, folders 0700, whatever the shell's umask is.

Judgments, passwords' digests and run files are in the data folder, in exports, releases and backups. Settings call
`begin_privately`, so every process of the site begins with it; `tighten` repairs what older versions left open. The
module doesn't import Django, since settings use it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from scoring.reading.scratch import scratch_folder

OWNER_ALONE = 0o077
"""The umask: the permissions that group and others never get."""

DATABASE = "assay.sqlite3"
_BESIDE_DATABASE = ("", "-wal", "-shm", "-journal")


def begin_privately(folder: Path, *, make: bool = True) -> None:
    """Make everything that this process and its children create private, and close the data folder to others.

    Unless ``make`` is true, a missing folder is not made. Six system calls are enough, since nothing deeper in the
    closed folder can be reached through it.
    """
    os.umask(OWNER_ALONE)
    if make:
        folder.mkdir(parents=True, exist_ok=True)
    for path in (folder, *(folder / f"{DATABASE}{end}" for end in _BESIDE_DATABASE), folder / "secret-key"):
        _close(path)


def tighten(folder: Path) -> list[Path]:
    """Remove all permissions of group and others from everything in a folder; links are not followed.

    A shared folder with a sticky bit, such as /tmp, is left as it is. Return the paths that are open to others and
    belong to another account: their owner has to close them.
    """
    if _is_shared(folder):
        return []
    left = [] if _close(folder) else [folder]
    for place, folders, files in os.walk(folder):
        left += [path for name in (*folders, *files) if not _close(path := Path(place, name))]
    return left


def create_private(path: Path) -> BinaryIO:
    """Return a file, opened for writing, that only its owner can read; an existing file is emptied and made private."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        if stat.S_ISREG(os.fstat(handle).st_mode):  # permissions of /dev/stdout must stay
            os.fchmod(handle, 0o600)
    except PermissionError:
        os.close(handle)
        raise
    return os.fdopen(handle, "wb")


@contextmanager
def replace_privately(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that replaces ``path`` completely or not at all: it is written privately, then renamed.

    If ``path`` exists and is not a plain file (/dev/stdout, a pipe), it is written to directly. Raises `OSError` if it
    can't be written.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    target = path.resolve()  # a link to the file stays a link
    with scratch_folder(prefix=f".{target.name[:100]}-assay-", place=target.parent) as beside:
        with create_private(beside / "complete") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        (beside / "complete").replace(target)


def _close(path: Path) -> bool:
    """Remove the permissions of others, and return whether only the owner can read it now."""
    try:
        mode = path.lstat().st_mode
        if not mode & OWNER_ALONE or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or _is_shared(path):
            return True
        path.chmod(stat.S_IMODE(mode) & ~OWNER_ALONE)
    except FileNotFoundError:  # a cache or an upload that was just finished
        return True
    except PermissionError:
        return False
    return True


def _is_shared(path: Path) -> bool:
    mode = path.lstat().st_mode
    return stat.S_ISDIR(mode) and bool(mode & stat.S_ISVTX)

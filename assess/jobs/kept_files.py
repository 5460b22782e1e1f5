"""Cached files, shared by all processes of a site and kept over restarts.

They are in `DATA_DIR/<what>/<campaign>/`. A file may be deleted at any time and is then made again, so backups leave
them out.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, BinaryIO

from django.conf import settings


def kept_folder(what: str, campaign: int) -> Path:
    """Return the folder of a campaign's cached files of one sort, such as its exports."""
    return Path(settings.DATA_DIR) / what / str(campaign)


def open_kept(path: Path) -> BinaryIO:
    """Open a cached file and mark it as the last one used. Raises `FileNotFoundError` if it is not cached."""
    file = path.open("rb")
    os.utime(path)
    return file


def keep_file(path: Path, write: Callable[[IO[bytes]], object], *, most: int) -> None:
    """Store what ``write`` writes; a reader at the same moment finds either the whole file or none.

    Of the files in the folder with the same file name extension, the ``most`` that were used last are kept, and the
    others deleted.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix="incoming-", delete=False) as file:
        try:
            write(file)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    Path(file.name).replace(path)
    for old in sorted(path.parent.glob(f"*{path.suffix}"), key=_opened_at)[:-most]:
        old.unlink(missing_ok=True)


def _opened_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # another process dropped it
        return 0.0

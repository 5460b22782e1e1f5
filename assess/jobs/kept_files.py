"""Files of what was made once, for as many as ask: all processes of a site have them, and so does a restart.

`DATA_DIR/<what>/<campaign>/`. Such a file may go at any time: then it is made again, so backups leave it out.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, BinaryIO

from django.conf import settings


def kept_folder(what: str, campaign: int) -> Path:
    """Return the folder of what is kept of a campaign under this name."""
    return Path(settings.DATA_DIR) / what / str(campaign)


def open_kept(path: Path) -> BinaryIO:
    """Open a kept file, which is the last to go from now on. Raises `FileNotFoundError` where it is not kept."""
    file = path.open("rb")
    os.utime(path)
    return file


def keep_file(path: Path, write: Callable[[IO[bytes]], object], *, most: int) -> None:
    """Store what ``write`` writes; a reader at the same moment finds either the whole file or none.

    Of files with the same ending ``most`` stay in the folder; of more those go that nobody has opened for longest.
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

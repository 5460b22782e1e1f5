"""Who does a background job: a lock on a small file in the data folder, which the system itself lets go when the
process that holds it ends, however it ends. So nobody waits for a clock to learn that a worker is gone.

All processes of a site share the data folder, so this holds for several workers, too.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection

MOMENT = 0.02


@contextmanager
def holding(job: int, *, patience: float = 0.0) -> Iterator[bool]:
    """Hold a job while it is done. False where another holds it for longer than ``patience`` seconds."""
    path, until = _path(job), time.monotonic() + patience
    path.parent.mkdir(parents=True, exist_ok=True)
    while (handle := _taken(path)) is None and time.monotonic() < until:
        time.sleep(MOMENT)
    try:
        yield handle is not None
    finally:
        if handle is not None:
            path.unlink(missing_ok=True)
            os.close(handle)


def is_held(job: int) -> bool:
    """Whether a process that lives does this job now. It costs two system calls where nobody does."""
    try:
        handle = os.open(_path(job), os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _taken(path: Path) -> int | None:
    """The file, locked; None where somebody else has it, or has just taken it away."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.stat().st_ino == os.fstat(handle).st_ino:
            return handle
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(handle)
    return None


def _path(job: int) -> Path:
    """One file a job; two databases that use one folder, as tests do, have jobs of the same number."""
    place = "|".join(str(connection.settings_dict.get(part)) for part in ("HOST", "PORT", "NAME"))
    return Path(settings.DATA_DIR) / "jobs" / f"{hashlib.sha256(place.encode()).hexdigest()[:12]}-{job}"

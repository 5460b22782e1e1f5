"""Who does a background job, told by a lock on a file; and whether a worker is there, told by its heartbeat."""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection

from assess.base.private_files import create_private

# Who does a background job: a lock on a small file in the data folder, which the system itself lets go when the
# process that holds it ends, however it ends. So nobody waits for a clock to learn that a worker is gone.
#
# All processes of a site share the data folder, so this holds for several workers, too.

MOMENT = 0.02


@contextmanager
def holding(job: int | str, *, patience: float = 0.0) -> Iterator[bool]:
    """Hold a job, or what else has a name, while it is done. False where another holds it for longer than
    ``patience`` seconds.
    """
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
    """Return whether a process that lives does this job now. It costs two system calls where nobody does."""
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


def _path(job: int | str) -> Path:
    """One file a job; two databases that use one folder, as tests do, have jobs of the same number."""
    place = "|".join(str(connection.settings_dict.get(part)) for part in ("HOST", "PORT", "NAME"))
    return Path(settings.DATA_DIR) / "jobs" / f"{hashlib.sha256(place.encode()).hexdigest()[:12]}-{job}"


# Whether a worker is there: it says so every few seconds in a file of the data folder, whatever it is doing.
#
# The file's time is what counts. It is no row of the database, since a worker that waits for the database is there,
# too.

logger = logging.getLogger(__name__)

EVERY = 10.0
RECENTLY = 60.0
"""A worker that said nothing for so many seconds is taken to be gone."""


def beat() -> None:
    """Say that a worker is there. A disk that takes no file is logged; it is no reason for the worker to end."""
    try:
        create_private(_place()).close()
    except OSError as error:
        logger.warning("the worker can't say that it is there: %s", error)


def keep_beating(*, every: float = EVERY) -> threading.Event:
    """Beat now and every few seconds, from a thread that ends with the process, or when the event is set."""
    stop = threading.Event()

    def go_on() -> None:
        beat()
        while not stop.wait(every):
            beat()

    threading.Thread(target=go_on, name="heartbeat", daemon=True).start()
    return stop


def seconds_since_beat() -> float | None:
    """Return how long ago a worker said that it is there, by the clock of this machine; None where none ever did."""
    try:
        return time.time() - _place().stat().st_mtime
    except OSError:
        return None


def _place() -> Path:
    return Path(settings.DATA_DIR) / "worker-seen"

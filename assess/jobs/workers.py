"""Which process does a background job, shown by a lock on a file; whether a worker is alive, shown by its heartbeat."""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection

from assess.base.private_files import create_private

# A process that does a job holds a lock on a small file in the data folder. The system itself releases it when the
# process ends, however it ends. So no timeout is needed to notice that a worker is gone.
#
# All processes of a site share the data folder, so this holds for several workers, too.

MOMENT = 0.02


@contextmanager
def holding(job: int | str, *, patience: float = 0.0) -> Iterator[bool]:
    """Hold a job, or anything else by its name, within the block, and yield True.

    Yields False, and holds nothing, if another process holds it for longer than ``patience`` seconds.
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


def is_held(job: int | str) -> bool:
    """Return whether a living process does this job now. It costs one system call for most jobs that nobody does."""
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
    """Make the file if it is missing, and return a handle of it, locked; None if another process holds it or has just
    deleted it.
    """
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
    """Return the lock file of a job; two databases with one data folder, as in tests, get different files."""
    place = "|".join(str(connection.settings_dict.get(part)) for part in ("HOST", "PORT", "NAME"))
    return Path(settings.DATA_DIR) / "jobs" / f"{hashlib.sha256(place.encode()).hexdigest()[:12]}-{job}"


# Whether a worker is alive: it touches a file of the data folder every few seconds, whatever it is doing. There is one
# file for each queue, since a worker of one says nothing of the jobs that wait in the other.
#
# Only the file's time counts. It is not a database row, since a worker that waits for the database is alive,
# too.

logger = logging.getLogger(__name__)

EVERY = 10.0
QUEUES = LONG, SHORT = "default", "short"
"""The queues of jobs.

An import or a release may take an hour. People wait for a check, a count or scores, so these have a worker of their own
(`manage.py serve` starts one for each queue).
"""
RECENTLY = 60.0
"""A worker without a heartbeat for this many seconds is considered gone."""


def beat(queues: Sequence[str] = QUEUES) -> None:
    """Record a heartbeat of the worker for these queues. A disk error is logged, and does not end the worker."""
    try:
        for queue in queues:
            create_private(_place(queue)).close()
    except OSError as error:
        logger.warning("the worker can't say that it is there: %s", error)


def keep_beating(queues: Sequence[str] = QUEUES, *, every: float = EVERY) -> threading.Event:
    """Record a heartbeat now and every few seconds, in a thread that ends with the process.

    Setting the returned event ends it earlier.
    """
    stop = threading.Event()

    def go_on() -> None:
        beat(queues)
        while not stop.wait(every):
            beat(queues)

    threading.Thread(target=go_on, name="heartbeat", daemon=True).start()
    return stop


def seconds_since_beat() -> float | None:
    """Return the seconds since a worker's last heartbeat, for the queue whose heartbeat is the oldest.

    Measured by this machine's clock. A heartbeat in the future, from before the clock was set back, is as old as it is
    far. None if one of the queues never had a worker.
    """
    now = time.time()
    try:
        return max(abs(now - _place(queue).stat().st_mtime) for queue in QUEUES)
    except OSError:
        return None


def _place(queue: str) -> Path:
    return Path(settings.DATA_DIR) / ("worker-seen" if queue == LONG else f"worker-seen-{queue}")

"""Whether a worker is there: it says so every few seconds in a file of the data folder, whatever it is doing.

The file's time is what counts. It is no row of the database, since a worker that waits for the database is there, too.
"""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path

from django.conf import settings

from assess.base.private_files import create_private

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
    """How long ago a worker said that it is there, by the clock of this machine; None where none ever did."""
    try:
        return time.time() - _place().stat().st_mtime
    except OSError:
        return None


def _place() -> Path:
    return Path(settings.DATA_DIR) / "worker-seen"

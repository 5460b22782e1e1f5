"""SQLite's write-ahead log, which holds what was deleted until it is written into the database."""

from __future__ import annotations

import logging
from threading import Timer

from django.db import connection

logger = logging.getLogger(__name__)
ATTEMPTS, PAUSE = 40, 0.05


def empty_write_ahead_log(attempts: int = ATTEMPTS) -> None:
    """Empty the log after something was deleted for good; the database itself overwrites what is deleted.

    While somebody reads, that fails; it is then tried again in the background, so that nobody waits. If somebody reads
    at every attempt, the log is emptied when the site stops. On PostgreSQL nothing is done.
    """
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if not cursor.fetchone()[0]:  # whether somebody was in the way
            return
    if attempts:
        Timer(PAUSE, _try_again, (attempts - 1,)).start()
    else:
        logger.warning("what was deleted stays in the database's log until the site stops: somebody read all the time")


def _try_again(attempts: int) -> None:
    try:
        empty_write_ahead_log(attempts)
    finally:
        connection.close()  # this thread's own

"""Django's SQLite backend, whose writers take turns.

SQLite lets one connection write at a time. One that finds it busy sleeps, longer each time, up to a tenth of a second,
while any other that tries at the right moment goes first, so that some wait for seconds (docs/decisions/0011). Here
those who begin a transaction stand in a queue, which the system keeps for a lock of the database's folder. The backend
also notices a database whose file was replaced.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

GLANCES = 2
"""Milliseconds for which SQLite itself waits for its lock, looking every millisecond, before the backend asks again."""
LOOKS = 50
"""How often the first in the queue asks before it goes to the end, so that nobody who waits for five seconds stands
behind a command that waits for a minute.
"""


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that waits for SQLite's lock as long as the option ``timeout`` says. Those who came first get the
    lock first.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._opened: tuple[int, int] | None = None
        self.execute_wrappers.append(self._wait_for_lock)

    def get_new_connection(self, conn_params: Any) -> Any:
        """Open the database, and remember which file it is."""
        opened = super().get_new_connection(conn_params)
        opened.execute(f"PRAGMA busy_timeout = {GLANCES}")
        self._opened = self._file_there()
        return opened

    def is_usable(self) -> bool:
        """Return whether the database's file is still the one that this connection opened. Without this check, a
        connection would go on using a file that was replaced.
        """
        return self._opened == self._file_there()

    def _file_there(self) -> tuple[int, int] | None:
        """Return the device and inode of the database's file, or None if there is no file."""
        try:
            found = os.stat(self.settings_dict["NAME"])
        except OSError:
            return None
        return found.st_dev, found.st_ino

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until this connection is the first in the queue for SQLite's lock, and stay the first while the block
        runs.
        """
        folder = os.open(Path(self.settings_dict["NAME"]).parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _wait_for_lock(self, execute: Callable[..., Any], sql: str, values: Any, many: bool, context: Any) -> Any:
        """Run a statement. If it begins a transaction or is outside of one, try again until SQLite is free. Raises
        OperationalError if it is not free in time.

        Statements inside a transaction, and those that are run for many rows, are run once.
        """
        if self.in_atomic_block or many:
            return execute(sql, values, many, context)
        end = time.monotonic() + self.settings_dict["OPTIONS"].get("timeout", 5)
        while True:
            with self._turn() if sql.startswith("BEGIN") else nullcontext():
                for _ in range(LOOKS):
                    began = time.monotonic()
                    try:
                        return execute(sql, values, many, context)
                    except OperationalError as error:
                        code = getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF  # without why it is busy
                        if code != sqlite3.SQLITE_BUSY or began >= end:
                            raise

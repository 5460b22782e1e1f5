"""Django's SQLite backend, whose writers proceed in the order in which they arrived.

SQLite lets one connection write at a time. One that finds it busy sleeps, longer each time, while any other that tries
at the right moment goes first, so that some wait for seconds (docs/decisions/0011). Here each writer takes a number
from a file beside the database, and locks the byte with that number until it is done. A writer that finds no byte
before its own locked is next. The system releases the locks of a process whenever it ends, so nobody waits for it in
vain. The queue only decides who tries next: SQLite's own lock keeps writers apart.
"""

from __future__ import annotations

import fcntl
import os
import re
import sqlite3
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db.backends.sqlite3 import base, creation
from django.db.utils import OperationalError

WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE|REPLACE)\b", re.IGNORECASE)
AT_ONCE = 0.05
"""A wait in the queue shorter than these seconds is not deducted from the wait for SQLite's own lock."""
COUNTER = 8
"""How many bytes at the beginning of the file hold the newest number."""
GLANCE, LOOK_AWAY = 0.0001, 0.005
"""Seconds between two looks of the next writer, and the most for writers far behind."""
_FLOCK = "hhqqi4x"
"""The system's structure for a lock on bytes: type, origin, start, length, process."""


class Late(Exception):
    """The writer's turn did not come in time."""


class WriteQueue:
    """One connection's place in the queue. There is no queue if the system lacks such locks or the file can't be
    opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None
        self._number = 0

    @property
    def is_in(self) -> bool:
        """Return whether this connection has its turn."""
        return self._number > 0

    def enter(self, seconds: float) -> float:
        """Wait for this connection's turn and return the seconds it took. Raises `Late` after ``seconds``."""
        began = time.monotonic()
        if self.is_in or not self._take_number(began + seconds):
            return 0.0
        try:
            while ahead := self._nearest_ahead():
                if time.monotonic() - began >= seconds:
                    raise Late
                time.sleep(min(GLANCE * (self._number - ahead) ** 2, LOOK_AWAY))
        except BaseException:
            self.leave()
            raise
        return time.monotonic() - began

    def leave(self) -> None:
        """Let the next writer go. Does nothing if this connection is not in the queue."""
        if self.is_in:
            self._lock(fcntl.F_UNLCK, COUNTER + self._number, 1)
        self._number = 0

    def close(self) -> None:
        """Leave the queue and close its file."""
        self.leave()
        if self._file is not None:
            os.close(self._file)
        self._file = None

    def _take_number(self, until: float) -> bool:
        """Take the next number and lock its byte. Return False if there is no queue."""
        try:
            if self._file is None:
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            while not self._lock(fcntl.F_WRLCK, 0, COUNTER):
                if time.monotonic() >= until:
                    raise Late
                time.sleep(GLANCE)
            try:
                number = int.from_bytes(os.pread(self._file, COUNTER, 0), "big") % (1 << 62) + 1
                os.pwrite(self._file, number.to_bytes(COUNTER, "big"), 0)
                self._lock(fcntl.F_WRLCK, COUNTER + number, 1)
            finally:
                self._lock(fcntl.F_UNLCK, 0, COUNTER)
        except (OSError, AttributeError):  # a full disk, or a system without these locks: SQLite's own waiting remains
            return False
        self._number = number
        return True

    def _nearest_ahead(self) -> int:
        """Return the number of another connection that is ahead of this one, or 0 if it is this one's turn."""
        asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, COUNTER, self._number, 0)
        kind, _, start, _, _ = struct.unpack(_FLOCK, fcntl.fcntl(self._file or 0, fcntl.F_OFD_GETLK, asked))
        return 0 if kind == fcntl.F_UNLCK else max(start - COUNTER, 1)

    def _lock(self, kind: int, start: int, length: int) -> bool:
        """Set or release a lock on these bytes without waiting. Return False if another connection holds a lock on
        them.
        """
        asked = struct.pack(_FLOCK, kind, os.SEEK_SET, start, length, 0)
        try:
            fcntl.fcntl(self._file or 0, fcntl.F_OFD_SETLK, asked)
        except (BlockingIOError, PermissionError):
            return False
        return True


class DatabaseCreation(creation.DatabaseCreation):
    """Makes the databases of tests, and removes them with their queues."""

    def destroy_test_db(self, *args: Any, **kwargs: Any) -> None:
        """Remove the database of the tests and its queue."""
        database = self.connection.settings_dict["NAME"]
        super().destroy_test_db(*args, **kwargs)
        if not self.is_in_memory_db(database):
            queue_of(database).unlink(missing_ok=True)


def queue_of(database: object) -> Path:
    """Return the file of the queue, which is beside the database."""
    return Path(f"{database}-queue")


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that waits for its turn before a transaction, and before a writing statement outside of one.

    The option ``timeout`` limits all of its waiting. After that it fails as SQLite does: "database is locked".
    """

    creation_class = DatabaseCreation

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._queue: WriteQueue | None = None
        self._opened: tuple[int, int] | None = None
        self.execute_wrappers.append(self._alone)

    def get_new_connection(self, conn_params: Any) -> Any:
        """Open the database, and remember which file it is."""
        opened = super().get_new_connection(conn_params)
        self._opened = self._file_there()
        return opened

    def is_usable(self) -> bool:
        """Return whether the database's file is still the one that this connection opened. Without this check nobody
        would notice that the file was replaced.
        """
        return self._opened == self._file_there()

    def _file_there(self) -> tuple[int, int] | None:
        """Return the device and inode of the database's file, or None if there is no file."""
        try:
            found = os.stat(self.settings_dict["NAME"])
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def set_autocommit(self, autocommit: bool, force_begin_transaction_with_broken_autocommit: bool = False) -> None:
        """Begin a transaction when its turn comes, or end one."""
        if autocommit:
            super().set_autocommit(autocommit, force_begin_transaction_with_broken_autocommit)
            return
        self.close_if_health_check_failed()
        self.ensure_connection()
        waited = self._enter()
        try:
            if waited > AT_ONCE:
                self._wait_for_lock(max(self._patience() - waited, 0))
            super().set_autocommit(autocommit, force_begin_transaction_with_broken_autocommit)
        except BaseException:
            self._leave()
            raise
        finally:
            if waited > AT_ONCE:
                self._wait_for_lock(self._patience())

    def commit(self) -> None:
        """Commit, and let the next writer go."""
        super().commit()
        self._leave()

    def rollback(self) -> None:
        """Roll back, and let the next writer go."""
        try:
            super().rollback()
        finally:
            self._leave()

    def close(self) -> None:
        """Close the connection and the queue's file."""
        try:
            super().close()
        finally:
            if self._queue is not None:
                self._queue.close()
                self._queue = None

    def _alone(self, execute: Callable[..., Any], statement: str, values: Any, many: bool, context: Any) -> Any:
        """Run a statement. One that writes outside of a transaction waits for its turn."""
        if self.in_atomic_block or (self._queue is not None and self._queue.is_in) or not WRITES.match(statement):
            return execute(statement, values, many, context)
        self._enter()
        try:
            return execute(statement, values, many, context)
        finally:
            self._leave()

    def _enter(self) -> float:
        if self._queue is None:
            if self.is_in_memory_db():
                return 0.0
            self._queue = WriteQueue(queue_of(self.settings_dict["NAME"]))
        try:
            return self._queue.enter(self._patience())
        except Late as late:
            busy = sqlite3.OperationalError("database is locked")
            busy.sqlite_errorname, busy.sqlite_errorcode = "SQLITE_BUSY", sqlite3.SQLITE_BUSY
            busy.__cause__ = late
            raise OperationalError("database is locked") from busy

    def _leave(self) -> None:
        if self._queue is not None:
            self._queue.leave()

    def _patience(self) -> float:
        return float(self.settings_dict["OPTIONS"].get("timeout", 5))

    def _wait_for_lock(self, seconds: float) -> None:
        """Set how long SQLite itself waits for its lock from now on."""
        if self.connection is not None:
            self.connection.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")

"""Django's SQLite backend, whose writers pass in the order in which they came.

SQLite lets one write at a time; who finds it busy sleeps, longer each time, and whoever comes by at the right moment
goes first, so that some wait for seconds while others pass (docs/decisions/0011). Here each writer takes a number from
a file beside the database, and holds a lock on the byte with that number until it is done. Whoever finds no byte before
its own locked is next. The system gives the locks of a process back when it ends, however it ends, so nobody is waited
for in vain. The queue only says who tries next: what keeps writers apart is SQLite's own lock.
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
"""Who waited for fewer seconds than this waits for SQLite's own lock as if it had not waited at all."""
COUNTER = 8
"""How many bytes at the beginning of the file hold the newest number given out."""
GLANCE, LOOK_AWAY = 0.0001, 0.005
"""After how many seconds who is next looks again, and who is far behind at most."""
_FLOCK = "hhqqi4x"
"""The system's record of a lock on bytes: type, from where, start, length, process."""


class Late(Exception):
    """It was not one's turn in time."""


class WriteQueue:
    """One connection's place in the queue; none where the system has no such locks, or the file can't be had."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None
        self._number = 0

    @property
    def is_in(self) -> bool:
        """Whether this connection has its turn."""
        return self._number > 0

    def enter(self, seconds: float) -> float:
        """Wait for one's turn; how many seconds it took. `Late` after so many ``seconds``."""
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
        """Let the next one go. Nothing happens to who is not in the queue."""
        if self.is_in:
            self._lock(fcntl.F_UNLCK, COUNTER + self._number, 1)
        self._number = 0

    def close(self) -> None:
        """Leave, and give the file back."""
        self.leave()
        if self._file is not None:
            os.close(self._file)
        self._file = None

    def _take_number(self, until: float) -> bool:
        """Take the next number and lock its byte. False where there is no queue."""
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
        except (OSError, AttributeError):  # a full disk, a system without these locks: SQLite's own waiting is left
            return False
        self._number = number
        return True

    def _nearest_ahead(self) -> int:
        """A number before one's own that somebody holds; 0 where it is one's turn."""
        asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, COUNTER, self._number, 0)
        kind, _, start, _, _ = struct.unpack(_FLOCK, fcntl.fcntl(self._file or 0, fcntl.F_OFD_GETLK, asked))
        return 0 if kind == fcntl.F_UNLCK else max(start - COUNTER, 1)

    def _lock(self, kind: int, start: int, length: int) -> bool:
        """Change a lock on bytes at once; False where somebody else has one there."""
        asked = struct.pack(_FLOCK, kind, os.SEEK_SET, start, length, 0)
        try:
            fcntl.fcntl(self._file or 0, fcntl.F_OFD_SETLK, asked)
        except (BlockingIOError, PermissionError):
            return False
        return True


class DatabaseCreation(creation.DatabaseCreation):
    """Makes the databases of tests, and takes them away with their queues."""

    def destroy_test_db(self, *args: Any, **kwargs: Any) -> None:
        """Take the database of the tests away, and its queue with it."""
        database = self.connection.settings_dict["NAME"]
        super().destroy_test_db(*args, **kwargs)
        if not self.is_in_memory_db(database):
            queue_of(database).unlink(missing_ok=True)


def queue_of(database: object) -> Path:
    """Return the file of the queue, beside the database."""
    return Path(f"{database}-queue")


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that waits for its turn before a transaction, and before a statement that writes outside of one.

    Its whole patience is the option ``timeout``. After that it fails as SQLite does: "database is locked".
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
        """Return whether the database is still the file that was opened: one put in its place would never be
        looked at.
        """
        return self._opened == self._file_there()

    def _file_there(self) -> tuple[int, int] | None:
        """Which file stands where the database is, None where none does."""
        try:
            found = os.stat(self.settings_dict["NAME"])
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def set_autocommit(self, autocommit: bool, force_begin_transaction_with_broken_autocommit: bool = False) -> None:
        """Begin a transaction in its turn, or end the time of one."""
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
        """Commit, and let the next one go."""
        super().commit()
        self._leave()

    def rollback(self) -> None:
        """Roll back, and let the next one go."""
        try:
            super().rollback()
        finally:
            self._leave()

    def close(self) -> None:
        """Close the connection, and give the queue's file back."""
        try:
            super().close()
        finally:
            if self._queue is not None:
                self._queue.close()
                self._queue = None

    def _alone(self, execute: Callable[..., Any], statement: str, values: Any, many: bool, context: Any) -> Any:
        """Run a statement; one that writes outside of a transaction in its turn."""
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
        """How long SQLite itself waits for its lock from here on."""
        if self.connection is not None:
            self.connection.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")

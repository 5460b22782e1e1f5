"""Temporary outages that are nobody's fault: a lock, a full disk, a database that does not answer.

Whatever fails in such a case raises an error of the database or of the system; `outage_of` identifies the outage. Pages
and the API each answer it in one place, and the worker survives it. All other errors are bugs.
"""

from __future__ import annotations

import errno
import shutil
import sqlite3
from typing import Any

from django.conf import settings
from django.db import Error, InterfaceError, OperationalError, connection
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, override

from assess.base.errors import Refused

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
LITTLE = 2 * 1024 * 1024
"""The free space in bytes below which SQLite may fail to write before the system reports a full disk."""

LOCKED = {"55P03", "40001", "40P01", "57014"}
"""PostgreSQL's lock_not_available, serialization_failure, deadlock_detected, query_canceled (it took too long)."""


class Outage(Refused):
    """Something can't be done now, but may be possible later. Nothing of it is stored.

    ``cause`` is the sentence that says why; ``details`` are for the administrator, and never sent to anybody.
    """

    status = 503
    code = "unavailable"
    cause: str | Promise = gettext_lazy("This can't be done now.")
    then: str | Promise = gettext_lazy("Nothing of it was stored. Send it again in a moment.")
    retry_after = 5
    """The number of seconds after which another try is worthwhile."""

    def __init__(self, *, details: str = "") -> None:
        super().__init__(f"{self.cause} {self.then}")
        self.details = details

    @property
    def logged(self) -> str:
        """The cause for the log, which is always in English."""
        with override("en"):
            return str(self.cause)


class Locked(Outage):
    """Another program or a long job holds the database."""

    code = "busy"
    cause = gettext_lazy("The site is busy with other work and could not do this in time.")


class Away(Outage):
    """The database does not answer."""

    code = "database-away"
    cause = gettext_lazy("The database of the site does not answer.")
    retry_after = 10


class StoreAway(Outage):
    """The storage of documents does not answer."""

    code = "store-away"
    cause = gettext_lazy("The store of the documents does not answer.")
    retry_after = 10


class DiskFull(Outage):
    """There is no room on the disk for what was to be stored."""

    status = 507
    code = "disk-full"
    cause = gettext_lazy("The disk of the site is full.")
    then = gettext_lazy(
        "Nothing of this was stored. Tell whoever runs the site; as soon as there is room, it can be sent again."
    )
    retry_after = 30


class ReadOnlyDisk(Outage):
    """Nothing can be stored on the disk: the system has set it to read-only, as after an error of the disk."""

    cause = gettext_lazy("The disk of the site can't be written to.")
    retry_after = 30


def outage_of(error: BaseException | None) -> Outage | None:
    """Return the outage that an error, or an error that caused it, comes from; None for any other error."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, Outage):
            return error
        if (outage := _outage(error)) is not None:
            return outage
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return None


def _outage(error: BaseException) -> Outage | None:
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return DiskFull(details=_details(error))
    if isinstance(error, OSError) and error.errno == errno.EROFS:
        return ReadOnlyDisk(details=_details(error))
    if isinstance(error, sqlite3.Error):  # also of a file that is no database of Django's, such as a backup
        return _of_sqlite(error, getattr(error, "sqlite_errorname", ""))
    if not isinstance(error, Error):
        return None
    if connection.vendor == "sqlite":
        return _of_sqlite(error, getattr(error.__cause__, "sqlite_errorname", ""))
    return _of_postgresql(error)


def _of_sqlite(error: Exception, name: str) -> Outage | None:
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return Locked(details=_details(error))
    if name.startswith("SQLITE_FULL"):
        return DiskFull(details=_details(error))
    if name == "SQLITE_READONLY":
        return ReadOnlyDisk(details=_details(error))
    if name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY_", "SQLITE_PROTOCOL")):
        return (DiskFull if "WRITE" in name or _is_nearly_full() else Away)(details=_details(error))
    return None


def _of_postgresql(error: Error) -> Outage | None:
    """Return the outage that PostgreSQL's five-character code shows, or None if the error is not an outage.

    The code is missing if a connection broke or failed; that is an outage, too.
    """
    if not isinstance(error, OperationalError | InterfaceError):
        return None
    state = str(getattr(error.__cause__, "sqlstate", None) or "")
    if state in LOCKED:
        return Locked(details=_details(error))
    if state == "53100":
        return DiskFull(details=_details(error))
    if not state or state[:2] in ("08", "53", "57", "58", "3D", "28"):
        return Away(details=_details(error))
    return None


def has_room(size: int) -> bool:
    """Return whether the disk keeps its reserve for judging after a file of this size in bytes is stored."""
    return shutil.disk_usage(settings.DATA_DIR).free - size >= settings.ASSAY_RESERVE_MB * 1_000_000


def _is_nearly_full() -> bool:
    try:
        return shutil.disk_usage(settings.DATA_DIR).free < LITTLE
    except OSError:
        return False


def _details(error: BaseException) -> str:
    """Return the error's own message on one line; for an error of the database, with the database's place but not its
    password.
    """
    words = " ".join(str(error).split())
    if not isinstance(error, Error):
        return f"({words})"
    place: dict[str, Any] = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"({place['NAME']}: {words})"
    return f"(PostgreSQL at {place['HOST'] or 'the local socket'}:{place['PORT'] or 5432}/{place['NAME']}: {words})"

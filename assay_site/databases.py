"""The site's database: SQLite in the data folder, or the PostgreSQL database that an address names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connections

from assay_site.environment import BadValue, setting
from assess.base.private_files import DATABASE

PATIENT_SQLITE = "assay_site.patient_sqlite"
"""Django's SQLite backend, whose writers take turns."""

PATIENCE = 60
"""Seconds that a command or the worker waits for a lock; it can be long, since no person waits for them."""

KEPT = {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
"""A connection is kept for further requests for a minute, and checked before each."""

OFTEN = 5
"""After this many uses by a connection, PostgreSQL prepares a statement and does not plan it again."""

CACHE = 16384
"""SQLite's page cache in KiB for a command or the worker. Four times as much makes them no faster."""

KEPT_CACHE = 8192
"""SQLite's page cache in KiB for each thread of a server, which has its own connection."""

CONNECT_SECONDS = 5
"""Seconds that connecting to PostgreSQL may take, unless its address says otherwise."""

ADDRESS = "postgresql://name:password@host:5432/database"
ALLOWED = f"{ADDRESS} (options such as ?sslmode=require may follow), or leave it empty"
DJANGO_NAMES = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}


def database(name: str, folder: Path) -> dict[str, Any]:
    """Return Django's settings for the database that the setting ``name`` gives: PostgreSQL at an address or, if the
    setting is empty, SQLite in ``folder``. Raises `BadSetting` if the address is not valid.
    """
    return setting(name, sqlite(folder), postgresql, ALLOWED, secret=True)


def database_at(place: str) -> dict[str, Any]:
    """Return Django's settings for the PostgreSQL database at an address, or for the SQLite database in a file or
    folder. Raises ValueError, with a sentence, for a malformed address and if there is no such file. Whether a
    PostgreSQL database is there is not asked.
    """
    if "://" in place:
        try:
            return postgresql(place)
        except BadValue as error:
            raise ValueError(f"The address is not of the form {ADDRESS}: {error}.") from error
    file = Path(place) / DATABASE if Path(place).is_dir() else Path(place)
    if not file.is_file():
        raise ValueError(f"There is no file {file}.")
    return {**sqlite(file.parent), "NAME": file}


def sqlite(folder: Path) -> dict[str, Any]:
    """Return the settings for SQLite with a write-ahead log and full synchronisation, so that a transaction is on the
    disk before the request is answered.
    """
    return {
        "ENGINE": PATIENT_SQLITE,
        "NAME": folder / DATABASE,
        "OPTIONS": {
            "timeout": PATIENCE,
            "transaction_mode": "IMMEDIATE",
            "init_command": _pragmas(cache=CACHE),
        },
    }


def _pragmas(*, cache: int) -> str:
    """Return the pragmas that are run when a connection to SQLite is opened. ``cache`` is in KiB."""
    return f"PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-{cache};"


def postgresql(address: str) -> dict[str, Any]:
    """Return the settings for the PostgreSQL database at an address, with the options in the address. Raises
    `BadValue`, a ValueError, if the address is not valid.

    PostgreSQL's own client parses the address: options that it knows (`sslmode`, `connect_timeout`, `options` …) are
    passed on, and any other option is refused by name.
    """
    if not re.match(r"postgres(ql)?://", address):
        raise BadValue(
            f"it begins with “{address.partition('://')[0][:20]}”" if "://" in address else "it is no address"
        )
    from psycopg import Error
    from psycopg.conninfo import conninfo_to_dict

    from assay_site.prepared_cursor import PreparedCursor

    try:
        options = {key: value for key, value in conninfo_to_dict(address).items() if value not in (None, "")}
    except Error as error:
        raise BadValue(_without_password(address, str(error))) from error
    if wrong := _wrong_value(options):
        raise BadValue(wrong)
    own = {key: options.pop(name, "") for key, name in DJANGO_NAMES.items()}
    options.setdefault("connect_timeout", CONNECT_SECONDS)
    options["options"] = f"{_patience(PATIENCE)} {options.get('options', '')}".strip()
    prepared = {"cursor_factory": PreparedCursor, "prepare_threshold": OFTEN}
    return {"ENGINE": "django.db.backends.postgresql", **own, **KEPT, "OPTIONS": {**options, **prepared}}


def _wrong_value(options: dict[str, Any]) -> str:
    """Return what is wrong with the value of an option, in the words of PostgreSQL's client; "" if nothing is. No
    connection is made for this.
    """
    from psycopg import pq
    from psycopg.conninfo import make_conninfo

    if not options.get("dbname"):
        return "it names no database"
    if not str(options.get("connect_timeout", 0)).isdecimal():
        return "connect_timeout is no whole number of seconds"
    nowhere = ",".join("/" for _ in str(options.get("host", "")).split(","))  # a folder without a socket
    tried = {key: value for key, value in options.items() if key not in ("host", "hostaddr", "service")}
    attempt = pq.PGconn.connect_start(make_conninfo(**tried, host=nowhere).encode())
    said = attempt.error_message.decode(errors="replace") if attempt.status == pq.ConnStatus.BAD else ""
    attempt.finish()
    return "" if "/.s.PGSQL" in said else " ".join(said.split())


def _without_password(address: str, message: str) -> str:
    """Return a message on one line. If it contains the address, the password in the address is removed."""
    password = re.search(r"://[^:/@]*:([^@]+)@", address)
    return " ".join((message.replace(password[1], "…") if password else message).split())


def hurry() -> None:
    """Limit how long requests of this process wait for a lock to the time that the setting allows, since a waiting
    request occupies a thread.

    Also keep connections to SQLite open between requests: opening one, reading the tables and setting it up takes
    longer than saving a judgment.
    """
    alias = connections.settings["default"]
    options = alias.setdefault("OPTIONS", {})
    if alias["ENGINE"] == PATIENT_SQLITE:
        options.update(timeout=settings.ASSAY_LOCK_SECONDS, init_command=_pragmas(cache=KEPT_CACHE))
        alias.update(KEPT)
    else:
        given = options.get("options", "").removeprefix(_patience(PATIENCE))
        options["options"] = f"{_patience(settings.ASSAY_LOCK_SECONDS)} {given.strip()}".strip()


def _patience(seconds: float) -> str:
    """Return the option that tells PostgreSQL how long to wait for a lock. If the database's address gives this option
    too, the address wins.
    """
    return f"-c lock_timeout={round(seconds * 1000)}"

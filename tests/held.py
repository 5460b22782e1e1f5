"""A database that another program holds for a while, and a connection that does not wait for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.db import connection
from django_tasks_db.models import DBTaskResult

NAMES = {"host", "port", "user", "password", "dbname"}


@contextmanager
def hurried() -> Iterator[None]:
    """This test's connection waits for a lock a tenth of a second."""
    if connection.vendor == "sqlite":
        options = connection.settings_dict["OPTIONS"]
        waits, options["timeout"] = options["timeout"], 0.1
    else:
        _execute("SET lock_timeout = 100")
    try:
        yield
    finally:
        if connection.vendor == "sqlite":
            options["timeout"] = waits
        else:
            _execute("RESET lock_timeout")


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


@contextmanager
def held_database(*, everything: bool = False) -> Iterator[None]:
    """Nobody else can log in or store a judgment meanwhile, nor take up a job with ``everything``; all can be read."""
    if connection.vendor == "sqlite":
        name = connection.settings_dict["NAME"]
        other = sqlite3.connect(name, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.close()
        return
    given = connection.get_connection_params()
    with psycopg.connect(**{name: value for name, value in given.items() if name in NAMES}) as holder:
        more = f", assess_job, {DBTaskResult._meta.db_table}" if everything else ""
        holder.execute(f"LOCK TABLE assess_ledgerpoint, django_session{more} IN EXCLUSIVE MODE")  # type: ignore[arg-type]
        yield

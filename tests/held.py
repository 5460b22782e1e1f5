"""A database that another program holds for a while."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.db import connection

NAMES = {"host", "port", "user", "password", "dbname"}


@contextmanager
def held_database() -> Iterator[None]:
    """Nobody else can log in or store a judgment meanwhile; all can be read."""
    if connection.vendor == "sqlite":
        other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.close()
        return
    given = connection.get_connection_params()
    with psycopg.connect(**{name: value for name, value in given.items() if name in NAMES}) as holder:
        holder.execute("LOCK TABLE assess_ledgerpoint, django_session IN EXCLUSIVE MODE")
        yield

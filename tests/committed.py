"""A database whose transactions are real, for tests of several threads and of a live site; what is taken back in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.test import TransactionTestCase
from pytest_django.live_server_helper import LiveServer
from pytest_django.plugin import blocking_manager_key

BUSY, LOCKED = 5, 6
TIMES = 200
"""As often, a quarter of a second apart, is a database tried that a thread of the test has not let go."""

MADE_WITH = {"django_content_type", "auth_permission", "django_migrations"}
"""Tables whose rows come with the tables."""

_new: list[sqlite3.Connection] = []
"""The database as it is made for the tests, where it is one of SQLite: kept in memory."""


def pytest_configure() -> None:
    """No test's rows need to outlive the machine: SQLite does not wait until each transaction is on the disk."""
    options = connections.settings["default"].get("OPTIONS", {})
    if "init_command" in options:
        options["init_command"] = options["init_command"].replace("synchronous=FULL", "synchronous=OFF")


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, Any, Any]:
    """Keep the new database before any test has written to it."""
    made = yield
    if fixturedef.argname == "django_db_setup" and connection.vendor == "sqlite":
        with request.config.stash[blocking_manager_key].unblock():
            connection.ensure_connection()
            _new[:] = [sqlite3.connect(":memory:")]
            connection.connection.backup(_new[0])
    return made


def _new_again(flush: Callable[[TransactionTestCase], None]) -> Callable[[TransactionTestCase], None]:
    """What takes a test's rows back: on SQLite the new database is copied into its place, a hundredth of the work of
    emptying every table, and the ledgers' triggers need not be taken off for it. PostgreSQL deletes.
    """

    def take_back(case: TransactionTestCase) -> None:
        if connection.vendor == "postgresql":
            return _delete_all()
        if not _new:
            return flush(case)
        tried = 0

        def try_again(status: int, _remaining: int, _total: int) -> None:
            nonlocal tried
            tried += status in (BUSY, LOCKED)
            if tried > TIMES:
                raise sqlite3.OperationalError("a thread of the test still writes to the database")

        connection.ensure_connection()
        return _new[0].backup(connection.connection, progress=try_again)

    return take_back


def _delete_all() -> None:
    """Delete every row, unasked by triggers and references, but of what the tables were made with. To truncate them is
    thirty times the work, since files of each are made anew, and then types and permissions are, too.
    """
    with connection.cursor() as cursor:
        tables = {*connection.introspection.django_table_names(only_existing=True, include_views=False)} - MADE_WITH
        cursor.execute("SET session_replication_role = replica")
        for table in sorted(tables):
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")
        cursor.execute("RESET session_replication_role")


TransactionTestCase._fixture_teardown = _new_again(TransactionTestCase._fixture_teardown)


@contextmanager
def taken_back() -> Iterator[None]:
    """Everything that is written within is taken back in the end, also within another."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def committed_db(transactional_db: None) -> None:
    """A database whose transactions are real, for threads."""


@pytest.fixture
def site(live_server: LiveServer) -> LiveServer:
    """The live site with its ledgers."""
    return live_server

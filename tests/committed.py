"""A database whose transactions are real, for tests of several threads and of a live site."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import pytest
from django.db import connection
from pytest_django.live_server_helper import LiveServer
from pytest_django.plugin import blocking_manager_key

from assess.models import LedgerPoint

_taken_off: list[str] = []
"""The triggers that the database had before it is flushed, as statements."""


def _begin() -> None:
    LedgerPoint.objects.get_or_create(pk=1, defaults={"value": 0})


def _take_triggers_off() -> None:
    """The flush after a test deletes rows, which on SQLite the ledgers' triggers refuse. (PostgreSQL truncates.)"""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            for name, statement in cursor.fetchall():
                cursor.execute(f"DROP TRIGGER {name}")
                _taken_off.append(statement)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    """When a test has taken everything down, and the flush with it, the triggers and the one row of the counter are
    put back for the next. After the last test there is no database any more.
    """
    try:
        return (yield)
    finally:
        if nextitem is not None and {"site", "committed_db"} & {*getattr(item, "fixturenames", ())}:
            with item.config.stash[blocking_manager_key].unblock():
                with connection.cursor() as cursor:
                    while _taken_off:
                        cursor.execute(_taken_off.pop())
                _begin()


@pytest.fixture
def committed_db(transactional_db: None) -> Iterator[None]:
    """A database whose transactions are real, for threads."""
    _begin()
    yield
    _take_triggers_off()


@pytest.fixture
def site(live_server: LiveServer) -> Iterator[LiveServer]:
    """The live site with its ledgers."""
    _begin()
    yield live_server
    _take_triggers_off()

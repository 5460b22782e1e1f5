"""A database whose transactions are real, for tests of several threads and of a live site."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection
from pytest_django.live_server_helper import LiveServer

from assess.models import LedgerPoint

LEDGER_TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%is a ledger%'"


@pytest.fixture
def _ledgers_put_back(django_db_setup: None, django_db_blocker) -> Iterator[list[tuple[str, str]]]:
    """After the flush: the triggers that were taken away, and the one row of the counter."""
    triggers: list[tuple[str, str]] = []
    yield triggers
    with django_db_blocker.unblock():
        with connection.cursor() as cursor:
            for _, statement in triggers:
                cursor.execute(statement)
        LedgerPoint.objects.get_or_create(pk=1, defaults={"value": 0})


@pytest.fixture
def committed_db(_ledgers_put_back: list[tuple[str, str]], transactional_db: None) -> Iterator[None]:
    """A database whose transactions are real, for threads. SQLite's flush deletes, so triggers go before it."""
    LedgerPoint.objects.get_or_create(pk=1, defaults={"value": 0})
    yield
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            _ledgers_put_back.extend(cursor.fetchall())
            for name, _ in _ledgers_put_back:
                cursor.execute(f"DROP TRIGGER {name}")


@pytest.fixture(scope="session")
def ledger_triggers() -> dict[str, str]:
    """The triggers that refuse changes to ledgers, as the first test that needs them finds them."""
    return {}


@pytest.fixture
def site(live_server: LiveServer, ledger_triggers: dict[str, str]) -> Iterator[LiveServer]:
    """The live site with its ledgers. The flush after a test deletes rows, which on SQLite the ledgers' triggers
    refuse: they are taken off before it, and put on again for the next test. (PostgreSQL truncates.)
    """
    LedgerPoint.objects.get_or_create(pk=1, defaults={"value": 0})
    if connection.vendor == "postgresql":
        yield live_server
        return
    with connection.cursor() as cursor:
        found = dict(cursor.execute(LEDGER_TRIGGERS).fetchall())
        for name in ledger_triggers.keys() - found.keys():
            cursor.execute(ledger_triggers[name])
        ledger_triggers.update(found)
    yield live_server
    with connection.cursor() as cursor:
        for name in ledger_triggers:
            cursor.execute(f"DROP TRIGGER {name}")

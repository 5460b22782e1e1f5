"""A database whose transactions are real, for tests of several threads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection

from assess.models import LedgerPoint


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

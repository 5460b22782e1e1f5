"""Delete ledger rows that nobody ever saw: those of an import that did not finish. Nothing else may use this.

What a campaign's people did is never deleted: the database refuses it. Here that refusal is lifted for the statements
of one block in one transaction, and is restored before the transaction ends. No other connection can use the moment:
SQLite has a single writer, and on PostgreSQL the table is locked against other writes until the transaction ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

from assess.ledger.models import LedgerRow


@contextmanager
def deletion_allowed(model: type[LedgerRow]) -> Iterator[None]:
    """Allow rows of this ledger to be deleted within the block. Needs a transaction, which should end right after it.

    If the block fails, the transaction is rolled back, and the trigger is restored with it.
    """
    table = model._meta.db_table
    trigger = f"{table}_no_DELETE"
    if connection.vendor == "postgresql":
        _execute("SET CONSTRAINTS ALL IMMEDIATE")  # a table with deferred checks can't be altered
        _execute(f"ALTER TABLE {table} DISABLE TRIGGER {trigger}")
        yield
        _execute(f"ALTER TABLE {table} ENABLE TRIGGER {trigger}")
        return
    written = _execute("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = %s", [trigger])
    _execute(f"DROP TRIGGER {trigger}")
    yield
    _execute(str(written))


def _execute(statement: str, values: list[str] | None = None) -> Any:
    """Run a statement, and return the first column of its first row, or None if it returns no row."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        row = cursor.fetchone() if cursor.description else None
    return row[0] if row else None

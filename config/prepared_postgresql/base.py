"""Django's PostgreSQL backend, with cursors for queries that are prepared, and kept connections that cost no question.

Django sends each query with its values written into it, so that PostgreSQL reads it and plans it anew each time; for
the queries of a click that costs more than to answer them. And Django asks at each request whether the connection that
was kept is still there ("SELECT 1"). One that was ended, by the server or on the way, has something to read: the end,
or what the server said last. Only then is there anything to ask.
"""

from __future__ import annotations

import select
from typing import Any

import psycopg
from django.db.backends.postgresql import base, operations

ONLY_WHEN_TOLD = 1 << 30
"""After how often a query is prepared that a cursor is not told to prepare: never."""


class PreparedCursor(base.CursorMixin, psycopg.Cursor[Any]):
    """A cursor whose queries PostgreSQL reads once for each connection, and plans once it has seen their values."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        """Ask a query, prepared, its values sent beside it."""
        return super().execute(query, params, **{**options, "prepare": True})


class DatabaseOperations(operations.DatabaseOperations):
    """Django's, for queries that are prepared, too."""

    def last_executed_query(self, cursor: Any, sql: str, params: Any) -> Any:
        """What a log of queries says was asked, with the values in it: also those that are sent beside it."""
        return super().last_executed_query(cursor, sql, params) or self.compose_sql(sql, params)


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that has cursors for queries that are prepared, too."""

    ops_class = DatabaseOperations

    def get_connection_params(self) -> dict[str, Any]:
        """As Django connects, but with statements that may be prepared."""
        return {**super().get_connection_params(), "prepare_threshold": ONLY_WHEN_TOLD}

    def prepared_cursor(self) -> Any:
        """A cursor for queries that are asked again and again."""
        self.close_if_health_check_failed()
        self.ensure_connection()
        with self.wrap_database_errors:
            return self._prepare_cursor(PreparedCursor(self.connection))  # type: ignore[attr-defined]

    def is_usable(self) -> bool:
        """Whether the connection is there, asked only where it has something to say."""
        kept: psycopg.Connection[Any] | None = self.connection
        return kept is not None and not kept.closed and (_is_silent(kept) or bool(super().is_usable()))


def _is_silent(connection: psycopg.Connection[Any]) -> bool:
    """Whether nothing came from the server since its last answer was read, not even the end."""
    waiting = select.poll()
    waiting.register(connection.pgconn.socket, select.POLLIN)
    return not waiting.poll(0)

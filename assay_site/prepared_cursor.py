"""Statements that PostgreSQL gets apart from their values, so that a connection plans once what it is asked often."""

from __future__ import annotations

from typing import Any

from psycopg import ClientCursor, Cursor

MANY = 500
"""With more values than this a statement is a list of rows or ids, hardly ever the same again. PostgreSQL itself takes
65,535 values apart from a statement, and without end within it."""


class PreparedCursor(Cursor[Any]):
    """A cursor that sends values apart from the statement; where there are many they stand within it."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        """Send a statement with its values."""
        if params is not None and len(params) > MANY:
            query, params = ClientCursor(self.connection).mogrify(query, params).encode(), None
        return super().execute(query, params, **options)

"""Send values to PostgreSQL separately from statements, so that a connection plans a frequent statement only once."""

from __future__ import annotations

from typing import Any

from psycopg import ClientCursor, Cursor

MANY = 500
"""A statement with more values than this is a list of rows or ids, and rarely repeated. PostgreSQL accepts at most
65,535 separate values, but any number within a statement."""


class PreparedCursor(Cursor[Any]):
    """A cursor that sends the values to PostgreSQL separately from the statement, unless there are too many of them."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        """Send a statement and its values."""
        if params is not None and len(params) > MANY:
            query, params = ClientCursor(self.connection).mogrify(query, params).encode(), None
        return super().execute(query, params, **options)

"""Django's SQLite, whose writers stand in one queue."""

"""Many rows at once: `executemany` on SQLite, COPY on PostgreSQL; several times as fast as bulk_create."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import Model

from assess.base.fields import check_text


def add_rows(model: type[Model], columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Add rows of plain values, in order; every other column has a default in the database or is the id.

    Nothing of the model's Python runs but the check of its texts (`Invalid`). Needs a transaction.
    """
    _check_texts(model, columns, rows)
    table, names = model._meta.db_table, ", ".join(columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)


def add_new_rows(model: type[Model], columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """The same, passing over rows that a constraint of the table says are there already."""
    _check_texts(model, columns, rows)
    table, names = model._meta.db_table, ", ".join(columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # COPY knows no ON CONFLICT, so the rows go to a temporary table first
            incoming = f"incoming_{table}"
            cursor.execute(f"CREATE TEMPORARY TABLE {incoming} ON COMMIT DROP AS SELECT {names} FROM {table} LIMIT 0")
            with cursor.copy(f"COPY {incoming} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            cursor.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM {incoming} ON CONFLICT DO NOTHING")
            cursor.execute(f"DROP TABLE {incoming}")
        else:
            marks = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", rows)


def _check_texts(model: type[Model], columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    fields = {field.column: field for field in model._meta.concrete_fields}
    texts = [(place, fields[column]) for place, column in enumerate(columns) if fields[column].max_length]
    for place, field in texts:
        for row in rows:
            check_text(field, row[place])


def _copy(campaign_id: int, docnos: Sequence[str]) -> int:
    """COPY knows no ON CONFLICT, so the lines go to a temporary table first."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE IF NOT EXISTS incoming_docno (docno text) ON COMMIT DELETE ROWS")
        with cursor.copy("COPY incoming_docno (docno) FROM STDIN") as copy:
            for docno in docnos:
                copy.write_row((docno,))
        cursor.execute(
            "INSERT INTO assess_validdocno (campaign_id, docno) SELECT %s, docno FROM incoming_docno "
            "ON CONFLICT DO NOTHING",
            [campaign_id],
        )
        added = cursor.rowcount
        cursor.execute("TRUNCATE incoming_docno")
    return int(added)

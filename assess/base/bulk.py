"""Adding many rows at once: `executemany` on SQLite, COPY on PostgreSQL; several times as fast as bulk_create."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from django.db import connection, models
from django.db.models import Model
from django.utils import timezone

from assess.base.fields import check_text


def add_rows(model: type[Model], columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Add rows of plain values, in order; every other column has a default in the database or is the id.

    The model's Python code does not run, except for the check of its texts, which may raise `Invalid`. Needs a
    transaction.
    """
    _check_texts(model, columns, rows)
    insert_stored(model, columns, rows)


def add_records(records: Sequence[Model]) -> None:
    """Add records of one table, at least one, whose ids are known: like `bulk_create`, but in a single statement.

    Raises `Invalid` for texts and JSON that their columns refuse. Needs a transaction.
    """
    names, rows = as_stored(records)
    insert_stored(type(records[0]), names, rows)
    for record in records:
        record._state.adding, record._state.db = False, connection.alias


def as_stored(records: Sequence[Model]) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the columns of the records' table, and each record's values as they are stored, for `insert_stored`.

    There is at least one record. Records get the present time where it is set at adding. Raises `Invalid` for texts
    that their columns refuse.
    """
    now = timezone.now()
    fields = list(type(records[0])._meta.concrete_fields)
    for field in fields:
        if getattr(field, "auto_now_add", False):
            for record in records:
                setattr(record, field.attname, now)
    columns = [_stored(field, list(map(attrgetter(field.attname), records))) for field in fields]
    return [str(field.column) for field in fields], list(zip(*columns, strict=True))


def _stored(field: models.Field[Any, Any], values: list[Any]) -> list[Any]:
    """Return a column's values as they are stored; equal values are converted only once."""
    if isinstance(field, models.IntegerField) and bool in set(map(type, values)):  # COPY would write a bool as a letter
        return [None if value is None else int(value) for value in values]
    if isinstance(field, models.ForeignKey | models.IntegerField | models.FloatField | models.BooleanField):
        return values
    if isinstance(field, models.CharField | models.TextField | models.DateTimeField):
        known = {value: field.get_db_prep_save(value, connection) for value in set(values)}
        return [known[value] for value in values]
    return [field.get_db_prep_save(value, connection) for value in values]


def insert_stored(model: type[Model], columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Add rows of values as they are stored. Needs a transaction."""
    table, names = model._meta.db_table, ", ".join(columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            _copy(cursor, f"{table} ({names})", rows)
        else:
            marks = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)


def add_new_rows(model: type[Model], columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> int:
    """Add rows, skipping those that violate a unique constraint of the table; return how many were added.

    Raises `Invalid` for texts that their columns refuse. Needs a transaction.
    """
    _check_texts(model, columns, rows)
    table, names = model._meta.db_table, ", ".join(columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # COPY doesn't support ON CONFLICT, so a temporary table is filled first
            incoming = f"incoming_{table}"
            cursor.execute(f"CREATE TEMPORARY TABLE {incoming} ON COMMIT DROP AS SELECT {names} FROM {table} LIMIT 0")
            _copy(cursor, f"{incoming} ({names})", rows)
            cursor.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM {incoming} ON CONFLICT DO NOTHING")
            added = cursor.rowcount
            cursor.execute(f"DROP TABLE {incoming}")
        else:
            marks = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", rows)
            added = cursor.rowcount
    return max(int(added), 0)


def _copy(cursor: Any, columns: str, rows: Sequence[tuple[Any, ...]]) -> None:
    with connection.wrap_database_errors, cursor.copy(f"COPY {columns} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _check_texts(model: type[Model], columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Raise `Invalid` for a text that its column refuses. JSON is not examined, since it comes as it is stored."""
    fields = {field.column: field for field in model._meta.concrete_fields}
    for place, field in ((place, fields[column]) for place, column in enumerate(columns)):
        if not isinstance(field, models.CharField | models.TextField):
            continue
        values = [row[place] for row in rows if isinstance(row[place], str)]
        if field.max_length is not None:  # these are short: one check of the joined text clears most columns
            whole = "".join(values)
            if whole.isascii() and "\0" not in whole and max(map(len, values), default=0) <= field.max_length:
                continue
        for value in values:
            check_text(field, value)

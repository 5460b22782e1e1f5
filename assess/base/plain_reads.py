"""Single rows read by a statement that is written out: what a click needs, without the making of each query anew.

To put a query together takes Django several times as long as the database to answer it (20 to 40 microseconds by
`first_of`, 200 to 600 by a queryset), and every click waits for it while others wait for the click. Each statement
names its columns, so that PostgreSQL's plan of it outlives a column that is added while the site runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from functools import cache
from typing import Any, TypeVar

from django.db import connection
from django.db.models import DateTimeField, Field, JSONField, Model, UUIDField, Value
from django.utils.timezone import is_naive, make_aware

Row = TypeVar("Row", bound=Model)
COLUMN = Value(None)
"""Stands for a plain column where Django asks by which expression a value was selected."""


def first_of(model: type[Row], statement: str, values: Sequence[Any]) -> Row | None:
    """Return the first row that a SELECT of the `columns_of` a table finds, as an instance of its model; None for an
    empty result.
    """
    found = first_row(statement, values)
    row: Row | None = instances_of(found, model)[0] if found is not None else None
    return row


def first_row(statement: str, values: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return the first row of a statement's result as the database gives it; None for an empty result."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        found: tuple[Any, ...] | None = cursor.fetchone()
    return found


def columns_of(model: type[Model], alias: str) -> str:
    """Return the columns of a table that `instances_of` takes, for a SELECT that knows the table by this name."""
    return ", ".join(f"{alias}.{field.column}" for field in model._meta.concrete_fields)


def instances_of(values: Sequence[Any], *models: type[Model]) -> list[Any]:
    """Return stored rows of these models, from what `first_row` gave of the `columns_of` each, one after the other."""
    found, begin = [], 0
    for model in models:
        names, stored_otherwise = _fields_of(model)
        row = list(values[begin : begin + len(names)])
        for place, field in stored_otherwise:
            row[place] = _read(field, row[place])
        found.append(model.from_db(connection.alias, names, row))
        begin += len(names)
    return found


@cache
def _fields_of(model: type[Model]) -> tuple[list[str], list[tuple[int, Any]]]:
    """Return the names of a model's fields, and with their places those that a database stores in a form of its own."""
    fields = list(model._meta.concrete_fields)
    own = [
        (place, each) for place, each in enumerate(fields) if isinstance(each, JSONField | DateTimeField | UUIDField)
    ]
    return [field.attname for field in fields], own


def _read(field: Field[Any, Any], value: Any) -> Any:
    if isinstance(field, JSONField):
        return field.from_db_value(value, COLUMN, connection)
    if isinstance(field, DateTimeField):  # which SQLite gives without a zone
        return make_aware(value, UTC) if value is not None and is_naive(value) else value
    return field.to_python(value)

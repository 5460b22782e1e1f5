"""Single rows read by SQL statements that are written out, for clicks, which then need no Django query to be built.

Django takes several times as long to build a query as the database to answer it (20 to 40 microseconds by `first_of`,
200 to 600 by a queryset), and other clicks wait meanwhile. Each statement names its columns, so that PostgreSQL's plan
of it remains valid if a column is added while the site runs.
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
"""A placeholder for Django's converters, which expect the expression by which a value was selected."""


def first_of(model: type[Row], statement: str, values: Sequence[Any]) -> Row | None:
    """Return the first row of a SELECT of a table's `columns_of`, as an instance of its model, or None."""
    found = first_row(statement, values)
    row: Row | None = instances_of(found, model)[0] if found is not None else None
    return row


def first_row(statement: str, values: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return the first row of a statement's result as the database gives it, or None."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        found: tuple[Any, ...] | None = cursor.fetchone()
    return found


def columns_of(model: type[Model], alias: str) -> str:
    """Return the columns of a table that `instances_of` needs, for a SELECT in which the table has this alias."""
    return ", ".join(f"{alias}.{field.column}" for field in model._meta.concrete_fields)


def instances_of(values: Sequence[Any], *models: type[Model]) -> list[Any]:
    """Return one instance of each of these models. ``values`` are the values of the models' `columns_of`, one model
    after the other.
    """
    found, begin = [], 0
    for model in models:
        names, stored_otherwise = _fields_of(model)
        row = list(values[begin : begin + len(names)])
        for place, field in stored_otherwise:
            row[place] = _python_value(field, row[place])
        found.append(model.from_db(connection.alias, names, row))
        begin += len(names)
    return found


@cache
def _fields_of(model: type[Model]) -> tuple[list[str], list[tuple[int, Any]]]:
    """Return the names of a model's fields and, with their positions, the fields whose values must be converted when
    they are read from the database.
    """
    fields = list(model._meta.concrete_fields)
    own = [
        (place, each) for place, each in enumerate(fields) if isinstance(each, JSONField | DateTimeField | UUIDField)
    ]
    return [field.attname for field in fields], own


def _python_value(field: Field[Any, Any], value: Any) -> Any:
    if isinstance(field, JSONField):
        return field.from_db_value(value, COLUMN, connection)
    if isinstance(field, DateTimeField):  # SQLite returns it without a zone
        return make_aware(value, UTC) if value is not None and is_naive(value) else value
    return field.to_python(value)

"""Single rows read by a statement that is written out: what a click needs, without the making of each query anew.

To put a query together takes Django several times as long as the database to answer it (50 to 90 microseconds by
`first_of`, 200 to 600 by a queryset), and every click waits for it while others wait for the click.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from django.db import connection
from django.db.models import DateTimeField, JSONField, Model, Value

Row = TypeVar("Row", bound=Model)
COLUMN = Value(None)
"""Stands for a plain column where Django asks by which expression a value was selected."""


def first_of(model: type[Row], statement: str, values: Sequence[Any]) -> Row | None:
    """Return the first row that a SELECT of all columns of a table gives, as its model; None where it gives none."""
    rows: Any = model._base_manager.raw(statement, values)
    return next(iter(rows), None)


def first_row(statement: str, values: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return the first row that a statement gives, as the database has it; None where it gives none."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        found: tuple[Any, ...] | None = cursor.fetchone()
    return found


def columns_of(model: type[Model], alias: str) -> str:
    """Return the columns of a table that `instances_of` takes, for a SELECT that knows the table by this name."""
    return ", ".join(f"{alias}.{field.column}" for field in _fields_of(model))


def instances_of(values: Sequence[Any], *models: type[Model]) -> list[Any]:
    """Return stored rows of these models, from what `first_row` gave of the `columns_of` each, one after the other.

    Their times, which SQLite gives without a zone, are not among them: they are read when somebody asks for them.
    """
    rest = iter(values)
    return [
        model.from_db(
            connection.alias,
            [field.attname for field in _fields_of(model)],
            [_read(field, value) for field, value in zip(_fields_of(model), rest, strict=False)],
        )
        for model in models
    ]


def _fields_of(model: type[Model]) -> list[Any]:
    return [field for field in model._meta.concrete_fields if not isinstance(field, DateTimeField)]


def _read(field: Any, value: Any) -> Any:
    return field.from_db_value(value, COLUMN, connection) if isinstance(field, JSONField) else value

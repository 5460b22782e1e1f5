"""Queries that are put into SQL once: for what every click asks.

Django makes the SQL of a query anew each time, which costs more than asking it: of a judgment's time more than half.
PostgreSQL does the same with its plan; where the site's own backend stands before it, it is prepared there as well.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.utils import CursorWrapper
from django.db.models import Model, QuerySet
from django.db.models.base import ModelState

Row = TypeVar("Row", bound=Model)


LARGEST_BITS = 63
MARK = 1 << 30
"""A number that every column of numbers holds, and no query has of itself."""


class PreparedQuery(Generic[Row]):
    """A query for rows that differs in plain values alone: numbers and texts, by name.

    ``make`` gives the query for values. It is called once for each connection, with marks instead of the values, and
    must do the same whatever they are. What it gives may have joined rows (`select_related`) and annotations.
    """

    def __init__(self, make: Callable[..., QuerySet[Row]], **kinds: type[int] | type[str]) -> None:
        self._make = make
        self._marks: dict[str, int | str] = {
            name: MARK + place if kind is int else f"<{name}>" for place, (name, kind) in enumerate(kinds.items())
        }

    def first(self, **values: int | str) -> Row | None:
        """The first row for these values, or None: also for values that no column holds. One query."""
        return next(iter(self._found(values, at_most=1)), None)

    def all(self, **values: int | str) -> list[Row]:
        """The rows for these values; none for values that no column holds. One query."""
        return self._found(values, at_most=None)

    def _found(self, values: dict[str, int | str], *, at_most: int | None) -> list[Row]:
        if not all(_is_storable(value) for value in values.values()):
            return []
        on_connection: dict[PreparedQuery[Any], _Statement] = connections[DEFAULT_DB_ALIAS].__dict__.setdefault(
            "prepared_queries", {}
        )
        if self not in on_connection:
            on_connection[self] = _Statement(self._make(**self._marks), self._marks)
        return on_connection[self].rows(values, at_most=at_most)


def prepared_cursor() -> CursorWrapper:
    """A cursor for statements that are sent again and again: on PostgreSQL they are prepared."""
    connection = connections[DEFAULT_DB_ALIAS]
    found: CursorWrapper = getattr(connection, "prepared_cursor", connection.cursor)()
    return found


def _is_storable(value: int | str) -> bool:
    return "\0" not in value if isinstance(value, str) else value.bit_length() <= LARGEST_BITS


def _plain(value: Any) -> Any:
    """A choice's value instead of the choice, for which SQLite looks long before it takes it for a text."""
    return value.value if isinstance(value, Enum) else value


class _Statement:
    """The SQL of a query on one connection, and how a row of its answer becomes objects."""

    def __init__(self, rows: QuerySet[Any], marks: dict[str, int | str]) -> None:
        self._compiler = compiler = rows.query.get_compiler(using=DEFAULT_DB_ALIAS)
        self._statement, given = compiler.as_sql()
        names = {mark: name for name, mark in marks.items()}
        self._given = [(names.get(value), _plain(value)) for value in given]
        if left := set(marks).difference(name for name, _ in self._given):
            raise ValueError(f"The query does not use {', '.join(sorted(left))}.")
        self._made = _Made(compiler.klass_info, [column[0] for column in compiler.select])
        self._converters = compiler.get_converters([column[0] for column in compiler.select])

    def rows(self, values: dict[str, int | str], *, at_most: int | None) -> list[Any]:
        with prepared_cursor() as cursor:
            cursor.execute(self._statement, [value if name is None else values[name] for name, value in self._given])
            found = cursor.fetchall() if at_most is None else cursor.fetchmany(at_most)
        return [self._object(row) for row in self._compiler.apply_converters(found, self._converters)]

    def _object(self, row: list[Any]) -> Any:
        made = self._made.of(row)
        for name, place in self._compiler.annotation_col_map.items():
            setattr(made, name, row[place])
        return made


class _Made:
    """How the columns of one table become an object with those that are joined to it.

    They become what `ModelIterable` makes of them, without the detour over `Model.__init__`, which looks at each field
    anew: nobody here listens to how objects are made, which is made certain once.
    """

    def __init__(self, told: dict[str, Any], columns: list[Any]) -> None:
        self._model = told["model"]
        if any(getattr(self._model, name) != getattr(Model, name) for name in ("__init__", "__new__")):
            raise TypeError(f"{self._model.__name__} is made in a way of its own.")
        places: list[int] = told["select_fields"]
        self._own = slice(places[0], places[-1] + 1)
        self._names = [column.target.attname for column in columns[self._own]]
        self._key = self._names.index(self._model._meta.pk.attname)
        self._joined = [
            (_Made(each, columns), each["local_setter"], each["remote_setter"])
            for each in told.get("related_klass_infos", ())
        ]

    def of(self, row: list[Any]) -> Any:
        values = row[self._own]
        if values[self._key] is None:
            return None
        made = self._model.__new__(self._model)
        made.__dict__.update(zip(self._names, values, strict=True))
        made._state = state = ModelState()
        state.adding, state.db = False, DEFAULT_DB_ALIAS
        for joined, set_here, set_there in self._joined:
            other = joined.of(row)
            set_here(made, other)
            if other is not None:
                set_there(other, made)
        return made

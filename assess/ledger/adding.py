"""The one way to add to a ledger: lock, add under the key of the click, or say what the key added before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import lru_cache
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.models import Model

from assess.base.bulk import add_records
from assess.base.errors import Conflict, Refused
from assess.base.prepared import prepared_cursor
from assess.ledger.models import TAKE_ON_POSTGRESQL, LedgerRow, campaign_of, number_rows

Locked = TypeVar("Locked")
Added = TypeVar("Added")
Row = TypeVar("Row", bound=LedgerRow)

USED_KEY = "This key was used before for something else. Nothing was changed; reload the page."
AT_ONCE = 500


class KeyTaken(Exception):
    """A row was not added because its ``client_key`` added one before. `add_once` looks which."""


def add_once(
    *,
    lock: Callable[[], Locked],
    add: Callable[[Locked], Added],
    earlier: Callable[[], Added | None],
    same: Callable[[Added], bool],
    used: str = USED_KEY,
    alone: bool = False,
) -> Added:
    """What ``add`` adds to a ledger in one transaction; or, where its key was used before, what that added then.

    ``lock`` takes the locks; what it refuses is refused whatever the key. ``add`` gets what it returned, refuses what
    is not allowed, and hands the rows that hold the key to `store`. That the key is new is told by the ledger itself:
    only where a row was one too many, or ``add`` refused, ``earlier`` is asked for what the key added before (None: it
    is new). Where that is the ``same`` as is asked for now, it is returned and nothing is changed, whether or not it
    would be allowed now; else the key is refused with the sentence ``used``. ``alone``: the transaction around it is
    this addition and no more, so that all of it is rolled back, without a savepoint.
    """
    with nullcontext() if alone else transaction.atomic():
        locked = lock()
        try:
            return add(locked)
        except (Refused, KeyTaken) as error:
            before = earlier()
            if before is None and isinstance(error, Refused):
                raise
            if before is None or not same(before):
                raise Conflict(used) from error
            transaction.set_rollback(True)  # what add wrote until then
            return before


def store(*rows: Row) -> None:
    """Add rows of one campaign that hold a ``client_key``, numbered in this order. `KeyTaken` where a row with such a
    key is there. Rows that have their number keep it.
    """
    fresh = [row for row in rows if not row.id]
    if fresh and len(rows) == 1 and connection.vendor == "postgresql":
        _number_and_insert(*rows)
        return
    if fresh:
        number_rows(fresh)
    if rows and _insert(rows) < len(rows):
        raise KeyTaken


def add_rows(rows: Sequence[Row]) -> list[Row]:
    """Add ledger rows of one campaign, numbered in this order, by COPY or executemany. Their keys must be new."""
    if not rows:
        return []
    with transaction.atomic(savepoint=False):
        number_rows(rows)
        add_records(rows)
    return list(rows)


def _insert(rows: Sequence[Model]) -> int:
    """Insert rows of one table, passing over those whose key is there already; how many came in.

    As `bulk_create` with ``ignore_conflicts``, which passes over what breaks any other rule, too, and does not count;
    and takes four times as long to put one row into SQL.
    """
    added = 0
    for first in range(0, len(rows), AT_ONCE):
        some = rows[first : first + AT_ONCE]
        with prepared_cursor() if len(some) == 1 else connection.cursor() as cursor:
            cursor.execute(_insertion(type(rows[0]), len(some)), [value for row in some for value in _values(row)])
            added += cursor.rowcount
    for row in rows:
        _is_stored(row)
    return added


def _number_and_insert(row: LedgerRow) -> None:
    """The same of one row, whose number PostgreSQL takes in the same statement: whoever waits for the number of the
    campaign's next row waits for this row to be written and committed, and for nothing that this process does between.
    """
    with prepared_cursor() as cursor:
        cursor.execute(_numbered_insertion(type(row)), [campaign_of(row), *_values(row)[1:]])
        found = cursor.fetchone()
    if found is None:
        raise KeyTaken
    (row.id,) = found
    _is_stored(row)


def _values(row: Model) -> list[Any]:
    """What is stored of a row, its id first. What a key points to was read or stored before: its number is as it is."""
    return [
        getattr(row, field.attname)
        if field.many_to_one
        else field.get_db_prep_save(field.pre_save(row, add=True), connection)
        for field in type(row)._meta.concrete_fields
    ]


def _is_stored(row: Model) -> None:
    row._state.adding, row._state.db = False, connection.alias


@lru_cache(maxsize=64)
def _insertion(model: type[Model], count: int) -> str:
    columns = [str(field.column) for field in model._meta.concrete_fields]
    marks = f"({', '.join(['%s'] * len(columns))})"
    return (
        f"INSERT INTO {model._meta.db_table} ({', '.join(columns)}) VALUES {', '.join([marks] * count)} "
        "ON CONFLICT (client_key) DO NOTHING"
    )


@lru_cache(maxsize=64)
def _numbered_insertion(model: type[LedgerRow]) -> str:
    statement = _insertion(model, 1).replace("(%s", "((SELECT value FROM taken)", 1)
    return f"WITH taken AS ({TAKE_ON_POSTGRESQL}) {statement} RETURNING id"

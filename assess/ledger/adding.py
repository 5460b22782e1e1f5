"""The one way to add to a ledger: add a row under the key of a click, or return what that key added before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, TypeVar

from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from assess.base.bulk import add_records, as_stored, insert_stored
from assess.base.errors import Conflict, Refused
from assess.ledger.models import LedgerRow, number_rows, take_points

Added = TypeVar("Added")
Row = TypeVar("Row", bound=LedgerRow)

USED_KEY = gettext_lazy("This was sent once before and said something else then. Nothing was changed; reload the page.")


class KeyTaken(Exception):
    """Raised if a row was not added because its ``client_key`` had added one before. `add_once` then looks up that
    row.
    """


def add_once(
    *,
    add: Callable[[], Added],
    earlier: Callable[[], Added | None],
    same: Callable[[Added], bool],
    used: str | Promise = USED_KEY,
) -> Added:
    """Return what ``add`` adds to a ledger; or, if the key was used before, what it added then.

    Call it in an atomic block that holds only this addition, and take the locks before it: what a lock refuses is
    refused whatever the key. ``add`` refuses what is not allowed, and passes the rows with the key to `store`.

    If the ledger reports that the key is taken, or if ``add`` refuses, ``earlier`` is called. It returns what the key
    added before, or None if the key is new. If the earlier addition is the ``same`` as this request, it is returned and
    the block is rolled back, even if the request would no longer be allowed. Otherwise the key is refused (`Conflict`)
    with the sentence ``used``.
    """
    try:
        return add()
    except (Refused, KeyTaken) as error:
        before = earlier() if not transaction.get_rollback() else None
        if before is None and isinstance(error, Refused):
            raise
        if before is None or not same(before):
            raise Conflict(used) from error
        transaction.set_rollback(True)  # undo what add has written
        return before


def store(*rows: Row) -> None:
    """Add rows of one campaign that have a ``client_key``, as `insert` does.

    Raise `KeyTaken`, and add none of them, if a row with one of the keys exists.
    """
    keys = list(map(attrgetter("client_key"), rows))
    if rows and type(rows[0])._default_manager.filter(client_key__in=keys).exists():
        raise KeyTaken
    insert(rows)


def insert(rows: Sequence[Row]) -> None:
    """Add rows of one campaign with new keys, numbered in this order. Rows that have a number keep it.

    Raise `Conflict` if another click adds a row with one of the keys at this moment, under another lock.
    """
    if not rows:
        return
    number_rows([row for row in rows if not row.id])
    try:
        type(rows[0])._default_manager.bulk_create(rows)
    except IntegrityError as error:
        if "client_key" not in str(error):
            raise
        raise Conflict(USED_KEY) from error


def add_rows(rows: Sequence[Row]) -> list[Row]:
    """Add ledger rows of one campaign, numbered in this order, by COPY or executemany. Their keys must be new."""
    if not rows:
        return []
    with transaction.atomic(savepoint=False):
        number_rows(rows)
        add_records(rows)
    return list(rows)


StoredRow = tuple[Any, ...]
"""The values of a ledger row as they are stored, without its number and its time."""


def rows_to_number(rows: Sequence[LedgerRow]) -> list[StoredRow]:
    """Return the values of new rows of one ledger, to be added by `add_prepared`. Their keys must be new."""
    return [values[2:] for values in as_stored(rows)[1]]


def add_prepared(model: type[LedgerRow], campaign: int, rows: Sequence[StoredRow]) -> None:
    """Add rows of a campaign (its id) that `rows_to_number` made, numbered in this order. Needs a transaction.

    It holds the lock of the campaign's ledger point for a third of the time that `add_rows` does.
    """
    if not rows:
        return
    columns = [str(field.column) for field in model._meta.concrete_fields]  # the first two are those of `LedgerRow`
    now = model._meta.get_field("created_at").get_db_prep_save(timezone.now(), connection)
    points = take_points(campaign, len(rows))
    insert_stored(model, columns, [(point, now, *row) for point, row in zip(points, rows, strict=True)])

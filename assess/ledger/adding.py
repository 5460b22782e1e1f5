"""The one way to add to a ledger: add a row under the key of a click, or return what that key added before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from typing import TypeVar
from uuid import UUID

from django.db import connection, transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from assess.base.bulk import add_numbered, add_records, add_unless_there
from assess.base.errors import Conflict, Refused
from assess.ledger.models import TAKE_ON_POSTGRESQL, LedgerRow, campaign_of, number_rows

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
    added before, or None if the key is new. If the earlier addition is the ``same`` as the present request, it is
    returned and the block is rolled back, even if the request would no longer be allowed. Otherwise the key is refused
    with the sentence ``used``.
    """
    try:
        return add()
    except (Refused, KeyTaken) as error:
        before = earlier()
        if before is None and isinstance(error, Refused):
            raise
        if before is None or not same(before):
            raise Conflict(used) from error
        transaction.set_rollback(True)  # undo what add has written
        return before


def add_each(
    keys: Sequence[UUID],
    made: Sequence[Row | Refused],
    *,
    model: type[Row],
    same: Callable[[int, Row], bool],
    used: str | Promise = USED_KEY,
) -> list[Row | Refused]:
    """Add rows of one campaign in order, each under its key. Return what each key holds now, or why it holds nothing.

    For each key, the result is one of three. It is the row of ``made``; or the row that the key added before, if that
    is the ``same`` as the present request, even if the request would no longer be allowed; or a refusal. The refusal is
    the one that ``made`` holds instead of a row, or says that the key was used for something else.

    If no row is added, the block is rolled back, so call this in an atomic block of its own, and take the locks before
    it. The keys are looked up only if one is not new or something was refused.
    """
    rows = [row for row in made if isinstance(row, model)]
    if len(rows) == len(set(keys)) == len(keys):
        with suppress(KeyTaken):
            store(*rows)
            return list(made)
    earlier = model._default_manager.in_bulk(keys, field_name="client_key")
    fresh: list[Row] = []
    found: list[Row | Refused] = []
    for place, (key, row) in enumerate(zip(keys, made, strict=True)):
        before = earlier.get(key)
        if before is not None:
            found.append(before if same(place, before) else Conflict(used))
            continue
        if isinstance(row, model):
            earlier[key] = row
            fresh.append(row)
        found.append(row)
    store(*fresh)
    if not fresh:
        transaction.set_rollback(True)  # undo what else was written
    return found


def store(*rows: Row) -> None:
    """Add rows of one campaign that have a ``client_key``, numbered in this order. Rows that have a number keep it.

    Raise `KeyTaken`, and add none of them, if a row with one of the keys exists.
    """
    if not rows:
        return
    if len(rows) == 1 and not rows[0].id and connection.vendor == "postgresql":
        if not add_numbered(rows[0], "client_key", TAKE_ON_POSTGRESQL, [campaign_of(rows[0])]):
            raise KeyTaken
        return
    if fresh := [row for row in rows if not row.id]:
        number_rows(fresh)
    with transaction.atomic() if len(rows) > 1 else nullcontext():  # if there are several, undo those added so far
        if add_unless_there(rows, "client_key") < len(rows):
            raise KeyTaken


def add_rows(rows: Sequence[Row]) -> list[Row]:
    """Add ledger rows of one campaign, numbered in this order, by COPY or executemany. Their keys must be new."""
    if not rows:
        return []
    with transaction.atomic(savepoint=False):
        number_rows(rows)
        add_records(rows)
    return list(rows)

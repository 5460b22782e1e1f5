"""The one way to add to a ledger: lock, add under the key of the click, or say what the key added before."""

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

USED_KEY = gettext_lazy("This client_key was used before for something else. Nothing was changed; reload the page.")


class KeyTaken(Exception):
    """A row was not added because its ``client_key`` added one before. `add_once` looks which."""


def add_once(
    *,
    add: Callable[[], Added],
    earlier: Callable[[], Added | None],
    same: Callable[[Added], bool],
    used: str | Promise = USED_KEY,
) -> Added:
    """Return what ``add`` adds to a ledger; or, where its key was used before, what that added then.

    Call it in an atomic block that holds this addition and nothing else, and take the locks there before: what they
    refuse is refused whatever the key. ``add`` refuses what is not allowed, and hands the rows that hold the key to
    `store`. That the key is new is told by the ledger itself: only where a row was one too many, or ``add`` refused,
    ``earlier`` is asked for what the key added before (None: it is new). Where that is the ``same`` as is asked for
    now, it is returned and the block is rolled back, whether or not it would be allowed now; else the key is refused
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
        transaction.set_rollback(True)  # what add wrote until then
        return before


def add_each(
    keys: Sequence[UUID],
    made: Sequence[Row | Refused],
    *,
    model: type[Row],
    same: Callable[[int, Row], bool],
    used: str | Promise = USED_KEY,
) -> list[Row | Refused]:
    """Add rows of one campaign, each under its key, in their order; return for each place what stands under its key.

    That is the row of ``made``, or the row that the key added before where it says the ``same`` as is asked for at this
    place, whether or not that would be allowed now; else why there is none: what ``made`` holds in place of a row, or
    that the key was used before. Where no row is added, the block is rolled back; call it in one that is nothing else,
    and take the locks there before. That keys are new is told by the ledger: they are looked up only where one is not,
    or something was refused.
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
        transaction.set_rollback(True)  # what else was written until then
    return found


def store(*rows: Row) -> None:
    """Add rows of one campaign that hold a ``client_key``, numbered in this order. `KeyTaken` where a row with such a
    key is there: then none of them is added. Rows that have their number keep it.
    """
    if not rows:
        return
    if len(rows) == 1 and not rows[0].id and connection.vendor == "postgresql":
        if not add_numbered(rows[0], "client_key", TAKE_ON_POSTGRESQL, [campaign_of(rows[0])]):
            raise KeyTaken
        return
    if fresh := [row for row in rows if not row.id]:
        number_rows(fresh)
    with transaction.atomic() if len(rows) > 1 else nullcontext():  # of several, those added so far are taken back
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

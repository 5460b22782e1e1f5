"""Find the newest, and so current, row of each group in a ledger; compare what a page showed with the current state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext_lazy

from assess.base.errors import Conflict
from assess.ledger.models import LedgerRow

Row = TypeVar("Row", bound=LedgerRow)


def newest_rows(
    rows: QuerySet[Row], *group: str, as_of: int | None = None, whole_groups: bool = False
) -> QuerySet[Row]:
    """Return the newest row of each group as of a ledger point (None: now), where the rows of a group have equal values
    in the named columns.

    The query asks that no newer row exists, which an index over the columns and the id answers row by row. If it asked
    for the greatest id of each group, PostgreSQL without fresh statistics would count the groups again for every outer
    row. ``whole_groups`` means that the rows were chosen by columns that all rows of a group share. Then newer rows are
    looked for in the whole table, which costs less.
    """
    if as_of is not None:
        rows = rows.filter(id__lte=as_of)
    same = {column: OuterRef(column) for column in group}
    others: QuerySet[Row] = rows.model._default_manager.all() if whole_groups else rows
    newer = others.order_by().filter(id__gt=OuterRef("id"), **same)
    if as_of is not None:
        newer = newer.filter(id__lte=as_of)
    return rows.filter(~Exists(newer))


# Compare what a page showed at the time of a click with the present state.

UNSEEN = gettext_lazy(
    "This was changed in another window after you opened it here, so nothing was saved now. Look at what is there, and "
    "do it again if you still want it."
)


@dataclass(frozen=True, slots=True)
class Shown:
    """The value that a page displayed and is about to change, as a JSON value. The API, files and plain forms have
    none.
    """

    value: object


@dataclass(frozen=True, slots=True)
class Click:
    """What every click on a bench carries: its key, how it was made, and what its page displayed.

    ``shown`` is None if the page does not say what it displayed. ``told`` is the ledger point up to which the page
    listed changes; None if the click does not come from a page that lists them.
    """

    key: UUID
    how: str
    shown: Shown | None
    told: int | None


@contextmanager
def unless_sent(was_sent: Callable[[], bool]) -> Iterator[None]:
    """Suppress a `Conflict` raised in the block if the click was stored before; the caller then returns what it
    stored.
    """
    try:
        yield
    except Conflict:
        if not was_sent():
            raise


def require_seen(*, shown: Shown | None, current: object) -> None:
    """Raise `Conflict` (code "unseen") if the current value differs from what the page showed; ``shown`` None is never
    refused.
    """
    if shown is not None and shown.value != current:
        raise Conflict(UNSEEN, code="unseen")

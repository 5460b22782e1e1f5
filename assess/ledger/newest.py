"""The newest row of each group in a ledger, which is current, and what a page showed against what stands now."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from assess.base.errors import Conflict
from assess.ledger.models import LedgerRow

Row = TypeVar("Row", bound=LedgerRow)


def newest_rows(
    rows: QuerySet[Row], *group: str, as_of: int | None = None, whole_groups: bool = False
) -> QuerySet[Row]:
    """Of these rows up to ledger point ``as_of`` the newest of each group of equal values in the named columns.

    Asked as "no newer one", which an index over the columns and the id answers row by row. As the greatest id of each
    group, PostgreSQL without fresh statistics counts the groups anew for every row outside. ``whole_groups``: these
    rows were chosen by what all rows of a group share, so that a newer one need not be among them: that costs less.
    """
    if as_of is not None:
        rows = rows.filter(id__lte=as_of)
    same = {column: OuterRef(column) for column in group}
    others: QuerySet[Row] = rows.model._default_manager.all() if whole_groups else rows
    newer = others.order_by().filter(id__gt=OuterRef("id"), **same)
    if as_of is not None:
        newer = newer.filter(id__lte=as_of)
    return rows.filter(~Exists(newer))


# What a page showed when somebody clicked, against what stands now.

UNSEEN = (
    "Something newer was saved of this in another window, and nothing was overwritten. Look at what stands there now, "
    "and do it again if you still mean it."
)


@dataclass(frozen=True, slots=True)
class Shown:
    """The values that a page displayed and is about to change, as JSON values. The API, files and plain forms have
    none.
    """

    value: object


@dataclass(frozen=True, slots=True)
class Click:
    """What every click on a bench brings: its key, how it was made, and what its page showed and told.

    ``shown`` is None where the page says nothing of it. ``told`` is the ledger point up to which the page told what is
    new; None where no page did.
    """

    key: UUID
    how: str
    shown: Shown | None
    told: int | None


@contextmanager
def unless_sent(was_sent: Callable[[], bool]) -> Iterator[None]:
    """Let go what the block refuses (`Conflict`) of a click that was stored before: it is told what it stored then."""
    try:
        yield
    except Conflict:
        if not was_sent():
            raise


def require_seen(*, shown: Shown | None, stands: object) -> None:
    """Refuse (`Conflict` with the code "unseen") a change of what looks otherwise than the page showed it."""
    if shown is not None and shown.value != stands:
        raise Conflict(UNSEEN, code="unseen")

"""The newest row of each group in a ledger: what is current."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Exists, OuterRef, QuerySet

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

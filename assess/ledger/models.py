"""What every ledger table shares. Rows are added and never changed; the database refuses UPDATE and DELETE."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, ClassVar

from django.db import connection, models, transaction
from django.utils.translation import gettext_lazy

SITE = 0
"""Takes the place of a campaign's id for rows that belong to no campaign."""


class LedgerPoint(models.Model):
    """The highest number in all ledgers of one campaign, or of `SITE`. It is made when the first number is taken.

    Numbers are unique on the whole site. A writer raises its campaign's point and locks it until the transaction ends.
    So within a campaign, a row with a lower number is never committed after one with a higher number, and the state as
    of any number up to the point never changes (docs/decisions/0017). There is no foreign key, since `SITE` is not a
    campaign. No point is ever deleted, since on SQLite the next number follows the highest.
    """

    campaign = models.BigIntegerField(primary_key=True)
    value = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.value} of {self.campaign}"


# The sequence's number may have been drawn before the wait for the point. If it is not above the point, another is
# drawn. That one is above it, since the writer who raised the point had drawn its number before.
TAKE_ON_POSTGRESQL = """
INSERT INTO assess_ledgerpoint AS point (campaign, value) VALUES (%s, nextval('assess_ledger_numbers'))
ON CONFLICT (campaign) DO UPDATE SET value = CASE
    WHEN excluded.value > point.value THEN excluded.value ELSE nextval('assess_ledger_numbers') END
RETURNING value
"""
TAKE_MORE_ON_POSTGRESQL = """
WITH drawn AS MATERIALIZED (SELECT nextval('assess_ledger_numbers') AS number FROM generate_series(1, %s)),
raised AS (UPDATE assess_ledgerpoint SET value = (SELECT max(number) FROM drawn) WHERE campaign = %s)
SELECT number FROM drawn ORDER BY number
"""
TAKE_ON_SQLITE = """
INSERT INTO assess_ledgerpoint (campaign, value)
VALUES (%s, (SELECT coalesce(max(value), 0) + %s FROM assess_ledgerpoint))
ON CONFLICT (campaign) DO UPDATE SET value = excluded.value
RETURNING value
"""


def take_points(campaign: int, count: int = 1) -> Sequence[int]:
    """Take numbers, at least one, for rows of the campaign with this id, in ascending order.

    Call it in the transaction that adds the rows, and add rows of no other campaign there: two writers that each hold
    one campaign's point and wait for the other's would block each other. For the same reason, lock other rows before
    this call and never after it. Lock them with ``no_key=True``, since a plain FOR UPDATE also blocks anybody who adds
    a row that refers to them. One query, or two for several numbers on PostgreSQL.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":  # which has one writer at a time
            cursor.execute(TAKE_ON_SQLITE, [campaign, count])
            (last,) = cursor.fetchone()
            return range(last - count + 1, last + 1)
        cursor.execute(TAKE_ON_POSTGRESQL, [campaign])
        taken = [number for (number,) in cursor.fetchall()]
        if count > 1:
            cursor.execute(TAKE_MORE_ON_POSTGRESQL, [count - 1, campaign])
            taken += [number for (number,) in cursor.fetchall()]
        return taken


def continue_numbers() -> None:
    """Make the next number follow the highest point, after points were copied from another database."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT setval('assess_ledger_numbers', coalesce(max(value), 0) + 1, false) FROM assess_ledgerpoint"
            )


class LedgerRow(models.Model):
    """A row that is only ever added. Its id is its place in its campaign's ledgers; its time is for information only.

    ``client_key`` identifies a click: the same key with the same content is the same row, and the same key with other
    content is refused. Triggers in the migrations refuse UPDATE and DELETE. ``campaign_path`` is the lookup that leads
    to the campaign.
    """

    campaign_path: ClassVar[str] = "assignment__campaign"

    id = models.BigIntegerField(primary_key=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Add the row with the next number. A row that exists can't be saved again."""
        with transaction.atomic(savepoint=False):
            if not self.id:  # numbers begin at 1
                number_rows([self])
            kwargs["force_insert"] = True
            super().save(*args, **kwargs)


def number_rows(rows: Sequence[LedgerRow]) -> None:
    """Give new rows of one campaign the next numbers in this order, as `take_points` does."""
    if rows:
        campaign = attrgetter(f"{rows[0].campaign_path}_id".replace("__", "."))(rows[0]) or SITE
        for row, point in zip(rows, take_points(campaign, len(rows)), strict=True):
            row.id = point


class How(models.TextChoices):
    """How a judgment was made."""

    KEY = "key", gettext_lazy("key press")
    CLICK = "click", gettext_lazy("click")
    LIKE = "like", gettext_lazy("with others that say nearly the same")
    API = "api", gettext_lazy("API")
    IMPORT = "import", gettext_lazy("import")

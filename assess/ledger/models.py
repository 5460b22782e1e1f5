"""What every ledger table shares. Rows are added, never changed; the database refuses UPDATE and DELETE."""

from __future__ import annotations

from typing import Any

from django.db import connection, models, transaction


class LedgerPoint(models.Model):
    """The one counter that numbers the rows of all ledgers, in the order in which they are committed.

    A single row. Because a writer holds it until its transaction ends, a row with a lower number is never
    committed after one with a higher: "as of N" is one number for all ledgers and means the same for ever.
    """

    value = models.BigIntegerField()

    def __str__(self) -> str:
        return str(self.value)


def take_points(count: int) -> int:
    """Take ``count`` consecutive numbers and return the first. Must run in the transaction that adds the rows.

    Lock other rows before you call this, never after, so that two writers can't wait for each other; and lock
    them with ``no_key=True``, since a plain FOR UPDATE makes who adds a row that points there wait as well.
    """
    with connection.cursor() as cursor:
        cursor.execute("UPDATE assess_ledgerpoint SET value = value + %s RETURNING value", [count])
        (value,) = cursor.fetchone()
    return int(value) - count + 1


class LedgerRow(models.Model):
    """A row that is only ever added. Its id is its place in the order of all ledgers; clocks only inform.

    ``client_key`` comes with the click: the same key with the same content is the same row, the same key
    with other content is refused. Triggers in the migrations refuse UPDATE and DELETE.
    """

    id = models.BigIntegerField(primary_key=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Add the row with the next number; a row that exists can't be saved again."""
        with transaction.atomic(savepoint=False):
            if not self.id:  # numbers begin at 1
                self.id = take_points(1)
            kwargs["force_insert"] = True
            super().save(*args, **kwargs)


class How(models.TextChoices):
    """How a judgment came in."""

    KEY = "key", "key press"
    CLICK = "click", "click"
    API = "api", "API"
    IMPORT = "import", "import"

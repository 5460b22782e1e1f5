"""What every write of this app begins with: the lock on the assignment, and who may write to it when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from django.contrib.auth.models import User
from django.db import IntegrityError

from assess.assignments.domain.assignments import require_open_for_writing
from assess.assignments.models import Assignment
from assess.base.errors import Conflict, Invalid
from assess.campaigns.tracks import stage_of
from assess.ledger.models import How, LedgerRow, take_points
from assess.protocol import Stage

Row = TypeVar("Row", bound=LedgerRow)

USED_KEY = "This key was used before for something else. Nothing was changed; reload the page."


def lock_assignment(assignment: Assignment, work: str) -> Stage:
    """Lock the assignment's row until the transaction ends and return its stage, which must be of this kind.

    All writes under one assignment thereby happen one after the other.
    """
    _, stage = stage_of(assignment.campaign, assignment.stage)
    if stage.work != work:
        raise Invalid(f"This cannot be done in “{stage.label}”. Reload the page and try again.")
    state = Assignment.objects.select_for_update(no_key=True).values_list("state", flat=True).get(pk=assignment.pk)
    assignment.state = state
    return stage


def require_writable(*, actor: User, assignment: Assignment) -> None:
    """Refuse as `require_open_for_writing` does; call it after `lock_assignment` and after looking up the key."""
    require_open_for_writing(actor=actor, assignment=assignment)


def require_how(how: str) -> None:
    """Refuse a way of coming in that there is not."""
    if how not in How.values:
        raise Invalid(f"{how} is not a way in which work comes in.")


def clean_line(text: str) -> str:
    """The text on one line: white space runs to one space. Refused: halves of characters, which no file can hold."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise Invalid("The text holds half a character. Type or paste it again.")
    return " ".join(text.replace("\0", " ").split())


@contextmanager
def one_key() -> Iterator[None]:
    """Refuse a key that is used at this very moment under another assignment, whose lock is another.

    Stands around the transaction: the database lets only the first of the two rows in.
    """
    try:
        yield
    except IntegrityError as error:
        if "client_key" not in str(error):
            raise
        raise Conflict(USED_KEY) from error


def first_or_refused(earlier: Row, *, same: bool) -> Row:
    """The row that this key wrote before, where it says the same; else `Conflict`."""
    if not same:
        raise Conflict(USED_KEY)
    return earlier


def add_rows(rows: Sequence[Row]) -> list[Row]:
    """Add ledger rows in this order, with consecutive numbers, in one statement."""
    if not rows:
        return []
    first = take_points(len(rows))
    for point, row in enumerate(rows, start=first):
        row.id = point
    return list(type(rows[0])._default_manager.bulk_create(rows))

"""What every write of this app begins with: the lock on the assignment, and edits with their undo and redo."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar
from uuid import UUID

from assess.assignments.domain import assignments
from assess.assignments.models import Assignment
from assess.base.errors import Conflict, Invalid
from assess.campaigns.tracks import stage_of
from assess.ledger.adding import add_once
from assess.ledger.models import How, LedgerRow
from assess.protocol import Stage
from nuggets.writing.history import history_of

Edit = TypeVar("Edit", bound=LedgerRow)
Locked = TypeVar("Locked")


def lock_assignment(assignment: Assignment, work: str) -> Stage:
    """Lock the assignment's row until the transaction ends and return its stage, which must be of this kind."""
    _, stage = stage_of(assignment.campaign, assignment.stage)
    if stage.work != work:
        raise Invalid(f"This cannot be done in “{stage.label}”. Reload the page and try again.")
    locked = assignments.lock_assignment(assignment)
    assignment.state, assignment.lease_until = locked.state, locked.lease_until
    return stage


def add_edit(edit: Edit, *, owner: str, lock: Callable[[], Locked], change: Callable[[Locked], None]) -> Edit:
    """Add an edit of a list or a grouping, whichever its column ``owner`` names, or return what its key added before.

    ``change`` gets what ``lock`` returned. It refuses what is not allowed, writes what the edit changes, says in
    ``edit.before`` and ``edit.after`` what that is, and stores the edit. A key that comes again must ask the same
    (``edit.asked``).
    """
    key: UUID = getattr(edit, "client_key")  # noqa: B009 - each ledger of edits has one

    def add(locked: Locked) -> Edit:
        change(locked)
        return edit

    return add_once(
        lock=lock,
        add=add,
        earlier=type(edit)._default_manager.filter(client_key=key).first,
        same=lambda earlier: _asked(earlier, owner) == _asked(edit, owner),
    )


def turn_back(edit: Any, edits: Iterable[Any]) -> None:
    """Make an edit an undo or a redo, as its action says: of the newest of these that counts, or of the newest undo."""
    history = history_of(edits)
    row = history.undo if edit.action == "undo" else history.redo
    if row is None:
        raise Conflict(f"There is nothing to {edit.action}.")
    edit.undoes, edit.before, edit.after = row, row.after, row.before


def _asked(edit: Any, owner: str) -> tuple[object, ...]:
    return getattr(edit, owner), edit.actor_id, edit.action, edit.asked


def require_how(how: str) -> None:
    """Refuse a way of coming in that there is not."""
    if how not in How.values:
        raise Invalid(f"{how} is not a way in which work comes in.")


def clean_line(text: str) -> str:
    """The text on one line: white space runs to one space. Refused: halves of characters, which no file can hold."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise Invalid("The text holds half a character. Type or paste it again.")
    return " ".join(text.replace("\0", " ").split())

"""Change a draft nugget list in the one permitted way: by an edit under a lock that records the states before and
after.

An undo is another edit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from assess.assignments.domain import held_work
from assess.assignments.domain.held_work import require_open_for_writing
from assess.assignments.models import Assignment
from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.campaigns.queries import stage_of
from assess.campaigns.track_texts import in_language
from assess.ledger.adding import add_once, store
from assess.ledger.models import How, LedgerRow
from assess.protocol import Stage
from nuggets.writing.history import State, changes, history_of, list_state
from nuggets.writing.models import Nugget, NuggetEdit, NuggetList, NuggetSource

# How every write of this app begins: with a lock on the assignment, and edits with their undo and redo.

Edit = TypeVar("Edit", bound=LedgerRow)
Locked = TypeVar("Locked")


def require_kind(stage: Stage, work: str) -> None:
    """Refuse the stage if it is of another kind of work than this."""
    if stage.work.key != work:
        raise Invalid(
            gettext("This cannot be done in “%(label)s”. Reload the page and try again.")
            % {"label": in_language(stage.label)}
        )


def lock_assignment(assignment: Assignment, work: str) -> Stage:
    """Lock the assignment's row until the transaction ends, and return its stage.

    The object given gets the state and lease that are stored now. Refuses an assignment of another kind of work.
    """
    _, stage = stage_of(assignment.campaign, assignment.stage)
    require_kind(stage, work)
    locked = held_work.lock_assignment(assignment)
    assignment.state, assignment.lease_until = locked.state, locked.lease_until
    return stage


def add_edit(edit: Edit, *, owner: str, lock: Callable[[], Locked], change: Callable[[Locked], None]) -> Edit:
    """Add an edit in a transaction, or return the edit that was added earlier with the same client key.

    The edit's column ``owner`` names the list or grouping that is edited. ``change`` is called with the result of
    ``lock``. It refuses what is not allowed, writes the change, sets ``edit.before`` and ``edit.after``, and stores the
    edit. If the key is repeated, the edit must ask for the same as before (``edit.asked``); otherwise it is refused.
    """
    key: UUID = getattr(edit, "client_key")  # noqa: B009 - each ledger of edits has one

    def add() -> Edit:
        change(locked)
        return edit

    with transaction.atomic():
        locked = lock()
        return add_once(
            add=add,
            earlier=type(edit)._default_manager.filter(client_key=key).first,
            same=lambda earlier: _request_of(earlier, owner) == _request_of(edit, owner),
        )


def make_undo_or_redo(edit: Any, edits: Iterable[Any]) -> None:
    """Fill in ``edit``, whose action is "undo" or "redo", with the row that it reverses and its states; save nothing.

    An undo reverses the newest of these edits that has not been undone, a redo the newest undo. Raises Conflict if
    there is nothing to undo or redo.
    """
    history = history_of(edits)
    row = history.undo if edit.action == "undo" else history.redo
    if row is None:
        is_undo = edit.action == "undo"
        raise Conflict(gettext("There is nothing to undo.") if is_undo else gettext("There is nothing to redo."))
    edit.undoes, edit.before, edit.after = row, row.after, row.before


def _request_of(edit: Any, owner: str) -> tuple[object, ...]:
    return getattr(edit, owner), edit.actor_id, edit.action, edit.asked


def require_how(how: str) -> None:
    """Refuse a value that is not one of the ways of entering judgments in `How`."""
    if how not in How.values:
        raise Invalid(gettext("%(how)s is not a way in which work comes in.") % {"how": how})


def clean_line(text: str) -> str:
    """Return the text on one line, with a single space for each run of white space.

    Refuses half characters (lone surrogates), which can't be written to a file.
    """
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise Invalid(gettext("A character of the text is broken. Type or paste it again."))
    return " ".join(text.replace("\0", " ").split())


# Edits of lists: made, undone and made again.

Asked = dict[str, Any]
WORK = "nuggets"


def make_edit(
    *,
    actor: User,
    nugget_list: NuggetList,
    action: str,
    asked: Asked,
    client_key: UUID,
    change: Callable[[NuggetList], None],
) -> NuggetEdit:
    """Lock the list, let ``change`` write to its rows, and add the edit that records the difference.

    The same key with the same ``asked`` returns the first edit and changes nothing; with another ``asked`` it is
    refused. Also refuses a list that is frozen or somebody else's, and an assignment that is not open.
    """
    edit = NuggetEdit(nugget_list=nugget_list, actor=actor, action=action, asked=asked, client_key=client_key)

    def write(locked: NuggetList) -> None:
        before = list_state(locked)
        change(locked)
        edit.before, edit.after = changes(before, list_state(locked))

    return _make(edit, write)


def undo_edit(*, actor: User, nugget_list: NuggetList, client_key: UUID) -> NuggetEdit:
    """Undo the newest edit of this draft that has not been undone, by adding a row, and return the undo.

    A repeated undo goes one step further back, at most to the draft as it was begun. Raises Conflict if there is
    nothing to undo, and refuses what `make_edit` refuses.
    """
    return _turn_back(NuggetEdit(nugget_list=nugget_list, actor=actor, action="undo", client_key=client_key))


def redo_edit(*, actor: User, nugget_list: NuggetList, client_key: UUID) -> NuggetEdit:
    """Redo the newest undo. Raises Conflict if nothing was undone, or something else was edited after it."""
    return _turn_back(NuggetEdit(nugget_list=nugget_list, actor=actor, action="redo", client_key=client_key))


def _turn_back(edit: NuggetEdit) -> NuggetEdit:
    def write(locked: NuggetList) -> None:
        make_undo_or_redo(edit, locked.edits.order_by("id"))
        restore(nugget_list=locked, states=edit.after)

    return _make(edit, write)


def _make(edit: NuggetEdit, write: Callable[[NuggetList], None]) -> NuggetEdit:
    def change(locked: NuggetList) -> None:
        require_draft(actor=edit.actor, nugget_list=locked)
        write(locked)
        store(edit)

    return add_edit(edit, owner="nugget_list_id", lock=partial(lock_list, edit.nugget_list), change=change)


def lock_list(nugget_list: NuggetList) -> NuggetList:
    """Lock the list's row and its assignment's until the transaction ends, and return the list as it is now. Refuses an
    assignment of another kind of work.
    """
    assignment = nugget_list.assignment
    lock_assignment(assignment, WORK)
    locked = NuggetList.objects.select_for_update(no_key=True).get(pk=nugget_list.pk)
    locked.assignment = assignment
    return locked


def require_draft(*, actor: User, nugget_list: NuggetList) -> None:
    """Refuse a list that is frozen or is somebody else's, and an assignment that is not open."""
    if nugget_list.owner_id != actor.pk:
        raise NotAllowed(gettext("This nugget list is somebody else's."))
    require_open_for_writing(actor=actor, assignment=nugget_list.assignment)
    if nugget_list.is_frozen:
        raise Conflict(gettext("This list is frozen. Begin a new version of it to change anything."))


def restore(*, nugget_list: NuggetList, states: dict[str, State | None]) -> None:
    """Bring the nuggets with these numbers, and their sources, into exactly these states, with the same ids of rows.

    A nugget whose state is None is deleted. Other nuggets of the list stay as they are.
    """
    wanted = [state for state in states.values() if state is not None]
    gone = [int(number) for number, state in states.items() if state is None]
    touched = nugget_list.nuggets.filter(number__in=[int(number) for number in states])
    kept = [source["id"] for state in wanted for source in state["sources"]]
    NuggetSource.objects.filter(nugget__in=touched).exclude(pk__in=kept).delete()
    touched.update(merged_into=None, split_from=None)
    nugget_list.nuggets.filter(number__in=gone).delete()
    for state in wanted:
        fields = {key: state[key] for key in ("number", "position", "text", "importance", "group", "is_retired")}
        fields["fields"] = state.get("fields", {})  # edits made before nuggets had them
        Nugget.objects.update_or_create(pk=state["id"], defaults={"nugget_list": nugget_list, **fields})
    for state in wanted:
        links = {"merged_into_id": state["merged_into"], "split_from_id": state["split_from"]}
        Nugget.objects.filter(pk=state["id"]).update(**links)
        for source in state["sources"]:
            _restore_source(nugget_id=state["id"], source=source)


def _restore_source(*, nugget_id: int, source: State) -> None:
    NuggetSource.objects.update_or_create(
        pk=source["id"],
        defaults={
            "nugget_id": nugget_id,
            "item_id": source["item"],
            "document_id": source["document"],
            "docno": source["docno"],
            "quote": source["quote"],
            "span": source["span"],
        },
    )


def nugget_of(nugget_list: NuggetList, number: int) -> Nugget:
    """Return the list's nugget with this number. Raises `Invalid` if there is none."""
    nugget = nugget_list.nuggets.filter(number=number).first()
    if nugget is None:
        raise Invalid(gettext("This list has no number %(number)s. Reload the page.") % {"number": number})
    return nugget


def active_nugget_of(nugget_list: NuggetList, number: int) -> Nugget:
    """Return the list's nugget with this number. Refuses an unknown number, and a nugget that is retired or merged."""
    nugget = nugget_of(nugget_list, number)
    if not nugget.is_active:
        state = gettext("retired") if nugget.is_retired else gettext("merged into another")
        raise Conflict(
            gettext("Number %(number)s is %(state)s. Restore it first.") % {"number": number, "state": state}
        )
    return nugget

"""The one way in which a draft nugget list changes: one locked edit, recorded before and after, undone as a row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User

from assess.assignments.domain.assignments import require_open_for_writing
from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.ledger.adding import store
from nuggets.writing.models import Nugget, NuggetEdit, NuggetList, NuggetSource
from nuggets.writing.rows import add_edit, lock_assignment, turn_back
from nuggets.writing.states import State, changes, list_state

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
    """Lock the list, let ``change`` write to its rows, and add the row that says what it did.

    The same key with the same ``asked`` returns the first row and changes nothing; with other content it is
    refused. Refused too: a list that is frozen or somebody else's, work that is not open.
    """
    edit = NuggetEdit(nugget_list=nugget_list, actor=actor, action=action, asked=asked, client_key=client_key)

    def write(locked: NuggetList) -> None:
        before = list_state(locked)
        change(locked)
        edit.before, edit.after = changes(before, list_state(locked))

    return _make(edit, write)


def undo_edit(*, actor: User, nugget_list: NuggetList, client_key: UUID) -> NuggetEdit:
    """Turn back the newest edit that counts, by another row. Again and again walks back to the empty draft."""
    return _turn_back(NuggetEdit(nugget_list=nugget_list, actor=actor, action="undo", client_key=client_key))


def redo_edit(*, actor: User, nugget_list: NuggetList, client_key: UUID) -> NuggetEdit:
    """Turn back the newest undo, as long as nothing else was edited since."""
    return _turn_back(NuggetEdit(nugget_list=nugget_list, actor=actor, action="redo", client_key=client_key))


def _turn_back(edit: NuggetEdit) -> NuggetEdit:
    def write(locked: NuggetList) -> None:
        turn_back(edit, locked.edits.order_by("id"))
        restore(nugget_list=locked, states=edit.after)

    return _make(edit, write)


def _make(edit: NuggetEdit, write: Callable[[NuggetList], None]) -> NuggetEdit:
    def change(locked: NuggetList) -> None:
        _require_draft(actor=edit.actor, nugget_list=locked)
        write(locked)
        store(edit)

    return add_edit(edit, owner="nugget_list_id", lock=partial(lock_list, edit.nugget_list), change=change)


def lock_list(nugget_list: NuggetList) -> NuggetList:
    """The list as it is by now, its row and that of its assignment locked until the transaction ends."""
    assignment = nugget_list.assignment
    lock_assignment(assignment, WORK)
    locked = NuggetList.objects.select_for_update(no_key=True).get(pk=nugget_list.pk)
    locked.assignment = assignment
    return locked


def _require_draft(*, actor: User, nugget_list: NuggetList) -> None:
    if nugget_list.owner_id != actor.pk:
        raise NotAllowed("This nugget list is somebody else's.")
    require_open_for_writing(actor=actor, assignment=nugget_list.assignment)
    if nugget_list.is_frozen:
        raise Conflict("This list is frozen. Begin a new version of it to change anything.")


def restore(*, nugget_list: NuggetList, states: dict[str, State | None]) -> None:
    """Make the nuggets with these numbers exactly what the states say, ids of rows included."""
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
    """The list's nugget with this number, or `Invalid`."""
    nugget = nugget_list.nuggets.filter(number=number).first()
    if nugget is None:
        raise Invalid(f"This list has no number {number}. Reload the page.")
    return nugget


def active_nugget_of(nugget_list: NuggetList, number: int) -> Nugget:
    """The list's nugget with this number, which must be neither retired nor merged."""
    nugget = nugget_of(nugget_list, number)
    if not nugget.is_active:
        state = "retired" if nugget.is_retired else "merged into another"
        raise Conflict(f"Number {number} is {state}. Restore it first.")
    return nugget

"""The one way in which a draft nugget list changes: one locked edit, recorded before and after, undone as a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction

from assess.base.errors import Conflict, Invalid, NotAllowed
from nuggets.writing.history import history_of
from nuggets.writing.models import Nugget, NuggetEdit, NuggetList, NuggetSource
from nuggets.writing.rows import first_or_refused, lock_assignment, one_key, require_writable
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
    with one_key(), transaction.atomic():
        locked, earlier = _lock(actor=actor, nugget_list=nugget_list, client_key=client_key)
        if earlier is not None:
            return _same(earlier, actor=actor, nugget_list=nugget_list, action=action, asked=asked)
        _require_draft(actor=actor, nugget_list=locked)
        before = list_state(locked)
        change(locked)
        was, is_now = changes(before, list_state(locked))
        edit = NuggetEdit(nugget_list=locked, actor=actor, action=action, asked=asked, client_key=client_key)
        edit.before, edit.after = was, is_now
        edit.save()
        return edit


def undo_edit(*, actor: User, nugget_list: NuggetList, client_key: UUID) -> NuggetEdit:
    """Turn back the newest edit that counts, by another row. Again and again walks back to the empty draft."""
    return _turn_back(actor=actor, nugget_list=nugget_list, client_key=client_key, action="undo")


def redo_edit(*, actor: User, nugget_list: NuggetList, client_key: UUID) -> NuggetEdit:
    """Turn back the newest undo, as long as nothing else was edited since."""
    return _turn_back(actor=actor, nugget_list=nugget_list, client_key=client_key, action="redo")


def _turn_back(*, actor: User, nugget_list: NuggetList, client_key: UUID, action: str) -> NuggetEdit:
    with one_key(), transaction.atomic():
        locked, earlier = _lock(actor=actor, nugget_list=nugget_list, client_key=client_key)
        if earlier is not None:
            return _same(earlier, actor=actor, nugget_list=nugget_list, action=action, asked={})
        _require_draft(actor=actor, nugget_list=locked)
        history = history_of(locked.edits.order_by("id"))
        row = history.undo if action == "undo" else history.redo
        if row is None:
            raise Conflict(f"There is nothing to {action}.")
        restore(nugget_list=locked, states=row.before)
        edit = NuggetEdit(nugget_list=locked, actor=actor, action=action, client_key=client_key, undoes=row)
        edit.before, edit.after = row.after, row.before
        edit.save()
        return edit


def _lock(*, actor: User, nugget_list: NuggetList, client_key: UUID) -> tuple[NuggetList, NuggetEdit | None]:
    """The list with its row locked, and the edit that this key made before."""
    assignment = nugget_list.assignment
    lock_assignment(assignment, WORK)
    locked = NuggetList.objects.select_for_update(no_key=True).get(pk=nugget_list.pk)
    locked.assignment = assignment
    return locked, NuggetEdit.objects.filter(client_key=client_key).first()


def _require_draft(*, actor: User, nugget_list: NuggetList) -> None:
    if nugget_list.owner_id != actor.pk:
        raise NotAllowed("This nugget list is somebody else's.")
    require_writable(actor=actor, assignment=nugget_list.assignment)
    if nugget_list.is_frozen:
        raise Conflict("This list is frozen. Begin a new version of it to change anything.")


def _same(earlier: NuggetEdit, *, actor: User, nugget_list: NuggetList, action: str, asked: Asked) -> NuggetEdit:
    same = (earlier.nugget_list_id, earlier.actor_id, earlier.action) == (nugget_list.pk, actor.pk, action)
    return first_or_refused(earlier, same=same and earlier.asked == asked)


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

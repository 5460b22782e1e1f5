"""The states of a list before and after each edit, as plain values, and which edits of a sequence count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from nuggets.writing.models import Nugget, NuggetList, NuggetSource

GO_ON = "go on"
"""The action of an edit that brings a draft up to what somebody else made of it. It can't be undone."""


class Edit(Protocol):
    """A row of a ledger of edits."""

    id: int
    action: str
    undoes_id: int | None


E = TypeVar("E", bound=Edit)


@dataclass(frozen=True, slots=True)
class History(Generic[E]):
    """The edit that an undo would reverse, the undo that a redo would reverse, and the number of edits.

    ``undo`` and ``redo`` are None if there is nothing to reverse.
    """

    undo: E | None
    redo: E | None
    count: int


def history_of(edits: Iterable[E]) -> History[E]:
    """Return what can be undone and redone after these edits, which are in the order of the ledger.

    An undo reverses the newest edit that has not been undone, a redo the newest undo. After any other edit nothing can
    be redone. Edits before a `GO_ON`, and the `GO_ON` itself, can't be undone.
    """
    done: list[E] = []
    undone: list[E] = []
    rows = list(edits)
    for edit in rows:
        if edit.action == "undo":
            done.pop()
            undone.append(edit)
        elif edit.action == "redo":
            undone.pop()
            done.append(edit)
        else:
            done.append(edit)
            undone.clear()
            if edit.action == GO_ON:
                done.clear()
    return History(done[-1] if done else None, undone[-1] if undone else None, len(rows))


# A nugget list as plain values, in which edits are recorded, compared and restored.

State = dict[str, Any]
"""One nugget with its sources: all that `nuggets.writing.edits` needs to restore it."""
NUGGET_STATE = (
    "id", "number", "position", "text", "importance", "group", "fields", "merged_into", "split_from", "is_retired",
)  # fmt: skip
SOURCE_STATE = ("id", "item", "document", "docno", "quote", "span")


def list_state(nugget_list: NuggetList) -> dict[str, State]:
    """Return nugget's number -> state, for the nuggets of the list. The numbers are text, since keys of JSON objects
    are. Two queries.
    """
    sources: dict[int, list[State]] = {}
    found = NuggetSource.objects.filter(nugget__nugget_list=nugget_list).order_by("id")
    for source in found.values("nugget_id", *SOURCE_STATE):
        sources.setdefault(source.pop("nugget_id"), []).append(source)
    nuggets = Nugget.objects.filter(nugget_list=nugget_list).order_by("number").values(*NUGGET_STATE)
    return {str(nugget["number"]): nugget | {"sources": sources.get(nugget["id"], [])} for nugget in nuggets}


def changes(before: dict[str, State], after: dict[str, State]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return (number -> state before, number -> state after) for only those nuggets whose states differ.

    The state of a nugget that is not on the list is None.
    """
    touched = [number for number in sorted({*before, *after}, key=int) if before.get(number) != after.get(number)]
    return {n: before.get(n) for n in touched}, {n: after.get(n) for n in touched}

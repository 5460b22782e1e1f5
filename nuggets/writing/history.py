"""What was on a list before and after each edit, as plain values, and which edits of a sequence count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from nuggets.writing.models import Nugget, NuggetList, NuggetSource


class Edit(Protocol):
    """A row of an edit ledger."""

    id: int
    action: str
    undoes_id: int | None


E = TypeVar("E", bound=Edit)


@dataclass(frozen=True, slots=True)
class History(Generic[E]):
    """The edit that undo would turn back, the undo that redo would turn back (None where there is none), how many edits
    there are.
    """

    undo: E | None
    redo: E | None
    count: int


def history_of(edits: Iterable[E]) -> History[E]:
    """Replay the ledger in order: undo takes the newest edit that counts, redo the newest undo; any other
    edit ends what could be redone. A frozen list or a row named in ``undoes`` is never turned back twice.
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
    return History(done[-1] if done else None, undone[-1] if undone else None, len(rows))


# A nugget list as plain values: what edits are recorded in, compared by and restored from.

State = dict[str, Any]
"""One nugget with its sources: everything that `nuggets.writing.edits` can restore."""
NUGGET_STATE = (
    "id", "number", "position", "text", "importance", "group", "fields", "merged_into", "split_from", "is_retired",
)  # fmt: skip
SOURCE_STATE = ("id", "item", "document", "docno", "quote", "span")


def list_state(nugget_list: NuggetList) -> dict[str, State]:
    """Return every nugget of the list by number (as text, since JSON keys are). Two queries."""
    sources: dict[int, list[State]] = {}
    found = NuggetSource.objects.filter(nugget__nugget_list=nugget_list).order_by("id")
    for source in found.values("nugget_id", *SOURCE_STATE):
        sources.setdefault(source.pop("nugget_id"), []).append(source)
    nuggets = Nugget.objects.filter(nugget_list=nugget_list).order_by("number").values(*NUGGET_STATE)
    return {str(nugget["number"]): nugget | {"sources": sources.get(nugget["id"], [])} for nugget in nuggets}


def changes(before: dict[str, State], after: dict[str, State]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what differs, as (before, after) by number; a nugget that is not there is None."""
    touched = [number for number in sorted({*before, *after}, key=int) if before.get(number) != after.get(number)]
    return {n: before.get(n) for n in touched}, {n: after.get(n) for n in touched}

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


def list_state(nugget_list: NuggetList) -> dict[str, State]:
    """Every nugget of the list by number (as text, since JSON keys are). Two queries."""
    sources: dict[int, list[State]] = {}
    for source in NuggetSource.objects.filter(nugget__nugget_list=nugget_list).order_by("id"):
        sources.setdefault(source.nugget_id, []).append(source_state(source))
    nuggets = Nugget.objects.filter(nugget_list=nugget_list).order_by("number")
    return {str(nugget.number): nugget_state(nugget, sources.get(nugget.pk, [])) for nugget in nuggets}


def nugget_state(nugget: Nugget, sources: list[State]) -> State:
    """One nugget as plain values."""
    return {
        "id": nugget.pk,
        "number": nugget.number,
        "position": nugget.position,
        "text": nugget.text,
        "importance": nugget.importance,
        "group": nugget.group,
        "fields": nugget.fields,
        "merged_into": nugget.merged_into_id,
        "split_from": nugget.split_from_id,
        "is_retired": nugget.is_retired,
        "sources": sources,
    }


def source_state(source: NuggetSource) -> State:
    """One source as plain values."""
    return {
        "id": source.pk,
        "item": source.item_id,
        "document": source.document_id,
        "docno": source.docno,
        "quote": source.quote,
        "span": source.span,
    }


def changes(before: dict[str, State], after: dict[str, State]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What differs, as (before, after) by number; a nugget that is not there is None."""
    touched = [number for number in sorted({*before, *after}, key=int) if before.get(number) != after.get(number)]
    return {n: before.get(n) for n in touched}, {n: after.get(n) for n in touched}

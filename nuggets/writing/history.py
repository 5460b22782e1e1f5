"""Which of a sequence of edits count, and which an undo or a redo would turn back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar


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

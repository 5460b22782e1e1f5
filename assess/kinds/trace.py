"""The records behind a row of an explained score: the ledger rows that people added about the thing it stands for.

A row says by `scoring.release.explained.About` what it stands for. Kinds of work find what was said of it
(`WorkKind.trace`); of a thing that several know, what each says stands one after the other, in the order of the kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from assess.kinds.base import kinds

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from assess.judging.snapshots import Snapshot
    from assess.runs.models import Run
    from scoring.release.explained import About


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """Words selected in a document, with the text before and after them; ``value`` is their own grade or ""."""

    quote: str
    docno: str = ""
    before: str = ""
    after: str = ""
    value: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class TracedAct:
    """One ledger row: what was said, when and how. ``was`` is what it changed, "" where it was the first.

    ``seconds`` and ``guideline`` are None where they were not recorded.
    """

    number: int
    value: str
    at: datetime
    how: str
    was: str = ""
    seconds: float | None = None
    guideline: int | None = None
    note: str = ""
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class TracedOpinion:
    """Everything that one person said to one question about a thing, in the order of the ledger.

    ``role`` is what participants see of who it was, ``assessor`` what organisers see. ``counts``: the newest of the
    rows is the official value. ``role_key`` is the role itself, "" where no assignment stands behind it.
    """

    question: str
    role: str
    assessor: str
    acts: tuple[TracedAct, ...]
    counts: bool = False
    role_key: str = ""

    @property
    def last(self) -> TracedAct:
        """What they say now."""
        return self.acts[-1]

    @property
    def earlier(self) -> tuple[TracedAct, ...]:
        """What they said before, the newest first."""
        return self.acts[-2::-1]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgmentTrace:
    """What a row stands for, and all that was said of it. ``docno`` is "" where no document belongs to it."""

    title: str
    text: str = ""
    docno: str = ""
    said: tuple[TracedOpinion, ...] = ()


Finder = Callable[["Snapshot", "About", "Run | None"], JudgmentTrace | None]
"""Where to look, what to find, the run whose value is explained (None where judgments alone score it)."""


def find_behind(snapshot: Snapshot, about: About, *, run: Run | None) -> JudgmentTrace | None:
    """Return the item with all opinions on it in a snapshot; None where it is unknown."""
    found: JudgmentTrace | None = None
    for kind in kinds().values():
        finder = kind.trace.get(about.kind)
        thing = finder(snapshot, about, run) if finder is not None else None
        if thing is not None:
            found = thing if found is None else replace(found, said=(*found.said, *thing.said))
    return found


def in_turn(acts: list[TracedAct]) -> tuple[TracedAct, ...]:
    """Return one person's acts on one question, in order, each with what it changed."""
    return tuple(
        replace(act, was=acts[place - 1].value) if place and acts[place - 1].value != act.value else act
        for place, act in enumerate(acts)
    )


def rows_until(rows: QuerySet[Any], as_of: int | None) -> QuerySet[Any]:
    """The rows of a ledger up to a ledger point."""
    return rows if as_of is None else rows.filter(id__lte=as_of)


def rows_by(rows: QuerySet[Any], key: Callable[[Any], object]) -> list[list[Any]]:
    """The rows of a ledger, in order, those with one key together."""
    found: dict[object, list[Any]] = {}
    for row in rows.order_by("id"):
        found.setdefault(key(row), []).append(row)
    return list(found.values())


class SaidRow(Protocol):
    """A row of a ledger in which somebody said something under an assignment."""

    pk: int
    created_at: datetime
    assessor: Any
    assignment: Any

    def get_how_display(self) -> str: ...


def act_of(row: SaidRow, value: str, quotes: tuple[Quote, ...] = ()) -> TracedAct:
    """What one row says."""
    return TracedAct(number=row.pk, value=value, at=row.created_at, how=row.get_how_display(), quotes=quotes)


def said_by(newest: SaidRow, question: str, acts: list[TracedAct], *, counts: bool) -> TracedOpinion:
    """What one person said to a question, of which ``newest`` is the last row."""
    return TracedOpinion(
        question=question,
        role=newest.assignment.get_role_display(),
        role_key=newest.assignment.role,
        assessor=newest.assessor.username,
        counts=counts,
        acts=in_turn(acts),
    )

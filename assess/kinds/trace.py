"""The records behind a row of an explained score: the ledger rows about the thing that the row represents.

A row names that thing by `scoring.release.explained.About`. Kinds of work find the judgments of it (`WorkKind.trace`).
If several kinds find some, they are listed in the order of the kinds.
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
    """Words selected in a document, with the text before and after them.

    ``value`` is the grade of the quote itself, or "".
    """

    quote: str
    docno: str = ""
    before: str = ""
    after: str = ""
    value: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class TracedAct:
    """One ledger row: the answer, when and how it was given.

    ``was`` is the value that it changed, or "" if it changed none. ``seconds`` and ``guideline`` are None if they were
    not recorded.
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
    """All of one person's answers to one question about a thing, in ledger order.

    ``role`` is what participants see of the person, ``assessor`` what organisers see. ``counts`` means that the newest
    row is the official value. ``role_key`` is the key of the role, or "" if there is no assignment.
    """

    question: str
    role: str
    assessor: str
    acts: tuple[TracedAct, ...]
    counts: bool = False
    role_key: str = ""

    @property
    def last(self) -> TracedAct:
        """The current answer."""
        return self.acts[-1]

    @property
    def earlier(self) -> tuple[TracedAct, ...]:
        """The earlier answers, newest first."""
        return self.acts[-2::-1]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgmentTrace:
    """The thing that a row represents, and all opinions on it.

    ``docno`` is "" if the thing has no document.
    """

    title: str
    text: str = ""
    docno: str = ""
    said: tuple[TracedOpinion, ...] = ()


Finder = Callable[["Snapshot", "About", "Run | None"], JudgmentTrace | None]
"""A function (snapshot, thing to find, run) that returns its trace.

The run is the one whose value is explained; it is None if judgments alone determine the score.
"""


def find_trace(snapshot: Snapshot, about: About, *, run: Run | None) -> JudgmentTrace | None:
    """Return the thing with all opinions on it in a snapshot, or None if it is unknown."""
    found: JudgmentTrace | None = None
    for kind in kinds().values():
        finder = kind.trace.get(about.kind)
        thing = finder(snapshot, about, run) if finder is not None else None
        if thing is not None:
            found = thing if found is None else replace(found, said=(*found.said, *thing.said))
    return found


def acts_in_order(acts: list[TracedAct]) -> tuple[TracedAct, ...]:
    """Return one person's acts on one question in their order, each with the value that it changed."""
    return tuple(
        replace(act, was=acts[place - 1].value) if place and acts[place - 1].value != act.value else act
        for place, act in enumerate(acts)
    )


def rows_until(rows: QuerySet[Any], as_of: int | None) -> QuerySet[Any]:
    """Return the rows of a ledger up to a ledger point; None means all."""
    return rows if as_of is None else rows.filter(id__lte=as_of)


def rows_by(rows: QuerySet[Any], key: Callable[[Any], object]) -> list[list[Any]]:
    """Return the rows of a ledger, in order, grouped by key."""
    found: dict[object, list[Any]] = {}
    for row in rows.order_by("id"):
        found.setdefault(key(row), []).append(row)
    return list(found.values())


class SaidRow(Protocol):
    """A ledger row that records an answer under an assignment."""

    pk: int
    created_at: datetime
    assessor: Any
    assignment: Any

    def get_how_display(self) -> str: ...


def act_of(row: SaidRow, value: str, quotes: tuple[Quote, ...] = ()) -> TracedAct:
    """Return one row as a traced act."""
    return TracedAct(number=row.pk, value=value, at=row.created_at, how=row.get_how_display(), quotes=quotes)


def traced_opinion(newest: SaidRow, question: str, acts: list[TracedAct], *, counts: bool) -> TracedOpinion:
    """Return one person's opinion on a question, made of these ``acts``, of which ``newest`` is the last row.

    ``counts`` says whether that row is the official value.
    """
    return TracedOpinion(
        question=question,
        role=newest.assignment.get_role_display(),
        role_key=newest.assignment.role,
        assessor=newest.assessor.username,
        counts=counts,
        acts=acts_in_order(acts),
    )

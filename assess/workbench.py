"""The kinds of work that stages name. Apps register theirs; a track names one by its key and nothing more.

A kind brings the page of the workbench and the question "is this assignment's work complete?". The pages
under `work/<assignment>/` all begin here, so that `assess` need not know which apps bring which work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.http import HttpRequest, HttpResponse

    from assess.models import Assignment
    from assess.models.ledger import LedgerRow
    from assess.queries.progress.counted import Counts


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """How far an assignment is: things done of all, in a word for the thing ("instances")."""

    done: int
    total: int
    unit: str

    @property
    def left(self) -> int:
        """How many are still open."""
        return max(self.total - self.done, 0)


def noun_for(unit: str, number: int) -> str:
    """The word of a tally for so many things: "1 figure or table" where ``unit`` is "figures or tables".

    >>> noun_for("figures or tables", 1), noun_for("figures or tables", 2), noun_for("list of passages", 1)
    ('figure or table', 'figures or tables', 'list of passages')
    """
    if number != 1 or unit.startswith("list of "):
        return unit
    return " or ".join(word.removesuffix("s") for word in unit.split(" or "))


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkKind:
    """One kind of workbench.

    ``page(request, assignment)`` shows it. ``tally(assignments)`` maps each assignment's id to its tally
    in a bounded number of queries. ``missing(assignment)`` is a sentence saying what is still to be done
    before the assignment can be marked done, or "" when nothing is. ``ledgers`` are the tables, with the way from a row
    to its assignment, in which this work is recorded beside `Judgment`; ``counted`` is ``tally`` with counts at hand,
    where it is quicker with them. ``asks_pooled``: its things are the pooled items of the stage's kind, all or some, so
    that there is nothing to do where none is pooled. ``begin(actor, assignment)`` puts in what is there before anything
    is said; called once, in the transaction in which the work is opened for the first time.
    """

    key: str
    page: Callable[[HttpRequest, Assignment], HttpResponse]
    tally: Callable[[list[Assignment]], dict[int, Tally]]
    missing: Callable[[Assignment], str]
    ledgers: tuple[tuple[type[LedgerRow], str], ...] = ()
    counted: Callable[[list[Assignment], Counts], dict[int, Tally]] | None = None
    asks_pooled: bool = False
    begin: Callable[[User, Assignment], None] | None = None


_KINDS: dict[str, WorkKind] = {}


def register(kind: WorkKind) -> None:
    """Make a kind of work known under its key; called once by each app when the site starts."""
    _KINDS[kind.key] = kind


def work_kind(key: str) -> WorkKind:
    """The kind of work with this key; a track that names an unknown one is a bug and crashes loudly."""
    return _KINDS[key]

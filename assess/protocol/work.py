"""What a stage asks people to do: a record of options for each kind of work. Those of nuggets stand in `nuggets`.

A kind of work has one such record, whose ``key`` names it (`assess.kinds.base.WorkKind.options`). A track gives it to
`Stage.work`, which has what stages of every kind have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from assess.protocol.judging import Criterion, Needs


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """What work of every kind may have: ``criteria``, the questions that it asks; ``needs``, which items alone it is
    about; with ``may_add`` assessors may add what no run returned.
    """

    key: ClassVar[str]

    criteria: tuple[Criterion, ...] = ()
    needs: Needs | None = None
    may_add: bool = False

    @property
    def judged(self) -> frozenset[str]:
        """The keys of the criteria of which something is said in this work."""
        return frozenset(each.key for each in self.criteria)


@dataclass(frozen=True, kw_only=True, slots=True)
class Grading(Work):
    """Criteria asked of each pooled item. With ``in_response`` a segment is shown with the response around it."""

    key = "grade"

    in_response: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Picking(Work):
    """Items that are picked and put in order.

    ``normalise`` gives the proper form of a label that an assessor types, or None for what is no label; the stage's
    ``help`` then says what is one.
    """

    key = "picks"

    may_add: bool = True
    normalise: Callable[[str], str | None] | None = None

"""Whose word counts: the official value, unless scores are built as if another set of judgments counted.

What is official is asked for deep inside many collectors of many tracks. To see how runs would rank under a second
assessor's judgments, the same collectors run inside `counting_as`. Everywhere else, and in every export, it is
official.

    with counting_as(judge):
        gold = build(collect(...))     # what is collected must be used up inside
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from assess.assignments.models import Assignment

ADJUDICATOR, PRIMARY = Assignment.Role.ADJUDICATOR.value, Assignment.Role.PRIMARY.value


@dataclass(frozen=True, kw_only=True, slots=True)
class Counting:
    """The words that count: those said in one of ``roles``, by one person where ``assessor`` (an id) is given.

    Of several roles the adjudicator's word stands instead of others'.
    """

    roles: tuple[str, ...] = (ADJUDICATOR, PRIMARY)
    assessor: int | None = None

    @property
    def is_official(self) -> bool:
        """Whether it is the usual rule."""
        return self == OFFICIAL_COUNTING

    def where(self, role: str, assessor: str) -> dict[str, Any]:
        """Conditions for a query, given the names of its columns that hold the role and the assessor."""
        found: dict[str, Any] = {f"{role}__in": self.roles}
        return found if self.assessor is None else {**found, assessor: self.assessor}

    def admits(self, assessor: int, role: str) -> bool:
        """Whether the word of this person (an id) in this role counts."""
        return role in self.roles and self.assessor in (None, assessor)


OFFICIAL_COUNTING = Counting()
_now: ContextVar[Counting] = ContextVar("whose word counts", default=OFFICIAL_COUNTING)


def counting() -> Counting:
    """Whose word counts here and now."""
    return _now.get()


@contextmanager
def counting_as(other: Counting) -> Iterator[None]:
    """Inside, another set of judgments counts; for this thread alone."""
    token = _now.set(other)
    try:
        yield
    finally:
        _now.reset(token)

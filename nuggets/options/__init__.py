"""The options of this app's kinds of work, which tracks give to their stages. Imports nothing of Django."""

from __future__ import annotations

from dataclasses import dataclass

from assess.protocol import Work


@dataclass(frozen=True, kw_only=True, slots=True)
class NuggetWriting(Work):
    """Assessors write lists of nuggets and freeze them.

    ``groups`` holds the key and label of each group to choose from. With ``asks_importance`` a nugget is vital or okay.
    With ``asks_group`` a list can be frozen only if each nugget has a group; with ``asks_quotes``, only if any of its
    nuggets has a quote.
    """

    key = "nuggets"

    groups: tuple[tuple[str, str], ...] = ()
    asks_importance: bool = True
    asks_group: bool = False
    asks_quotes: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Voting(Work):
    """Any number of assessors vote on whether each nugget of a frozen list is vital or okay."""

    key = "votes"


@dataclass(frozen=True, kw_only=True, slots=True)
class Matching(Work):
    """Assessors mark the nuggets of a list in responses.

    With ``partial`` a nugget may be marked as present in part, or explicitly as absent.
    """

    key = "matches"

    partial: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemGrouping(Work):
    """Assessors group the items to which an earlier stage gave ``grade``: a criterion's key and a value. With
    ``may_add`` they can also add answers that no run returned.
    """

    key = "classes"

    grade: tuple[str, int]
    may_add: bool = True

    @property
    def judged(self) -> frozenset[str]:
        """Return the key of the grade's criterion. Answers that assessors add here are judged on it as well."""
        return frozenset({self.grade[0]})

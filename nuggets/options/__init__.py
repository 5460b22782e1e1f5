"""The options of each kind of work of this app, which tracks give to their stages. Imports no Django."""

from __future__ import annotations

from dataclasses import dataclass

from assess.protocol import Work


@dataclass(frozen=True, kw_only=True, slots=True)
class NuggetWriting(Work):
    """Lists of nuggets, written and frozen.

    ``groups`` are those to choose from, by key and label. With ``asks_importance`` a nugget is vital or okay. A list is
    frozen only when each nugget has its group with ``asks_group``, and only with a quote of a document with
    ``asks_quotes``.
    """

    key = "nuggets"

    groups: tuple[tuple[str, str], ...] = ()
    asks_importance: bool = True
    asks_group: bool = False
    asks_quotes: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Voting(Work):
    """Nuggets of a frozen list, vital or okay, by anybody."""

    key = "votes"


@dataclass(frozen=True, kw_only=True, slots=True)
class Matching(Work):
    """The nuggets of a list marked in responses; with ``partial`` one may be there in part, and may be said expressly
    not to be there.
    """

    key = "matches"

    partial: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemGrouping(Work):
    """The items of which an earlier stage said ``grade`` (the key of a criterion, a value) put into groups."""

    key = "classes"

    grade: tuple[str, int]
    may_add: bool = True

    @property
    def judged(self) -> frozenset[str]:
        """The criterion of the grade: an answer that is added here has it."""
        return frozenset({self.grade[0]})

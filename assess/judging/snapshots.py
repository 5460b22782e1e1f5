"""A campaign as it stood at a point of the ledgers, under the judgments of those whose judgments count.

Exports, scores, agreement, traces and releases ask for records deep inside many collectors. Each is handed one
`Snapshot` and passes it on, so that what is read late is read of the same state as what was read at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from assess.assignments.models import Assignment
from assess.campaigns.designs import campaign_at
from assess.campaigns.models import Campaign
from assess.campaigns.queries import reached_point

ADJUDICATOR, PRIMARY = Assignment.Role.ADJUDICATOR.value, Assignment.Role.PRIMARY.value


@dataclass(frozen=True, kw_only=True, slots=True)
class Counting:
    """The words that count: those said in one of ``roles``, by one person where ``assessor`` (an id) is given.

    Of several roles the adjudicator's judgment replaces others'.
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
        """Return whether the word of this person (an id) in this role counts."""
        return role in self.roles and self.assessor in (None, assessor)


OFFICIAL_COUNTING = Counting()
"""The adjudicator's word, else the primary assessor's. Every export is made of these, and every release."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What records are read from: the campaign up to ledger point ``as_of`` (None: the newest), as if ``counting``.

    What is no ledger, such as topics and accepted runs, is read as it is now, but for the design of the campaign, which
    is that of the point: values may have been moved on their scale since. With ``topics`` (numbers), a collector of
    grades, and that of everything that people said, leave out those of all others.
    """

    campaign: Campaign
    as_of: int | None = None
    counting: Counting = OFFICIAL_COUNTING
    topics: frozenset[str] | None = None
    _found: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def found_once(self, name: str) -> dict[Any, Any]:
        """Return what several collectors of this snapshot share under a name, which whoever finds it first fills.

        Where the ledger point is not fixed it is always empty, since more may have been said meanwhile.
        """
        kept: dict[Any, Any] = self._found.setdefault(name, {}) if self.as_of is not None else {}
        return kept

    def __post_init__(self) -> None:
        """Read the campaign by the design of the point. One query where it has a design of its own."""
        object.__setattr__(self, "campaign", campaign_at(self.campaign, self.as_of))

    def reached(self) -> int:
        """Return the ledger point: ``as_of``, or the newest. Refused: one that is not reached yet. One query."""
        return reached_point(self.campaign, self.as_of)


def counted_in(snapshot: Snapshot | None) -> tuple[int | None, Counting]:
    """Return the ledger point and whose judgments count; without a snapshot the newest and the official."""
    return (None, OFFICIAL_COUNTING) if snapshot is None else (snapshot.as_of, snapshot.counting)

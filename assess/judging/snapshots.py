"""Snapshots: a campaign as of a ledger point, with the rule that decides whose judgments count.

Exports, scores, agreement, traces and releases read records deep inside many collectors. Each collector is handed one
`Snapshot` and passes it on, so that all of them read the same state, however late.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from assess.assignments.models import Assignment
from assess.campaigns.designs import campaign_at
from assess.campaigns.models import Campaign
from assess.campaigns.queries import reached_point

ADJUDICATOR, PRIMARY = Assignment.Role.ADJUDICATOR.value, Assignment.Role.PRIMARY.value
SECOND = Assignment.Role.SECOND.value


@dataclass(frozen=True, kw_only=True, slots=True)
class CountingRule:
    """The rule that decides which judgments count: those made in one of ``roles``.

    If ``assessor`` (an id) is given, only that person's count. Among several roles, the adjudicator's judgment replaces
    the others'.
    """

    roles: tuple[str, ...] = (ADJUDICATOR, PRIMARY)
    assessor: int | None = None

    @property
    def is_official(self) -> bool:
        """Whether this is the official rule."""
        return self == OFFICIAL_COUNTING

    def where(self, role: str, assessor: str) -> dict[str, Any]:
        """Return the query conditions for rows that count, given the names of their columns of role and assessor."""
        found: dict[str, Any] = {f"{role}__in": self.roles}
        return found if self.assessor is None else {**found, assessor: self.assessor}

    def admits(self, assessor: int, role: str) -> bool:
        """Return whether the judgments of this person (an id) in this role count."""
        return role in self.roles and self.assessor in (None, assessor)


OFFICIAL_COUNTING = CountingRule()
"""The official rule: the adjudicator's judgment, else the primary assessor's. Every export and release uses it."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state from which records are read: a campaign as of a ledger point, and whose judgments count.

    ``as_of`` is the point; None means the newest. Topics, accepted runs and whatever else is not in a ledger are read
    in their current state. Only the campaign's design is that of the point, since values may have moved on their scale
    since then. With ``topics`` (numbers), the collectors of grades and of all recorded opinions leave out all other
    topics.
    """

    campaign: Campaign
    as_of: int | None = None
    counting: CountingRule = OFFICIAL_COUNTING
    topics: frozenset[str] | None = None
    _found: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def admits_second(self, assessor: int) -> bool:
        """Return whether files of second assessors' work include this person's (an id).

        They include everybody's work, unless the snapshot is for exports of certain judges only.
        """
        is_part = self.topics is not None and not self.counting.is_official
        return not is_part or self.counting.admits(assessor, SECOND)

    def found_once(self, name: str) -> dict[Any, Any]:
        """Return the mapping that the collectors of this snapshot share under a name; the first one to need it fills
        it.

        If ``as_of`` is None, each call returns a new empty mapping, since more may have been judged meanwhile.
        """
        kept: dict[Any, Any] = self._found.setdefault(name, {}) if self.as_of is not None else {}
        return kept

    def __post_init__(self) -> None:
        """Read the campaign under its design at the point. One query if the campaign has a design of its own."""
        object.__setattr__(self, "campaign", campaign_at(self.campaign, self.as_of))

    def reached(self) -> int:
        """Return the ledger point: ``as_of``, or the newest one.

        Raises `Invalid` if ``as_of`` is not reached yet. One query.
        """
        return reached_point(self.campaign, self.as_of)


def counted_in(snapshot: Snapshot | None) -> tuple[int | None, CountingRule]:
    """Return a snapshot's ledger point and its rule; without a snapshot, the newest point and the official rule."""
    return (None, OFFICIAL_COUNTING) if snapshot is None else (snapshot.as_of, snapshot.counting)

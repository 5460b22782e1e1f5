"""Counts of work by day and person, and of pooled items, as they are stored (`assess.progress.models`).

With what was added since (`counted_since.py`) they are exact, however old they are. `assess.progress.domain` combines
both, and stores the result from time to time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from django.db.models import Count, Max, Q

from assess.campaigns.models import Campaign
from assess.campaigns.queries import ledger_point, stage_of, track_of
from assess.items.models import PoolItem
from assess.items.queries import current_pools
from assess.progress.models import CountedUpTo, PooledCount, WorkDay
from assess.protocol import Criterion, is_plain

VERSION = 2
"""The version of the counting method. A new version makes all counts again."""

DayKey = tuple[int, str, int, date]  # topic, stage, assessor, day
PieceKey = tuple[int, str, int]  # topic, stage, assessor
PersonDay = tuple[int, str, date]  # assessor, stage, day


@dataclass(slots=True)
class DayCount:
    """The counts of one `WorkDay`, which are added up here."""

    acts: int = 0
    settled: int = 0
    seconds: float = 0.0
    timed: int = 0
    last_at: datetime | None = None

    def add(self, other: DayCount) -> None:
        """Add another count of the same day."""
        self.acts += other.acts
        self.settled += other.settled
        self.seconds += other.seconds
        self.timed += other.timed
        if self.last_at is None or (other.last_at is not None and other.last_at > self.last_at):
            self.last_at = other.last_at


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """The work up to ledger point ``point``, and pooled items up to the id ``pool_item``.

    ``pieces`` is each person's work in a stage of a topic, ``days`` their work in a stage on a day, ``pooled`` the
    number of items of a kind in a pool for a topic. ``newest`` and ``newest_item`` are the ends of the ledgers and
    pools.
    """

    basis: str
    newest: int
    newest_item: int
    point: int = 0
    pool_item: int = 0
    pieces: dict[PieceKey, DayCount] = field(default_factory=dict)
    days: dict[PersonDay, DayCount] = field(default_factory=dict)
    pooled: dict[tuple[int, int, str], int] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether everything has been counted."""
        return self.point >= self.newest and self.pool_item >= self.newest_item

    def items(self) -> dict[tuple[int, str], int]:
        """Return the number of pooled items by (topic id, kind)."""
        found: dict[tuple[int, str], int] = {}
        for (_, topic, kind), number in self.pooled.items():
            found[topic, kind] = found.get((topic, kind), 0) + number
        return found


@dataclass(frozen=True, kw_only=True, slots=True)
class CountsSince:
    """What must be added to stored counts to bring them to ``point`` and ``pool_item``."""

    point: int
    pool_item: int
    days: dict[DayKey, DayCount]
    pooled: dict[tuple[int, int, str], int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Basis:
    """What counting depends on apart from the ledgers: current pools, the criteria for each kind, and the time zone."""

    pools: tuple[int, ...]
    asked: Mapping[str, tuple[tuple[str, tuple[Criterion, ...]], ...]]  # kind -> (stage, criteria)
    zone: str

    @property
    def digest(self) -> str:
        """A digest of what counts depend on. If it is another one, everything is counted anew."""
        asked = {
            kind: sorted((stage, sorted(each.key for each in criteria)) for stage, criteria in stages)
            for kind, stages in self.asked.items()
        }
        depends = [
            (stage, each.key, each.required, each.asked_if)
            for stages in self.asked.values()
            for stage, criteria in stages
            for each in criteria
            if not is_plain([each])
        ]
        said = json.dumps([VERSION, self.pools, asked, self.zone, *depends], sort_keys=True)
        return hashlib.sha256(said.encode()).hexdigest()


def basis_of(campaign: Campaign) -> Basis:
    """Return the current basis of counting in this campaign. One query."""
    asked: dict[str, list[tuple[str, tuple[Criterion, ...]]]] = {}
    for task in track_of(campaign).tasks:
        for each in task.stages:
            if each.work.key == "grade":
                _, stage = stage_of(campaign, each.key)
                asked.setdefault(stage.item_kind, []).append((stage.key, tuple(stage.criteria)))
    return Basis(
        pools=tuple(current_pools(campaign).order_by("pk").values_list("pk", flat=True)),
        asked={kind: tuple(stages) for kind, stages in asked.items()},
        zone=campaign.time_zone,
    )


def stored_counts(campaign: Campaign, basis: Basis) -> Counts:
    """Return the counts stored under this basis; without any, empty counts as of point 0. At most five queries."""
    upto = CountedUpTo.objects.filter(campaign=campaign, basis=basis.digest).first()
    counted = upto.pool_item if upto is not None else 0
    of_pools = PoolItem.objects.filter(pool__in=basis.pools)
    found = of_pools.aggregate(last=Max("pk"), there=Count("pk", filter=Q(pk__lte=counted)))
    nothing = Counts(basis=basis.digest, newest=ledger_point(campaign), newest_item=found["last"] or 0)
    if upto is None:
        return nothing
    pooled = {
        (pool, topic, kind): items
        for pool, topic, kind, items in PooledCount.objects.filter(pool__in=basis.pools).values_list(
            "pool_id", "topic_id", "kind", "items"
        )
    }
    if found["there"] != sum(pooled.values()):  # two pools grew at once, and the later numbers were stored first
        return nothing
    rows = WorkDay.objects.filter(campaign=campaign).order_by()
    fields = ("topic_id", "stage", "assessor_id", "day", "acts", "settled", "seconds", "timed", "last_at")
    days = {
        (topic, stage, person, day): DayCount(*counted)
        for topic, stage, person, day, *counted in rows.values_list(*fields)
    }
    return together(nothing, CountsSince(point=upto.point, pool_item=upto.pool_item, days=days, pooled=pooled))


def together(stored: Counts, since: CountsSince) -> Counts:
    """Add later counts to ``stored``, which is changed in place, and return the sum as of the later point."""
    for (topic, stage, person, day), counted in since.days.items():
        stored.pieces.setdefault((topic, stage, person), DayCount()).add(counted)
        stored.days.setdefault((person, stage, day), DayCount()).add(counted)
    for place, items in since.pooled.items():
        stored.pooled[place] = stored.pooled.get(place, 0) + items
    return replace(stored, point=since.point, pool_item=since.pool_item)

"""Work counted by day and person, and pooled items: what is stored of it (`assess.progress.models`).

`assess.progress.queries.counted_since` counts what came since; both together are exact however old
the stored counts are.
`assess.progress.domain` puts them together, and stores the result now and then.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from django.db.models import Max, Sum

from assess.campaigns.models import Campaign
from assess.campaigns.tracks import stage_of, track_of
from assess.items.models import PoolItem
from assess.items.queries.membership import current_pools
from assess.ledger.models import LedgerPoint
from assess.progress.models import CountedUpTo, PooledCount, WorkDay

VERSION = 1
"""Of the way of counting; another one makes all counts anew."""

DayKey = tuple[int, str, int, date]  # topic, stage, assessor, day
PieceKey = tuple[int, str, int]  # topic, stage, assessor
PersonDay = tuple[int, str, date]  # assessor, stage, day


@dataclass(slots=True)
class DayCount:
    """What `WorkDay` says of one day; here it adds up."""

    acts: int = 0
    settled: int = 0
    seconds: float = 0.0
    timed: int = 0
    last_at: datetime | None = None

    def add(self, other: DayCount) -> None:
        """Take another count of the same day in."""
        self.acts += other.acts
        self.settled += other.settled
        self.seconds += other.seconds
        self.timed += other.timed
        self.last_at = max(filter(None, (self.last_at, other.last_at)), default=None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """Work up to ledger point ``point`` and pooled items up to the id ``pool_item``.

    ``pieces`` is what each person did in a stage of a topic, ``days`` what they did in a stage on a day, ``pooled`` how
    many items of a kind a pool holds for a topic. ``newest`` and ``newest_item`` are where the ledgers and pools are.
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
        """Whether nothing is left to be counted."""
        return self.point >= self.newest and self.pool_item >= self.newest_item

    def items(self) -> dict[tuple[int, str], int]:
        """(topic id, kind) -> pooled items."""
        found: dict[tuple[int, str], int] = {}
        for (_, topic, kind), number in self.pooled.items():
            found[topic, kind] = found.get((topic, kind), 0) + number
        return found


@dataclass(frozen=True, kw_only=True, slots=True)
class Since:
    """What is to be added to counts that are stored, to bring them to ``point`` and ``pool_item``."""

    point: int
    pool_item: int
    days: dict[DayKey, DayCount]
    pooled: dict[tuple[int, int, str], int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Basis:
    """What counting depends on beside the ledgers: the pools that count, what grading asks of each kind, the zone."""

    pools: tuple[int, ...]
    asked: Mapping[str, tuple[tuple[str, frozenset[str]], ...]]  # kind -> (stage, criteria)
    zone: str

    @property
    def digest(self) -> str:
        """Another one where any of it is another."""
        asked = {kind: sorted((stage, sorted(keys)) for stage, keys in stages) for kind, stages in self.asked.items()}
        said = json.dumps([VERSION, self.pools, asked, self.zone], sort_keys=True)
        return hashlib.sha256(said.encode()).hexdigest()


def basis_of(campaign: Campaign) -> Basis:
    """The basis as it is now. One query."""
    asked: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for task in track_of(campaign).tasks:
        for each in task.stages:
            if each.work == "grade":
                _, stage = stage_of(campaign, each.key)
                keys = frozenset(criterion.key for criterion in stage.criteria)
                asked.setdefault(stage.item_kind, []).append((stage.key, keys))
    return Basis(
        pools=tuple(current_pools(campaign).order_by("pk").values_list("pk", flat=True)),
        asked={kind: tuple(stages) for kind, stages in asked.items()},
        zone=campaign.time_zone,
    )


def stored_counts(campaign: Campaign, basis: Basis) -> Counts:
    """What is stored under this basis; nothing, from point 0, where that is not so. Seven queries at most."""
    nothing = Counts(
        basis=basis.digest,
        newest=LedgerPoint.objects.values_list("value", flat=True).get(),
        newest_item=PoolItem.objects.filter(pool__in=basis.pools).aggregate(last=Max("pk"))["last"] or 0,
    )
    upto = CountedUpTo.objects.filter(campaign=campaign, basis=basis.digest).first()
    if upto is None:
        return nothing
    pooled = {
        (pool, topic, kind): items
        for pool, topic, kind, items in PooledCount.objects.filter(pool__in=basis.pools).values_list(
            "pool_id", "topic_id", "kind", "items"
        )
    }
    there = PoolItem.objects.filter(pool__in=basis.pools, pk__lte=upto.pool_item).count()
    if there != sum(pooled.values()):  # two pools grew at once, and the later numbers were stored first
        return nothing
    rows = WorkDay.objects.filter(campaign=campaign).order_by()
    sums = {
        **{f"all_{name}": Sum(name) for name in ("acts", "settled", "seconds", "timed")},
        "all_last_at": Max("last_at"),
    }
    pieces = {
        (topic, stage, person): DayCount(*counted)
        for topic, stage, person, *counted in rows.values_list("topic_id", "stage", "assessor_id").annotate(**sums)
    }
    days = {
        (person, stage, day): DayCount(*counted)
        for person, stage, day, *counted in rows.values_list("assessor_id", "stage", "day").annotate(**sums)
    }
    return replace(nothing, point=upto.point, pool_item=upto.pool_item, pieces=pieces, days=days, pooled=pooled)


def together(stored: Counts, since: Since) -> Counts:
    """Both, as of the later."""
    for (topic, stage, person, day), counted in since.days.items():
        stored.pieces.setdefault((topic, stage, person), DayCount()).add(counted)
        stored.days.setdefault((person, stage, day), DayCount()).add(counted)
    for place, items in since.pooled.items():
        stored.pooled[place] = stored.pooled.get(place, 0) + items
    return replace(stored, point=since.point, pool_item=since.pool_item)

"""The order in which a piece of work asks its items, kept in memory from one request to the next. No join of runs.

The order is drawn from the seed of the work and the items' texts, so all items of a topic have to be read to know where
one stands. But a pool stays as it was built, unless it grows by judgments: as long as it and the
control items are the same, so is the order, and it need not be drawn again.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import F, QuerySet

from assess.assignments.models import Assignment, ControlItem
from assess.assignments.queries.waiting import in_own_order
from assess.assignments.queries.work_items import among
from assess.base.last_used import LastUsed
from assess.base.prepared import PreparedQuery
from assess.campaigns.models import Campaign
from assess.items.models import Pool
from assess.items.queries import current_pools
from assess.judging.queries.stage_items import stage_items
from assess.protocol import Stage
from scoring.pooling.recipe import ONLINE

KEPT = 64
"""So many orders are kept by each process, those used last: of 10,000 items each they take 5 MB."""


@dataclass(frozen=True, slots=True)
class BenchOrder:
    """The ids of what a piece of work asks, in its own order, with its control items among them.

    ``is_placed``: the pool says when some of it comes, so more may come while it is judged. ``sign`` is what the order
    follows from; None where it follows from more than can be named.
    """

    ids: Sequence[int]
    is_placed: bool
    sign: Hashable | None = None

    def place_of(self, item_id: int) -> int | None:
        """The item's place, from 1; None where the work does not ask it."""
        return self.ids.index(item_id) + 1 if item_id in self.ids else None


def bench_order(assignment: Assignment, stage: Stage) -> BenchOrder:
    """The order of a piece of work. Two queries, whatever the pool, while it is known; one more to draw it.

    It is drawn anew each time where it can change otherwise: where the pool grows, where a stage asks what other
    judgments let in, where topics give the items, whose texts a pool that is built again may take over, and inside of a
    transaction, which may be taken back.
    """
    placed = _placed(assignment)
    sign = _sign(assignment, stage, placed)
    if sign is None:
        return _drawn(assignment, stage, placed)
    found = _orders.get(sign)
    if found is None:
        found = _drawn(assignment, stage, placed, sign)
        if found.sign is not None:
            _orders.keep(sign, found)
    return found


def _placed(assignment: Assignment) -> list[tuple[int, int]]:
    return [(each.place, each.item_id) for each in CONTROL_ITEMS.all(work=assignment.pk or 0)]


def _sign(assignment: Assignment, stage: Stage, placed: Iterable[tuple[int, int]]) -> Hashable | None:
    """What an order follows from; None where it follows from more than that. One query."""
    if stage.needs is not None or connection.in_atomic_block:
        return None
    pools = POOLS.all(campaign=assignment.campaign_id, task=assignment.topic.task)
    if any(pool.__dict__["strategy"] in ONLINE for pool in pools):
        return None
    built = tuple((pool.pk, pool.digest, pool.created_at) for pool in pools)
    own = (assignment.pk, assignment.seed, assignment.topic_id, stage.item_kind)
    return own, built, tuple(placed)


def _control_items(*, work: int) -> QuerySet[ControlItem]:
    return ControlItem.objects.filter(assignment=work).order_by("place", "id")


def _pools(*, campaign: int, task: str) -> QuerySet[Pool]:
    pools = current_pools(Campaign(pk=campaign)).filter(task=task).order_by("pk")
    return pools.only("digest", "created_at").annotate(strategy=F("recipe__strategy"))


CONTROL_ITEMS = PreparedQuery(_control_items, work=int)
POOLS = PreparedQuery(_pools, campaign=int, task=str)


def _drawn(
    assignment: Assignment, stage: Stage, placed: Iterable[tuple[int, int]], sign: Hashable | None = None
) -> BenchOrder:
    """The order, without its sign where texts in it may be given anew. One query."""
    asked = stage_items(assignment.topic, stage).only("id", "text", "given").annotate(pool_place=F("pool_items__place"))
    items = in_own_order(asked, assignment.seed)
    ids = among([item.pk for item in items], placed)
    is_placed = any(item.pool_place is not None for item in items)  # type: ignore[attr-defined]
    return BenchOrder(array("q", ids), is_placed, None if any(item.given for item in items) else sign)


_orders: LastUsed[BenchOrder] = LastUsed(KEPT)

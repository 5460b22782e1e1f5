"""The order in which a piece of work asks its items, kept in memory from one request to the next. No join of runs.

The order is drawn from the seed of the work and the items' texts, so all items of a topic have to be read to know where
one stands. But a pool stays as it was built, unless it grows by judgments: as long as it and what is planted are the
same, so is the order, and it need not be drawn again.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

from django.db import connection
from django.db.models import F

from assess.assignments.models import Assignment, ControlItem
from assess.assignments.queries.items import among
from assess.assignments.queries.waiting import in_own_order
from assess.items.queries import current_pools
from assess.judging.queries.items import stage_items
from assess.protocol import Stage
from scoring.pooling.recipe import ONLINE

KEPT = 64
"""So many orders are kept by each process, those used last: of 10,000 items each they take 5 MB."""


@dataclass(frozen=True, slots=True)
class BenchOrder:
    """The ids of what a piece of work asks, in its own order, with what is planted among it.

    ``is_placed``: the pool says when some of it comes, so more may come while it is judged.
    """

    ids: Sequence[int]
    is_placed: bool

    def place_of(self, item_id: int) -> int | None:
        """The item's place, from 1; None where the work does not ask it."""
        return self.ids.index(item_id) + 1 if item_id in self.ids else None


def bench_order(assignment: Assignment, stage: Stage) -> BenchOrder:
    """The order of a piece of work. Two queries, whatever the pool, while it is known; one more to draw it.

    It is drawn anew each time where it can change otherwise: where the pool grows, where a stage asks what other
    judgments let in, where topics give the items, whose texts a pool that is built again may take over, and inside of a
    transaction, which may be taken back.
    """
    planted = _planted(assignment)
    sign = _sign(assignment, stage, planted)
    if sign is None:
        return _drawn(assignment, stage, planted)[0]
    found = _orders.get(sign)
    if found is None:
        found, may_change = _drawn(assignment, stage, planted)
        if not may_change:
            _orders.keep(sign, found)
    return found


def _planted(assignment: Assignment) -> list[tuple[int, int]]:
    control_items = ControlItem.objects.filter(assignment=assignment).order_by("place", "id")
    return list(control_items.values_list("place", "item_id"))


def _sign(assignment: Assignment, stage: Stage, planted: Iterable[tuple[int, int]]) -> Hashable | None:
    """What an order follows from; None where it follows from more than that. One query."""
    if stage.needs is not None or connection.in_atomic_block:
        return None
    pools = current_pools(assignment.campaign).filter(task=assignment.topic.task).order_by("pk")
    built = list(pools.values_list("pk", "digest", "created_at", "recipe__strategy"))
    if any(strategy in ONLINE for *_, strategy in built):
        return None
    own = (assignment.pk, assignment.seed, assignment.topic_id, stage.item_kind)
    return own, tuple(built), tuple(planted)


def _drawn(assignment: Assignment, stage: Stage, planted: Iterable[tuple[int, int]]) -> tuple[BenchOrder, bool]:
    """The order, and whether texts in it may be given anew. One query."""
    asked = stage_items(assignment.topic, stage).only("id", "text", "given").annotate(pool_place=F("pool_items__place"))
    items = in_own_order(asked, assignment.seed)
    ids = among([item.pk for item in items], planted)
    is_placed = any(item.pool_place is not None for item in items)  # type: ignore[attr-defined]
    return BenchOrder(array("q", ids), is_placed), any(item.given for item in items)


class _Orders:
    """The orders that were used last."""

    def __init__(self) -> None:
        self._found: OrderedDict[Hashable, BenchOrder] = OrderedDict()
        self._lock = Lock()

    def get(self, sign: Hashable) -> BenchOrder | None:
        with self._lock:
            if sign in self._found:
                self._found.move_to_end(sign)
            return self._found.get(sign)

    def keep(self, sign: Hashable, order: BenchOrder) -> None:
        with self._lock:
            self._found[sign] = order
            while len(self._found) > KEPT:
                self._found.popitem(last=False)


_orders = _Orders()

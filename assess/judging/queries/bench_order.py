"""The order in which an assignment asks its items, kept in memory from one request to the next. No join of runs.

The order is drawn from the seed of the work and the items' texts, so all items of a topic have to be read to know where
one stands. But a pool stays as it was built, unless it grows by judgments: as long as it and the control items are the
same, so is the order, and it need not be drawn again. What a growing pool grew by is read alone and put in.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from django.db import connection
from django.db.models import F

from assess.assignments.models import Assignment, ControlItem
from assess.assignments.queries.waiting import in_own_order
from assess.assignments.queries.work_items import among
from assess.base.last_used import LastUsed
from assess.items.models import Item, PoolItem
from assess.judging.queries.stage_items import stage_items
from assess.protocol import Stage
from scoring.pooling.recipe import ONLINE

KEPT = 64
"""So many orders are kept by each process, those used last: of 10,000 items each they take 5 MB."""

AT_ONCE = 500
"""Where a pool grew by more items than these since it was read, its order is drawn anew."""


@dataclass(frozen=True, slots=True)
class BenchOrder:
    """The ids of what an assignment asks, in its own order, with its control items among them.

    ``is_placed``: the pool says when some of it comes, so more may come while it is judged. ``sign`` is what the order
    follows from, apart from what a growing pool grew by: orders of one sign and one length are the same. None where it
    follows from more than can be named.
    """

    ids: Sequence[int]
    is_placed: bool
    sign: Hashable | None = None

    def place_of(self, item_id: int) -> int | None:
        """The item's place, from 1; None where the work does not ask it."""
        return self.ids.index(item_id) + 1 if item_id in self.ids else None


def bench_order(assignment: Assignment, stage: Stage) -> BenchOrder:
    """The order of an assignment. Two queries, whatever the pool, while it is known; one more to draw it.

    Where the pool grows by judgments one query more asks what came in, and one reads that. The order is drawn anew each
    time where it can change otherwise: where a stage asks what other judgments let in, where topics give the items,
    whose texts a pool that is built again may take over, and inside of a transaction, which may be taken back.
    """
    controls = ControlItem.objects.filter(assignment=assignment.pk).order_by("place", "id")
    placed = list(controls.values_list("place", "item_id"))
    if stage.needs is not None or connection.in_atomic_block:
        return _drawn(assignment, stage, placed, None, 0).order
    pools = assignment.campaign.pools.filter(task=assignment.topic.task).order_by("-pk")
    newest = list(pools.values_list("pk", "digest", "created_at", "recipe__strategy")[:1])
    growing = [pk for pk, _, _, strategy in newest if strategy in ONLINE]
    built = tuple(newest)
    own = (assignment.pk, assignment.seed, assignment.topic_id, stage.item_kind)
    sign = (own, built, tuple(placed))
    known = _orders.get(sign)
    found = _grown(known, assignment, stage, placed, growing) if known is not None and growing else known
    if found is None:
        found = _drawn(assignment, stage, placed, sign, _newest_row(growing))
    if found is not known and found.order.sign is not None:
        _orders.keep(sign, found)
    return found.order


@dataclass(frozen=True, slots=True)
class _Drawn:
    """An order with what it takes to put in what a pool grows by.

    ``own`` are the ids without control items, of which the first ``placed`` have places of the pool, up to ``last``.
    ``row`` is the newest row of the growing pool that was there before the order was drawn.
    """

    order: BenchOrder
    own: array[int]
    placed: int
    last: int
    row: int


def _drawn(
    assignment: Assignment, stage: Stage, placed: Sequence[tuple[int, int]], sign: Hashable | None, row: int
) -> _Drawn:
    """The order from all items, without its sign where texts in it may be given anew. One query."""
    items = _read(assignment, stage)
    own = array("q", [item.pk for item in items])
    places = [place for item in items if (place := _place_of(item)) is not None]
    ids = array("q", among(own, placed)) if placed else own
    order = BenchOrder(ids, bool(places), None if any(item.given for item in items) else sign)
    return _Drawn(order, own, len(places), max(places, default=0), row)


def _grown(
    known: _Drawn, assignment: Assignment, stage: Stage, placed: Sequence[tuple[int, int]], pools: Sequence[int]
) -> _Drawn | None:
    """What is known with what the pool grew by since; None where that stands elsewhere than pools grow. Two queries.

    A pool grows by places after the last of its topic, so what came in stands after all that has a place.
    """
    rows = list(PoolItem.objects.filter(pool__in=pools, pk__gt=known.row).order_by("pk").values_list("pk", "item_id"))
    if not rows:
        return known
    if len(rows) > AT_ONCE:
        return None
    new = _read(assignment, stage, [item for _, item in rows])
    if any(item.given or (_place_of(item) or 0) <= known.last for item in new):
        return None
    row = rows[-1][0]
    if not new:  # it grew in other topics
        return replace(known, row=row)
    own = array("q", known.own)
    own[known.placed : known.placed] = array("q", [item.pk for item in new])
    ids = array("q", among(own, placed)) if placed else own
    last = max(_place_of(item) or 0 for item in new)
    return _Drawn(BenchOrder(ids, True, known.order.sign), own, known.placed + len(new), last, row)


def _read(assignment: Assignment, stage: Stage, ids: Sequence[int] | None = None) -> list[Item]:
    """What the stage asks, or of it the items with these ids, in the order of the work. One query."""
    asked = stage_items(assignment.topic, stage).only("id", "text", "given").annotate(pool_place=F("pool_items__place"))
    return in_own_order(asked if ids is None else asked.filter(pk__in=ids), assignment.seed)


def _place_of(item: Item) -> int | None:
    """When the pool wants the item judged (`PoolItem.place`)."""
    place: int | None = getattr(item, "pool_place")  # noqa: B009 - the query's own
    return place


def _newest_row(pools: Sequence[int]) -> int:
    """The newest row of these pools. One query, none where there is no pool."""
    rows = PoolItem.objects.filter(pool__in=pools).order_by("-pk").values_list("pk", flat=True)
    return (rows.first() or 0) if pools else 0


_orders: LastUsed[_Drawn] = LastUsed(KEPT)

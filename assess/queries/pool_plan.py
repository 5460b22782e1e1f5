"""What building a pool would do, before it is done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assess.models import Campaign, Item
from assess.protocol import Task
from assess.queries.pools import current_pools
from assess.queries.runs import judged_runs, returned_items


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolPlan:
    """``items`` = kept + new. ``leaving`` are items of the present pool that would leave, judged ones among them."""

    runs: int
    items: int
    topics: int
    kept: int
    new: int
    leaving: int
    leaving_judged: int

    @property
    def changes_nothing(self) -> bool:
        """Whether the present pool has these very items."""
        return not self.new and not self.leaving


def pool_plan(campaign: Campaign, task: Task, priorities: Iterable[int]) -> PoolPlan:
    """The plan of a task's next pool, in five queries."""
    runs = judged_runs(campaign, priorities)
    found = returned_items(runs, task=task.key, kinds=[recipe.kind for recipe in task.pooling])
    rows = list(found.order_by().values_list("pk", "topic_id"))
    members = {pk for pk, _ in rows}
    newest = current_pools(campaign).filter(task=task.key).first()
    present = set(newest.pool_items.order_by().values_list("item_id", flat=True)) if newest is not None else set()
    leaving = present - members
    judged: set[int] = set()
    if leaving and newest is not None:
        pooled = Item.objects.filter(pool_items__pool=newest, judgments__isnull=False)
        judged = set(pooled.order_by().values_list("pk", flat=True).distinct())
    return PoolPlan(
        runs=runs.count(),
        items=len(members),
        topics=len({topic for _, topic in rows}),
        kept=len(members & present),
        new=len(members - present),
        leaving=len(leaving),
        leaving_judged=len(leaving & judged),
    )

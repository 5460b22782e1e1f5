"""What building a pool would do, before it is done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assess.campaigns.models import Campaign
from assess.items.models import Item
from assess.items.queries.membership import current_pools
from assess.pools.domain.candidates import pool_members
from assess.pools.domain.strategy import Selection
from assess.protocol import Task


@dataclass(frozen=True, kw_only=True, slots=True)
class KindPlan:
    """The items of one kind: ``items`` = kept + ``new``."""

    kind: str
    items: int
    new: int
    leaving: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolPlan:
    """``items`` = kept + new. ``leaving`` are items of the present pool that would leave, judged ones among them.

    ``kinds`` says it by kind, in the order of the task's recipes. ``priorities`` is empty where all runs count and
    ``judged_topics`` where all topics are judged.
    """

    runs: int
    priorities: tuple[int, ...]
    judged_topics: tuple[str, ...]
    items: int
    topics: int
    kept: int
    new: int
    leaving: int
    leaving_judged: int
    kinds: tuple[KindPlan, ...]

    @property
    def changes_nothing(self) -> bool:
        """Whether the present pool has these very items."""
        return not self.new and not self.leaving


def pool_plan(
    campaign: Campaign, task: Task, priorities: Iterable[int] | None = None, selection: Selection | None = None
) -> PoolPlan:
    """The plan of a task's next pool. A bounded number of queries; ranked files are read as building reads them."""
    members = pool_members(campaign, task, priorities, selection)
    newest = current_pools(campaign).filter(task=task.key).first()
    present: dict[int, str] = {}
    if newest is not None:
        present = dict(newest.pool_items.order_by().values_list("item_id", "item__kind"))
    kinds = {pk: kind for (_, kind, _), pk in members.stored.items()}
    leaving = present.keys() - kinds.keys()
    judged: set[int] = set()
    if leaving and newest is not None:
        pooled = Item.objects.filter(pool_items__pool=newest, judgments__isnull=False)
        judged = set(pooled.order_by().values_list("pk", flat=True).distinct())
    added = [kind for _, kind, _ in members.missing] + [kind for pk, kind in kinds.items() if pk not in present]
    everything = [*kinds.values(), *(kind for _, kind, _ in members.missing)]
    order = dict.fromkeys([*(recipe.kind for recipe in task.pooling), *(present[pk] for pk in leaving)])
    first = members.choices[0].priorities
    return PoolPlan(
        runs=len(members.runs),
        priorities=first or (),
        judged_topics=members.numbers,
        items=len(everything),
        topics=len({topic for topic, *_ in (*members.stored, *members.missing)}),
        kept=len(kinds.keys() & present.keys()),
        new=len(added),
        leaving=len(leaving),
        leaving_judged=len(leaving & judged),
        kinds=tuple(
            KindPlan(
                kind=kind,
                items=everything.count(kind),
                new=added.count(kind),
                leaving=sum(present[pk] == kind for pk in leaving),
            )
            for kind in order
        ),
    )

"""Stages of topics for which nothing is pooled. Nothing here joins runs."""

from __future__ import annotations

from collections.abc import Container

from django.db.models import Exists, OuterRef

from assess.campaigns.models import Campaign
from assess.campaigns.tracks import track_of
from assess.items.models import PoolItem
from assess.items.queries.membership import current_pools
from assess.kinds.base import work_kind


def nothing_pooled(campaign: Campaign, tasks: Container[str]) -> set[tuple[int, str]]:
    """(topic id, stage key) where a stage asks for pooled items and the task's pool holds none of their kind.

    Only of these tasks, and only where they have a pool. One query for each kind of items of each of them.
    """
    stages: dict[tuple[str, str], list[str]] = {}
    for task in track_of(campaign).tasks:
        for stage in task.stages:
            if task.key in tasks and work_kind(stage.work).asks_pooled:
                stages.setdefault((task.key, stage.item_kind), []).append(stage.key)
    pools = current_pools(campaign)
    found: set[tuple[int, str]] = set()
    for (task_key, kind), keys in stages.items():
        pooled = PoolItem.objects.filter(pool__in=pools, item__topic=OuterRef("pk"), item__kind=kind)
        topics = campaign.topics.filter(Exists(pools.filter(task=task_key)), task=task_key).filter(~Exists(pooled))
        found |= {(topic, key) for topic in topics.values_list("pk", flat=True) for key in keys}
    return found

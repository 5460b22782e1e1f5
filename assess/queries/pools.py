"""Which items are to be judged. None of these queries joins runs."""

from __future__ import annotations

from django.db.models import Max, QuerySet

from assess.models import Campaign, Item, Pool, Topic


def current_pools(campaign: Campaign) -> QuerySet[Pool]:
    """The newest pool of each task: the ones that count."""
    newest = campaign.pools.order_by().values("task").annotate(newest=Max("id")).values("newest")
    return campaign.pools.filter(pk__in=newest)


def pooled_items(topic: Topic, kind: str) -> QuerySet[Item]:
    """The items of a topic that are in the current pool of its task."""
    pools = current_pools(topic.campaign).filter(task=topic.task)
    return Item.objects.filter(topic=topic, kind=kind, pool_items__pool__in=pools)

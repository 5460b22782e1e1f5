"""Which items are to be judged. None of these queries joins runs."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet

from assess.campaigns.models import Campaign
from assess.items.models import Item, Pool
from assess.topics.models import Topic


def current_pools(campaign: Campaign) -> QuerySet[Pool]:
    """The newest pool of each task: the ones that count.

    Asked as "no newer one", which costs little wherever this stands inside another query; as the greatest of
    each group, PostgreSQL without fresh statistics counts the groups anew for every row outside.
    """
    newer = Pool.objects.filter(campaign=OuterRef("campaign"), task=OuterRef("task"), pk__gt=OuterRef("pk"))
    return campaign.pools.filter(~Exists(newer))


def pooled_items(topic: Topic, kind: str) -> QuerySet[Item]:
    """The items of a topic that are in the current pool of its task."""
    pools = current_pools(topic.campaign).filter(task=topic.task)
    return Item.objects.filter(topic=topic, kind=kind, pool_items__pool__in=pools)

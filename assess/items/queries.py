"""Which items are to be judged, and which topics have none. None of these queries joins runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Sequence

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from assess.base.plain_reads import first_row
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.items.models import Item, Pool, PoolItem
from assess.kinds.base import work_kind
from assess.protocol import KnownAnswer
from assess.topics.models import Topic

GROWTH = "pool.extend"
"""The action of the activity that records a pool's growth; its data names the added items."""

COUNTED = Q(item__topic__dropped=False)
"""The condition for rows about items, such as pool items or judgments, whose topics are not dropped."""


def current_pools(campaign: Campaign) -> QuerySet[Pool]:
    """Return the newest pool of each task, which is the one that counts.

    The query asks that no newer pool exists, which is cheap inside another query. With a maximum by group, PostgreSQL
    without fresh statistics would compute the groups again for every outer row.
    """
    newer = Pool.objects.filter(campaign=OuterRef("campaign"), task=OuterRef("task"), pk__gt=OuterRef("pk"))
    return campaign.pools.filter(~Exists(newer))


def pooled_at(campaign: Campaign, point: int | None) -> QuerySet[PoolItem]:
    """Return the rows of the current pools as of a ledger point; None means now.

    A growing pool had fewer rows at an earlier point. Each growth is an activity that lists the added items, and their
    rows come after all earlier rows. One query if a point is given, and one more for each pool that has grown since.
    """
    rows = PoolItem.objects.filter(pool__in=current_pools(campaign))
    if point is None:
        return rows
    grown: Counter[int] = Counter()
    acts = campaign.activities.filter(action=GROWTH, id__gt=point).order_by()
    for about, data in acts.values_list("object_id", "data"):
        grown[int(about)] += len(data["items"])
    for pool, count in grown.items():
        added = PoolItem.objects.filter(pool=pool).order_by("-pk").values_list("pk", flat=True)[:count]
        rows = rows.exclude(pool=pool, pk__gte=min(added, default=0))
    return rows


def pooled_items(topic: Topic, kind: str) -> QuerySet[Item]:
    """Return the topic's items of one kind that are in the current pool of its task."""
    newest = topic.campaign.pools.filter(task=topic.task).order_by("-pk").values("pk")[:1]
    return Item.objects.filter(topic=topic, kind=kind, pool_items__pool=Subquery(newest))


def are_pooled(pool: int | None, items: Collection[Item]) -> bool:
    """Return whether all these items are in the pool with this id.

    Each item must be given once. One query, answered by one index.
    """
    marks = ", ".join(["%s"] * len(items))
    statement = f"SELECT count(*) FROM assess_poolitem WHERE pool_id = %s AND item_id IN ({marks})"
    return first_row(statement, [pool, *(item.pk for item in items)]) == (len(items),)


# Topics and stages for which nothing is pooled. Nothing here joins runs.


def nothing_pooled(campaign: Campaign, tasks: Container[str]) -> set[tuple[int, str]]:
    """Return the (topic id, stage key) pairs in which a stage needs pooled items and the topic has none of their kind.

    Only topics of ``tasks`` that have a pool are searched. One query for each task and kind of item.
    """
    stages: dict[tuple[str, str], list[str]] = {}
    for task in track_of(campaign).tasks:
        for stage in task.stages:
            if task.key in tasks and work_kind(stage.work.key).asks_pooled:
                stages.setdefault((task.key, stage.item_kind), []).append(stage.key)
    pools = current_pools(campaign)
    found: set[tuple[int, str]] = set()
    for (task_key, kind), keys in stages.items():
        pooled = PoolItem.objects.filter(pool__in=pools, item__topic=OuterRef("pk"), item__kind=kind)
        topics = campaign.topics.filter(Exists(pools.filter(task=task_key)), task=task_key).filter(~Exists(pooled))
        found |= {(topic, key) for topic in topics.values_list("pk", flat=True) for key in keys}
    return found


def named_topics(campaign: Campaign) -> dict[str, int]:
    """Return the topics' ids by the names that a known answer may use: the topic's number, or else its text.

    A name that is both one topic's number and another's text means the number. Of topics with the same text, the one
    that was stored first is named. One query.
    """
    rows = list(campaign.topics.order_by("-pk").values_list("number", "text", "pk"))
    return {text: pk for _, text, pk in rows} | {number: pk for number, _, pk in rows}


def known_items(campaign: Campaign, kind: str, answers: Sequence[KnownAnswer]) -> list[int | None]:
    """Return the id of the item that each known answer names, in the same order.

    It is None if no item is stored under this name, or more than one is (a text or docno that several items of a topic
    have). Two queries.
    """
    topics = named_topics(campaign)
    named = {topics[answer.topic] for answer in answers if answer.topic in topics}
    stored = Item.objects.filter(topic__in=named, kind=kind, repeats=None)
    places: dict[tuple[int, str, str], int | None] = {}
    for pk, topic, *names in stored.values_list("pk", "topic_id", "key", "docno", "text"):
        for by, name in zip(("key", "docno", "text"), names, strict=True):
            places[topic, by, name] = None if (topic, by, name) in places else pk
    return [places.get((topics.get(each.topic, 0), each.named_by, each.item)) for each in answers]

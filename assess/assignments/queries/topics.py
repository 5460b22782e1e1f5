"""The topics and stages that are to be judged, those that nobody judges yet, and those in which something was
recorded.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import ngettext

from assess.assignments.models import Assignment
from assess.base.numbers import grouped
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.items.models import PoolItem
from assess.items.queries import current_pools, nothing_pooled
from assess.ledger.models import LedgerRow
from assess.protocol import Stage
from assess.topics.models import Topic
from assess.topics.queries import judged_topics, not_asked


def topics_to_judge(campaign: Campaign) -> QuerySet[Topic]:
    """Return the judged topics for which there is something to do.

    These are topics with pooled items, with a task that has no pool yet, or with an assignment. If only some topics are
    judged, the pool has no items of the others.
    """
    pools = current_pools(campaign)
    has_pool = Exists(pools.filter(task=OuterRef("task")))
    pooled = Exists(PoolItem.objects.filter(pool__in=pools, item__topic=OuterRef("pk")))
    work = Exists(Assignment.objects.filter(topic=OuterRef("pk")).exclude(state=Assignment.State.RETURNED))
    waiting = ~Q(has_pool) & ~Q(pk__in=not_asked(campaign))
    return judged_topics(campaign).filter(waiting | Q(pooled) | Q(work))


def unassigned_stages(campaign: Campaign) -> list[tuple[int, str]]:
    """Return (topic id, stage key) of every stage that needs a primary assessor and has none.

    Topics and stages are left out if they have no pooled items although their task has a pool, and so are stages that
    are only handed out by hand. Two queries, and one more for each kind of items if a task pools several.
    """
    taken = set(
        campaign.assignments.filter(role=Assignment.Role.PRIMARY)
        .exclude(state=Assignment.State.RETURNED)
        .values_list("topic_id", "stage")
    )
    stages = {
        task.key: [stage.key for stage in task.stages if not stage.many and not stage.by_hand]
        for task in track_of(campaign).tasks
    }
    topics = topics_to_judge(campaign).order_by("pk").values_list("pk", "task")
    wanted = [(topic, stage) for topic, task in topics for stage in stages.get(task, ())]
    needless = taken | nothing_pooled(campaign, _several_kinds(campaign))
    return [pair for pair in wanted if pair not in needless]


def unassigned_text(campaign: Campaign, *, stages: int, topics: int) -> str:
    """Return a sentence that says how many stages of how many topics have no primary assessor.

    If the campaign has only one stage, the sentence counts topics alone.
    """
    if len(all_stages(campaign)) == 1:
        text = ngettext("%(number)s topic with nobody to judge.", "%(number)s topics with nobody to judge.", topics)
        return text % {"number": grouped(topics)}
    of_topics = ngettext("%(topics)s topic", "%(topics)s topics", topics) % {"topics": grouped(topics)}
    text = ngettext(
        "%(number)s stage of %(topics)s with nobody to judge.",
        "%(number)s stages of %(topics)s with nobody to judge.",
        stages,
    )
    return text % {"number": grouped(stages), "topics": of_topics}


def _several_kinds(campaign: Campaign) -> set[str]:
    """Return the tasks that pool several kinds of items, so that a topic may have some kinds and lack others."""
    pooling = {task.key: {recipe.kind for recipe in task.pooling} for task in track_of(campaign).tasks}
    return {task for task, kinds in pooling.items() if len(kinds) > 1}


def all_stages(campaign: Campaign) -> list[Stage]:
    """Return the stages of all tasks in the track's order, which are the columns of the matrix."""
    return [stage for task in track_of(campaign).tasks for stage in task.stages]


def topics_of_added_rows(campaign: Campaign, *, after: int, upto: int) -> frozenset[str]:
    """Return the numbers of the topics whose assignments got rows after one ledger point and up to another.

    Rows are searched by id alone, because SQLite would otherwise look at every row of the campaign. One query.
    """
    ways = [(ledger, ledger.campaign_path.removesuffix("__campaign")) for ledger in LedgerRow.__subclasses__()]
    added = [
        Q(pk__in=ledger._default_manager.filter(id__gt=after, id__lte=upto).order_by().values(path))
        for ledger, path in ways
        if path.endswith("assignment")
    ]
    works = campaign.assignments.filter(reduce(or_, added)).order_by()
    return frozenset(works.values_list("topic__number", flat=True).distinct())

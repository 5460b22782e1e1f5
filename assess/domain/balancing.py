"""Spreading the work of a campaign evenly over its assessors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count

from assess.domain.assignments import create_assignment
from assess.domain.campaigns import require_changeable
from assess.domain.errors import Conflict
from assess.models import Assignment, Campaign, Item, Role, Topic
from assess.protocol import Stage
from assess.queries.pools import current_pools
from assess.queries.topics import judged_topics
from assess.queries.tracks import track_of


def balance_assignments(*, actor: User, campaign: Campaign) -> list[Assignment]:
    """Hand out every stage of every topic that nobody has yet; return what was handed out.

    All topics of a series go to one assessor, who becomes their author: who knows a target judges it well.
    The largest series (by pooled items) go first, each to who has least to do so far. Stages for any number
    of assessors go to all of them, to others than the author as second. What is handed out stays as it is.
    """
    require_changeable(campaign)
    assessors = _assessors(campaign)
    if not assessors:
        raise Conflict("The campaign has no assessors yet. Add or invite some first.")
    sizes = _sizes(campaign)
    made: list[Assignment] = []
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        authors = _authors(campaign)
        load = Counter({assessor.pk: 0 for assessor in assessors})
        for topic_id, author in authors.items():
            load[author.pk] += sizes[topic_id]
        for series in _series(campaign, sizes):
            known = [authors[topic.pk] for topic in series if topic.pk in authors]
            author = known[0] if known else min(assessors, key=lambda each: (load[each.pk], each.pk))
            load[author.pk] += sum(sizes[topic.pk] for topic in series if topic.pk not in authors)
            for topic in series:
                made += _hand_out(actor, campaign, topic, author, assessors)
    return made


def _assessors(campaign: Campaign) -> list[User]:
    seats = campaign.memberships.filter(role=Role.ASSESSOR, user__is_active=True).order_by("user_id")
    return [seat.user for seat in seats.select_related("user")]


def _sizes(campaign: Campaign) -> Counter[int]:
    """How much work each topic is: one, and one for each pooled item."""
    pooled = Item.objects.filter(pool_items__pool__in=current_pools(campaign)).order_by()
    sizes = Counter(dict(pooled.values_list("topic_id").annotate(Count("id"))))
    sizes.update(campaign.topics.values_list("pk", flat=True))
    return sizes


def _authors(campaign: Campaign) -> dict[int, User]:
    """Who is the author of each topic of which something is handed out already."""
    live = campaign.assignments.filter(role=Assignment.Role.PRIMARY).exclude(state=Assignment.State.RETURNED)
    return {each.topic_id: each.assessor for each in live.select_related("assessor").order_by("-id")}


def _series(campaign: Campaign, sizes: Counter[int]) -> list[list[Topic]]:
    """The topics of each series together, the largest series first."""
    found: dict[int, list[Topic]] = {}
    for topic in judged_topics(campaign):
        found.setdefault(topic.parent_id or topic.pk, []).append(topic)
    return sorted(found.values(), key=lambda series: -sum(sizes[topic.pk] for topic in series))


def _hand_out(
    actor: User, campaign: Campaign, topic: Topic, author: User, assessors: Sequence[User]
) -> list[Assignment]:
    task = track_of(campaign).task(topic.task)
    made = []
    for stage in task.stages if task is not None else ():
        live = topic.assignments.filter(stage=stage.key).exclude(state=Assignment.State.RETURNED)
        holders = {each.assessor_id: each.role for each in live}
        if Assignment.Role.PRIMARY not in holders.values() and author.pk not in holders:
            made.append(_give(actor, campaign, topic, stage, author, Assignment.Role.PRIMARY))
        if stage.many:
            others = [each for each in assessors if each != author and each.pk not in holders]
            made += [_give(actor, campaign, topic, stage, each, Assignment.Role.SECOND) for each in others]
    return made


def _give(actor: User, campaign: Campaign, topic: Topic, stage: Stage, assessor: User, role: str) -> Assignment:
    return create_assignment(actor=actor, campaign=campaign, topic=topic, stage=stage.key, assessor=assessor, role=role)

"""Work that who made the topic may begin before anything is pooled, with what they found themselves."""

from __future__ import annotations

from collections.abc import Iterable

from assess.assignments.models import Assignment
from assess.campaigns.tracks import stage_of
from assess.items.queries.membership import current_pools
from assess.topic_drafts.models import TopicDraft


def may_begin_early(assignments: Iterable[Assignment], *, by_makers_alone: bool = True) -> set[int]:
    """The ids of the primary assessors' work on topics that they made, in stages that need no runs, without a pool yet.

    What is replayed comes from elsewhere, where somebody made the topics (``by_makers_alone``). No query where no stage
    is such; else two, and one for each campaign of them.
    """
    early = [
        each
        for each in assignments
        if each.role == Assignment.Role.PRIMARY and stage_of(each.campaign, each.stage)[1].without_runs
    ]
    if not early:
        return set()
    own = _on_topics_of_their_own(early) if by_makers_alone else early
    pooled = {
        (campaign.pk, task)
        for campaign in {each.campaign for each in own}
        for task in current_pools(campaign).values_list("task", flat=True)
    }
    return {each.pk for each in own if (each.campaign_id, each.topic.task) not in pooled}


def _on_topics_of_their_own(early: list[Assignment]) -> list[Assignment]:
    heads = {pk for each in early for pk in (each.topic_id, each.topic.parent_id) if pk is not None}
    made = set(TopicDraft.objects.filter(topic__in=heads).values_list("topic_id", "author_id"))
    return [
        each
        for each in early
        if any((topic, each.assessor_id) in made for topic in (each.topic_id, each.topic.parent_id))
    ]

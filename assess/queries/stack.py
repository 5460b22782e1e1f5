"""The stack: topics from which second assessors take their next one, where stages of the track say so."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.models import Assignment, Campaign, Topic
from assess.protocol import Stage
from assess.queries.topics import judged_topics
from assess.queries.tracks import track_of

SECOND = Assignment.Role.SECOND
RETURNED = Assignment.State.RETURNED


def second_stages(campaign: Campaign) -> dict[str, tuple[Stage, ...]]:
    """The stages that a second assessor does too, by task; tasks without any are left out."""
    found = {task.key: tuple(stage for stage in task.stages if stage.second) for task in track_of(campaign).tasks}
    return {task: stages for task, stages in found.items() if stages}


def stack_of(campaign: Campaign, person: User | None = None) -> list[Topic] | None:
    """The topics that wait for a second assessor, in order; None where the track knows no stack. Two queries.

    They have an author and no second assessor yet. For a ``person``: those whose work is all somebody else's,
    without those that they gave back.
    """
    stages = second_stages(campaign)
    if not stages:
        return None
    keys = {task: {stage.key for stage in found} for task, found in stages.items()}
    topics = list(judged_topics(campaign).filter(task__in=list(stages)))
    authored: set[int] = set()
    taken: set[int] = set()
    rows = campaign.assignments.filter(topic__task__in=list(stages)).order_by()
    fields = ("topic_id", "topic__task", "stage", "role", "state", "assessor_id")
    for topic, task, stage, role, state, assessor in rows.values_list(*fields):
        is_asked = stage in keys[task]
        if is_asked and state != RETURNED:
            authored |= {topic} if role == Assignment.Role.PRIMARY else set()
            taken |= {topic} if role == SECOND else set()
        if person is not None and assessor == person.pk and (is_asked or state != RETURNED):
            taken.add(topic)
    return [topic for topic in topics if topic.pk in authored - taken]


def has_author(campaign: Campaign) -> bool:
    """Whether any topic has an author of a stage that a second assessor does too: before that no stack begins."""
    keys = [stage.key for found in second_stages(campaign).values() for stage in found]
    authors = campaign.assignments.filter(stage__in=keys, role=Assignment.Role.PRIMARY)
    return authors.exclude(state=RETURNED).exists()


def unfinished_second(campaign: Campaign, person: User) -> Assignment | None:
    """Work as second assessor that this person took and has not finished, or None. One query."""
    keys = [stage.key for found in second_stages(campaign).values() for stage in found]
    mine = campaign.assignments.filter(assessor=person, role=SECOND, stage__in=keys)
    return mine.exclude(state__in=(Assignment.State.DONE, RETURNED)).select_related("topic").first()

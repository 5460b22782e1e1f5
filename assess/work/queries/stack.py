"""The stacks of topics from which assessors take the next, as primary or as second assessor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.contrib.auth.models import User
from django.db.models import Q

from assess.assignments.models import Assignment
from assess.assignments.own_teams import own_teams
from assess.assignments.queries.topics import unassigned_stages
from assess.assignments.queries.waiting import ENDED, waiting_reasons
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.protocol import Stage
from assess.topics.models import Topic
from assess.topics.queries import judged_topics, roots_of
from assess.work.queries.double_judging import Sample

PRIMARY, SECOND = Assignment.Role.PRIMARY, Assignment.Role.SECOND
RETURNED = Assignment.State.RETURNED


def second_stages(campaign: Campaign) -> dict[str, tuple[Stage, ...]]:
    """Return task key -> the stages that need a second assessor. Tasks without such a stage are left out."""
    found = {task.key: tuple(stage for stage in task.stages if stage.second) for task in track_of(campaign).tasks}
    return {task: stages for task, stages in found.items() if stages}


def stack_of(campaign: Campaign, person: User | None = None) -> list[Topic] | None:
    """Return the topics that wait for a second assessor, in order; None if the track has no stack. Three queries.

    They have a primary assessor but no second one, and belong to the share of topics that the track has judged twice.
    With a ``person``, the topics that they gave back, in which they have work or in which runs of their own team are
    judged are left out; this takes one more query.
    """
    stages = second_stages(campaign)
    if not stages:
        return None
    keys = {task: {stage.key for stage in found} for task, found in stages.items()}
    topics = list(judged_topics(campaign).filter(task__in=list(stages)))
    authored: set[int] = set()
    taken = _own_team(campaign, person)
    rows = campaign.assignments.filter(topic__task__in=list(stages)).order_by()
    fields = ("topic_id", "topic__task", "stage", "role", "state", "assessor_id")
    for topic, task, stage, role, state, assessor in rows.values_list(*fields):
        is_asked = stage in keys[task]
        if is_asked and state != RETURNED:
            authored |= {topic} if role == Assignment.Role.PRIMARY else set()
            taken |= {topic} if role == SECOND else set()
        if person is not None and assessor == person.pk and (is_asked or state != RETURNED):
            taken.add(topic)
    asked = {each.pk for task in stages for each in _sampled(stages[task], [one for one in topics if one.task == task])}
    return [topic for topic in topics if topic.pk in asked & (authored - taken)]


def _sampled(stages: Iterable[Stage], topics: Sequence[Topic]) -> list[Topic]:
    """Return the topics of a task that need a second assessor: all, unless each stage asks for a smaller share."""
    return Sample(share=max(stage.share for stage in stages)).choose(topics)


def author_stack_of(campaign: Campaign, person: User) -> list[tuple[Topic, list[str]]] | None:
    """Return (topic, its stages without a primary assessor), in the order in which this person gets them.

    First come topics of series in which they are primary assessor, then series that nobody has begun, then the others.
    Topics are left out that they gave back, in which they have or had such a stage in another role, or in which runs of
    their own team are judged. The result is None if assessors do not take primary work themselves. Seven queries,
    whatever the number of topics.
    """
    if not campaign.takes_primary:
        return None
    wanted: dict[int, list[str]] = {}
    for topic, stage in unassigned_stages(campaign):
        wanted.setdefault(topic, []).append(stage)
    roots = roots_of(campaign)
    mine: set[int] = set()
    others: set[int] = set()
    left_out = _own_team(campaign, person)
    rows = campaign.assignments.filter(Q(role=PRIMARY) | Q(assessor=person), topic__dropped=False).order_by()
    for topic, stage, role, state, assessor in rows.values_list("topic_id", "stage", "role", "state", "assessor_id"):
        if role == PRIMARY and state != RETURNED:
            (mine if assessor == person.pk else others).add(roots[topic])
        elif assessor == person.pk and (role == PRIMARY or stage in wanted.get(topic, ())):
            left_out.add(topic)
    topics = [topic for topic in judged_topics(campaign) if topic.pk in wanted and topic.pk not in left_out]
    topics.sort(key=lambda topic: (roots[topic.pk] not in mine, roots[topic.pk] in others))
    return [(topic, wanted[topic.pk]) for topic in topics]


def unfinished_author(campaign: Campaign, person: User) -> Assignment | None:
    """Return an unfinished assignment that this person has as primary assessor and can open, or None. Two queries."""
    mine = campaign.assignments.filter(assessor=person, role=Assignment.Role.PRIMARY, topic__dropped=False)
    found = list(mine.exclude(state__in=(*ENDED, RETURNED)).select_related("topic"))
    for assignment in found:
        assignment.campaign = campaign
    waiting = waiting_reasons(found)
    return next((assignment for assignment in found if assignment.pk not in waiting), None)


def _own_team(campaign: Campaign, person: User | None) -> set[int]:
    """Return the ids of the topics in which runs of the person's own team are judged."""
    if person is None:
        return set()
    found = own_teams(campaign, [person.pk]).get(person.pk)
    return set(found.topics) if found is not None else set()


def has_author(campaign: Campaign) -> bool:
    """Return whether any stage that needs a second assessor has a primary one. Until then, the stack is empty."""
    keys = [stage.key for found in second_stages(campaign).values() for stage in found]
    authors = campaign.assignments.filter(stage__in=keys, role=Assignment.Role.PRIMARY, topic__dropped=False)
    return authors.exclude(state=RETURNED).exists()


def unfinished_second(campaign: Campaign, person: User) -> Assignment | None:
    """Return an unfinished assignment that this person has as second assessor, or None. One query."""
    keys = [stage.key for found in second_stages(campaign).values() for stage in found]
    mine = campaign.assignments.filter(assessor=person, role=SECOND, stage__in=keys, topic__dropped=False)
    return mine.exclude(state__in=(*ENDED, RETURNED)).select_related("topic").first()

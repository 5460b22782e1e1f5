"""Hand out, take back and reopen very many assignments at once, by the rules for one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from assess.assignments.domain.assignments import (
    add_assignments,
    create_assignment,
    move_assignments,
    new_assignment,
    reopen_assignment,
    return_assignment,
    stage_of_topic,
)
from assess.assignments.domain.begun_at_once import ids_who_may_begin
from assess.assignments.domain.held_work import require_counted, require_judging, require_round
from assess.assignments.models import Assignment
from assess.campaigns.activity import lock_open
from assess.campaigns.models import Campaign
from assess.protocol import Stage
from assess.topics.models import Topic

PRIMARY, MACHINE = Assignment.Role.PRIMARY, Assignment.Role.MACHINE
BESIDE = (Assignment.Role.SECOND, Assignment.Role.ADJUDICATOR)
"""Roles that several people may have in one stage of a topic."""


class ToHandOut(NamedTuple):
    """One stage of one topic, for an assessor in a role."""

    topic: Topic
    stage: str
    assessor: User
    role: str


def create_assignments(*, actor: User, campaign: Campaign, wanted: Iterable[ToHandOut]) -> list[Assignment]:
    """Hand out all of these, or none if one is refused, and return the assignments in the same order.

    The rules are those of `create_assignment`. That function hands out each case that is not plainly new: work that
    somebody has or had, a second primary assessor, or work for a member of a participating team. All other cases are
    written together, in a few queries.
    """
    wanted = list(wanted)
    made: list[Assignment] = []
    new: list[Assignment] = []

    def add_new() -> None:
        add_assignments(actor=actor, campaign=campaign, assignments=new)
        made.extend(new)
        new.clear()

    @cache
    def stage_named(task: str, stage: str) -> Stage:
        return stage_of_topic(campaign=campaign, topic=topic, stage=stage)[1]

    with transaction.atomic():
        lock_open(campaign)  # no member can leave until this is written
        free = ids_who_may_begin(campaign, {each.assessor.pk: each.assessor for each in wanted}.values())
        before = campaign.assignments.order_by().values_list("topic_id", "stage", "assessor_id", "role", "state")
        had: set[tuple[int, str, int]] = set()
        primary: set[tuple[int, str]] = set()
        for topic_id, stage, person, role, state in before:
            had.add((topic_id, stage, person))
            if role == PRIMARY and state != Assignment.State.RETURNED:
                primary.add((topic_id, stage))
        for topic, stage, assessor, role in wanted:
            key = stage_named(topic.task, stage).key
            own, place = (topic.pk, key, assessor.pk), (topic.pk, key)
            is_new = own not in had and (role in BESIDE or (role == PRIMARY and place not in primary))
            if assessor.pk not in free or topic.dropped or not is_new:
                add_new()
                again = create_assignment(
                    actor=actor, campaign=campaign, topic=topic, stage=stage, assessor=assessor, role=role
                )
                made.append(again)
            else:
                new.append(new_assignment(campaign=campaign, topic=topic, stage=key, assessor=assessor, role=role))
            had.add(own)
            if role == PRIMARY:
                primary.add(place)
        add_new()
    return made


def return_assignments(*, actor: User, campaign: Campaign, assignments: Sequence[Assignment]) -> None:
    """Take all of these away by the rules of `return_assignment`, or none if one is refused. A few queries in all.

    Those that were stopped or given back before are passed to that function one by one.
    """
    live = (Assignment.State.OPEN, Assignment.State.STARTED, Assignment.State.DONE)
    with transaction.atomic():
        _lock(assignments)
        for each in assignments:
            if each.state not in live:
                return_assignment(actor=actor, assignment=each)
        plain = [each for each in assignments if each.state in live]
        move_assignments(
            actor=actor,
            campaign=campaign,
            assignments=plain,
            state=Assignment.State.RETURNED,
            action="assignment.return",
        )


def reopen_assignments(*, actor: User, campaign: Campaign, assignments: Sequence[Assignment]) -> None:
    """Reopen all of these as an organiser, or none if one is refused, by the rules of `reopen_assignment`.

    That function reopens each assignment that is not done, or whose assessor is a member of a participating team. All
    others are written together, in a few queries.
    """
    require_judging(campaign)
    with transaction.atomic():
        free = ids_who_may_begin(campaign, {each.assessor_id: each.assessor for each in assignments}.values())
        _lock(assignments)
        plain = []
        for each in assignments:
            if each.state == Assignment.State.DONE and each.role != MACHINE and each.assessor_id in free:
                require_counted(each.topic)
                require_round(each)
                plain.append(each)
            else:
                reopen_assignment(actor=actor, assignment=each)
        move_assignments(
            actor=actor,
            campaign=campaign,
            assignments=plain,
            state=Assignment.State.STARTED,
            action="assignment.reopen",
        )


def _lock(assignments: Sequence[Assignment]) -> None:
    """Lock the assignments until the transaction ends, and give each the state that it has now. One query."""
    rows = Assignment.objects.filter(pk__in=[each.pk for each in assignments]).order_by("pk")
    states = dict(rows.select_for_update(no_key=True).values_list("pk", "state"))
    for each in assignments:
        each.state = states[each.pk]

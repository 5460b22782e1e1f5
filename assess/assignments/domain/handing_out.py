"""Hand out very many assignments at once, by the rules of handing out one."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from assess.assignments.domain.assignments import create_assignment, stage_of_topic
from assess.assignments.domain.begun_at_once import ids_who_may_begin
from assess.assignments.models import Assignment
from assess.campaigns.activity import lock_open, record_on_each
from assess.campaigns.models import Campaign
from assess.campaigns.queries import lease_end
from assess.protocol import Stage
from assess.topics.models import Topic

PRIMARY, SECOND = Assignment.Role.PRIMARY, Assignment.Role.SECOND


class ToHandOut(NamedTuple):
    """One stage of one topic, for an assessor in a role."""

    topic: Topic
    stage: str
    assessor: User
    role: str


def create_assignments(*, actor: User, campaign: Campaign, wanted: Iterable[ToHandOut]) -> list[Assignment]:
    """Hand out all of these, or none if one is refused, and return the assignments in the same order.

    The rules are those of `create_assignment`, which decides on all that is not plainly new: work that somebody has or
    had, a second primary assessor, or a person who takes part for a team. For the others it takes a few queries in all.
    """
    wanted = list(wanted)
    made: list[Assignment] = []
    new: list[Assignment] = []

    def add_new() -> None:
        Assignment.objects.bulk_create(new, batch_size=500)
        record_on_each(actor=actor, campaign=campaign, said=[_as_told(each) for each in new])
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
        until = lease_end(campaign)
        for topic, stage, assessor, role in wanted:
            key = stage_named(topic.task, stage).key
            own, place = (topic.pk, key, assessor.pk), (topic.pk, key)
            is_new = own not in had and (role == SECOND or (role == PRIMARY and place not in primary))
            if assessor.pk not in free or topic.dropped or not is_new:
                add_new()
                again = create_assignment(
                    actor=actor, campaign=campaign, topic=topic, stage=stage, assessor=assessor, role=role
                )
                made.append(again)
            else:
                seed = secrets.randbits(63)
                about = {"campaign": campaign, "topic": topic, "stage": key, "assessor": assessor, "role": role}
                new.append(Assignment(**about, seed=seed, state=Assignment.State.OPEN, lease_until=until))
            had.add(own)
            if role == PRIMARY:
                primary.add(place)
        add_new()
    return made


def _as_told(each: Assignment) -> tuple[str, Assignment, dict[str, object]]:
    data = {"topic": each.topic.number, "stage": each.stage, "assessor": each.assessor_id, "role": each.role}
    return "assignment.create", each, data

"""Fast ways to hand out, open and end assignments whose checks are already made, for replays of very many."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction

from assess.assignments.domain.assignments import move_assignments, new_assignment
from assess.assignments.domain.leases import restart_waiting
from assess.assignments.models import Assignment
from assess.campaigns.activity import record_activities
from assess.campaigns.models import JUDGES, Campaign, Membership, Role
from assess.kinds.base import work_kind
from assess.protocol import Stage
from assess.topics.models import Topic


def ids_who_may_begin(campaign: Campaign, people: Iterable[User]) -> frozenset[int]:
    """Return the ids of the people who may be handed any assignment: they judge here and take part for no team.

    Others may be handed some assignments, and `create_assignment` decides which. One query.
    """
    judges: set[int] = set()
    others: set[int] = set()
    seats = Membership.objects.filter(campaign=campaign, user__in=[person.pk for person in people]).order_by()
    for person, role, team, is_machine in seats.values_list("user_id", "role", "team", "is_machine"):
        if is_machine or (role == Role.PARTICIPANT and team):
            others.add(person)
        elif role in JUDGES:
            judges.add(person)
    return frozenset(judges - others)


def begin_at_once(
    *,
    actor: User,
    campaign: Campaign,
    topic: Topic,
    stage: Stage,
    assessor: User,
    role: str,
    is_trial: bool = False,
) -> Assignment:
    """Hand out an assignment and open it, as `create_assignment` and `open_assignment` do one after the other.

    In a trial, which is rolled back, no activity is recorded. The caller must have checked everything that those
    functions would refuse: the campaign is in judging and locked, the topic is not dropped, the stage belongs to it and
    waits for nothing, nobody has this role in it yet, and the ``assessor`` has no assignment in it and is among
    `ids_who_may_begin`.
    """
    work = new_assignment(
        campaign=campaign, topic=topic, stage=stage.key, assessor=assessor, role=role, is_started=True
    )
    begin = work_kind(stage.work.key).begin
    with transaction.atomic(savepoint=begin is not None):  # nothing else here refuses anything
        work.save(force_insert=True)
        if not is_trial:
            created = {"topic": topic.number, "stage": stage.key, "assessor": assessor.pk, "role": role}
            acts = [(actor, "assignment.create", work, created), (assessor, "assignment.open", work, {})]
            record_activities(campaign=campaign, acts=acts)
        if begin is not None:
            begin(assessor, work)
    return work


def end_at_once(*, actor: User, work: Assignment) -> None:
    """Mark an assignment as done, as `mark_done` does.

    The caller must ensure that nothing is missing and that nobody else writes.
    """
    with transaction.atomic(savepoint=False):
        restart_waiting(work)
        done = Assignment.State.DONE
        move_assignments(actor=actor, campaign=work.campaign, assignments=[work], state=done, action="assignment.done")

"""Handing an assignment over from one assessor to another, who goes on from where the first was."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from assess.assignments.domain.assignments import create_assignment
from assess.assignments.domain.willing import require_takes_work
from assess.assignments.models import Assignment
from assess.base.errors import Conflict
from assess.campaigns.activity import record_activity
from assess.campaigns.closed import lock_open
from assess.campaigns.domain import require_changeable


def kept_from(assignment: Assignment) -> set[int]:
    """The ids of those to whom `hand_over` refuses this work since they have, or began, its topic's stage. One query.

    Whoever is kept from it by their own team's runs is not among them.
    """
    of_stage = Assignment.objects.filter(topic=assignment.topic_id, stage=assignment.stage)
    holds = ~Q(state=Assignment.State.RETURNED)
    if assignment.role == Assignment.Role.SECOND:
        holds |= Q(role=Assignment.Role.PRIMARY, handed_over__isnull=False)
    return {assignment.assessor_id, *of_stage.filter(holds).values_list("assessor_id", flat=True)}


def hand_over(*, actor: User, assignment: Assignment, to: User, is_recorded: bool = False) -> Assignment:
    """Give a piece of work to another assessor, with all that is judged in it, and return their assignment.

    What the first one said stays theirs and official; the new one sees it as carried over and may change it, and what
    they say stands instead. Nothing is written into any ledger but that it happened, so exports stay as they are. Work
    that is done, or went back by itself and is nobody's yet, can be handed over as well. Refused: work that was given
    back, the same assessor, somebody who has the stage already or takes no more work (unless ``is_recorded``: they did
    it elsewhere already), and whoever `create_assignment` refuses.
    """
    campaign = assignment.campaign
    require_changeable(campaign)
    if assignment.assessor_id == to.pk:
        raise Conflict(f"{to} has this work already.")
    with transaction.atomic():
        lock_open(campaign)
        if not is_recorded:
            require_takes_work(actor=actor, campaign=campaign, assessor=to)
        locked = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
        if (locked.state == Assignment.State.RETURNED and not locked.has_lapsed) or locked.handed_over.exists():
            raise Conflict("This work was given back or handed over already. Hand it out anew.")
        if locked.role == Assignment.Role.MACHINE:
            raise Conflict("This is a machine's work; a person can't go on with it.")
        topic, stage = assignment.topic, assignment.stage
        live = topic.assignments.filter(stage=stage).exclude(state=Assignment.State.RETURNED)
        if live.filter(assessor=to).exists():
            raise Conflict(f"{to} has this stage of {topic.number} already, in another role. Choose somebody else.")
        if locked.role == Assignment.Role.PRIMARY and live.filter(role=locked.role).exclude(pk=locked.pk).exists():
            raise Conflict("Somebody else has this work by now. Hand over theirs.")
        returned = Assignment.State.RETURNED
        Assignment.objects.filter(pk=locked.pk).update(state=returned, done_at=None, lease_until=None)
        made = create_assignment(
            actor=actor,
            campaign=campaign,
            topic=topic,
            stage=stage,
            assessor=to,
            role=locked.role,
            taken_over=locked,
        )
        data = {"from": locked.assessor_id, "to": to.pk, "before": locked.pk}
        record_activity(actor=actor, action="assignment.hand_over", campaign=campaign, about=made, data=data)
    return made

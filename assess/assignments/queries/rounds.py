"""Judging in two rounds: an assessor ends the first of a topic before the second begins, which closes the first."""

from __future__ import annotations

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.campaigns.tracks import settings_of, stage_of
from assess.protocol import Stage, Task

ROLES = (Assignment.Role.PRIMARY, Assignment.Role.SECOND)


def first_round_of(assignment: Assignment) -> Stage | None:
    """The stage that its assessor must be done with before this work begins; None where there is none. No query."""
    task, stage = stage_of(assignment.campaign, assignment.stage)
    if assignment.role not in ROLES or not _in_force(assignment.campaign, stage):
        return None
    return task.stage(stage.first_round)


def second_round_begun(assignment: Assignment) -> Stage | None:
    """The stage whose work its assessor has begun on the topic, so that this work is closed; None where it is not.

    One query, and none where the stage is nobody's first round.
    """
    task, stage = stage_of(assignment.campaign, assignment.stage)
    later = _second_round(assignment.campaign, task, stage)
    if later is None or assignment.role not in ROLES:
        return None
    begun = Assignment.objects.filter(
        topic=assignment.topic_id,
        stage=later.key,
        assessor=assignment.assessor_id,
        role__in=ROLES,
        started_at__isnull=False,
    )
    return later if begun.exists() else None


def _second_round(campaign: Campaign, task: Task, stage: Stage) -> Stage | None:
    later = (each for each in task.stages if each.first_round == stage.key)
    return next((each for each in later if _in_force(campaign, each)), None)


def _in_force(campaign: Campaign, stage: Stage) -> bool:
    return stage.first_round != "" and bool(getattr(settings_of(campaign), stage.rounds_setting))

"""Taking the next topic from the stack: as second assessor, or as author where the campaign says so."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from assess.assignments.domain.assignments import create_assignment, require_judging
from assess.assignments.domain.leases import return_lapsed
from assess.assignments.domain.willing import require_takes_work
from assess.assignments.models import Assignment
from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.campaigns.models import JUDGES, Campaign, Membership
from assess.topics.models import Topic
from assess.work.queries.stack import author_stack_of, second_stages, stack_of, unfinished_author, unfinished_second

SECOND, PRIMARY = Assignment.Role.SECOND, Assignment.Role.PRIMARY


def take_from_stack(*, actor: User, campaign: Campaign, role: str = SECOND) -> list[Assignment]:
    """Give the actor the next topic of a stack, all its stages that are to be done, at once.

    As ``second``: the next that waits for a second assessor. As ``primary``: the next that has stages without an
    author. Two people who ask at the same moment get two topics; what went back by itself is on the stack again, and
    topics in which runs of the actor's own team are judged are not. Refused: somebody who does not judge here, a
    campaign that is not being judged, who takes no more work, who has a topic of the stack unfinished, an empty stack.
    """
    if not Membership.objects.filter(campaign=campaign, user=actor, role__in=JUDGES).exists():
        raise NotAllowed("Only who judges in this campaign takes work from the stack.")
    if role not in (SECOND, PRIMARY):
        raise Invalid("Work is taken from the stack as second or as primary assessor.")
    with transaction.atomic():
        locked = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        require_judging(locked)
        require_takes_work(actor=actor, campaign=locked, assessor=actor)
        return_lapsed(campaign=locked)
        topic, stages = _next_second(locked, actor) if role == SECOND else _next_author(locked, actor)
        return [
            create_assignment(actor=actor, campaign=locked, topic=topic, stage=stage, assessor=actor, role=role)
            for stage in stages
        ]


def _next_second(campaign: Campaign, actor: User) -> tuple[Topic, list[str]]:
    unfinished = unfinished_second(campaign, actor)
    if unfinished is not None:
        raise Conflict(f"You have {unfinished.topic.number} from the stack. Finish it before you take the next.")
    topics = stack_of(campaign, actor)
    if topics is None:
        raise Conflict("This campaign has no stack: no stage is done by a second assessor.")
    if not topics:
        raise Conflict("The stack is empty: no topic waits for you as second assessor.")
    return topics[0], [stage.key for stage in second_stages(campaign)[topics[0].task]]


def _next_author(campaign: Campaign, actor: User) -> tuple[Topic, list[str]]:
    if not campaign.takes_primary:
        raise Conflict("In this campaign the organiser hands out the authors' work. Ask for some.")
    unfinished = unfinished_author(campaign, actor)
    if unfinished is not None:
        raise Conflict(f"You have {unfinished.topic.number} as author. Finish it before you take the next.")
    waiting = author_stack_of(campaign, actor)
    if not waiting:
        raise Conflict("The stack is empty: every topic that you may judge has its author.")
    return waiting[0]

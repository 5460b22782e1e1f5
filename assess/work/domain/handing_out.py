"""Handing out many pieces of work at once: all of them or none."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction

from assess.assignments.domain.assignments import create_assignment
from assess.assignments.domain.leases import return_lapsed
from assess.assignments.domain.willing import require_takes_work
from assess.assignments.models import Assignment
from assess.assignments.queries.people import unwilling_assessors
from assess.base.errors import Conflict, Invalid
from assess.campaigns.closed import lock_open
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign
from assess.topics.models import Topic
from assess.work.queries.balance import balance_plan


def hand_out(
    *, actor: User, campaign: Campaign, cells: Iterable[str], assessor: User, role: str = Assignment.Role.PRIMARY
) -> list[Assignment]:
    """Give the stages named by ``cells`` ("topic id:stage") to an assessor.

    If one is refused, for instance because it has its author already, none is handed out.
    """
    require_changeable(campaign)
    wanted = [tuple(cell.split(":", 1)) for cell in cells]
    if not wanted:
        raise Invalid("Mark at least one cell of the table to hand out.")
    if any(len(pair) != 2 or not pair[0].isdecimal() or len(pair[0]) > 18 for pair in wanted):
        raise Invalid("The form was not filled in by this page. Reload it and try again.")
    topics = {topic.pk: topic for topic in campaign.topics.filter(pk__in={int(pair[0]) for pair in wanted})}
    if any(int(number) not in topics for number, _ in wanted):
        raise Invalid("One of these topics is gone. Reload the page and try again.")
    pieces = [(topics[int(number)], stage) for number, stage in wanted]
    return hand_out_pieces(actor=actor, campaign=campaign, pieces=pieces, assessor=assessor, role=role)


def hand_out_pieces(
    *,
    actor: User,
    campaign: Campaign,
    pieces: Iterable[tuple[Topic, str]],
    assessor: User,
    role: str = Assignment.Role.PRIMARY,
) -> list[Assignment]:
    """Give these (topic, stage key) to an assessor. If one is refused, none is handed out.

    Refused: who takes no more work, unless they have all of it already; and what `create_assignment` refuses.
    """
    pieces = list(pieces)
    with transaction.atomic():
        lock_open(campaign)
        held = campaign.assignments.filter(assessor=assessor).exclude(state=Assignment.State.RETURNED)
        if not {(topic.pk, stage) for topic, stage in pieces} <= set(held.values_list("topic", "stage")):
            require_takes_work(actor=actor, campaign=campaign, assessor=assessor)
        return [
            create_assignment(actor=actor, campaign=campaign, topic=topic, stage=stage, assessor=assessor, role=role)
            for topic, stage in pieces
        ]


def balance_work(*, actor: User, campaign: Campaign) -> list[Assignment]:
    """Hand out every stage that has no author, as `balance_plan` says; nothing to hand out makes no change.

    Work whose lease ran out goes back first, and so is handed out with the rest.

    Refused while nobody judges in the campaign.
    """
    require_changeable(campaign)
    with transaction.atomic():
        lock_open(campaign)
        return_lapsed(campaign=campaign)
        plan = balance_plan(campaign)
        if not plan.loads:
            if unwilling_assessors(campaign):
                raise Conflict("All who judge in the campaign take no more work. Invite somebody, or ask one of them.")
            raise Conflict("The campaign has no assessors yet. Add or invite some first.")
        return [
            create_assignment(
                actor=actor,
                campaign=campaign,
                topic=each.topic,
                stage=each.stage,
                assessor=each.assessor,
                role=each.role,
            )
            for each in plan.handouts
        ]

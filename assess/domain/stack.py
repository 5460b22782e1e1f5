"""Taking the next topic from the stack, as second assessor."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from assess.domain.assignments import JUDGING_ROLES, create_assignment, require_judging
from assess.domain.errors import Conflict, NotAllowed
from assess.models import Assignment, Campaign, Membership
from assess.queries.stack import second_stages, stack_of, unfinished_second


def take_from_stack(*, actor: User, campaign: Campaign) -> list[Assignment]:
    """Give the actor the next topic that waits for a second assessor: all its stages that say so, at once.

    Two people who ask at the same moment get two topics. Refused: somebody who does not judge here, a campaign
    that is not being judged, who has a topic of the stack unfinished, an empty stack.
    """
    if not Membership.objects.filter(campaign=campaign, user=actor, role__in=JUDGING_ROLES).exists():
        raise NotAllowed("Only who judges in this campaign takes work from the stack.")
    with transaction.atomic():
        locked = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        require_judging(locked)
        unfinished = unfinished_second(locked, actor)
        if unfinished is not None:
            raise Conflict(f"You have {unfinished.topic.number} from the stack. Finish it before you take the next.")
        topics = stack_of(locked, actor)
        if topics is None:
            raise Conflict("This campaign has no stack: no stage is done by a second assessor.")
        if not topics:
            raise Conflict("The stack is empty: no topic waits for you as second assessor.")
        return [
            create_assignment(
                actor=actor,
                campaign=locked,
                topic=topics[0],
                stage=stage.key,
                assessor=actor,
                role=Assignment.Role.SECOND,
            )
            for stage in second_stages(locked)[topics[0].task]
        ]

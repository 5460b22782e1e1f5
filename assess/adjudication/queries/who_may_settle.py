"""Who may settle a disagreement: only people who did not judge the thing and are no assessors of the topic's stage."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db.models import Q

from assess.adjudication.queries.sides import SIDES
from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.kinds.opinions import Disagreement
from assess.protocol import Stage


def may_settle(row: Disagreement, person: User, own: Iterable[int]) -> bool:
    """Return whether a person may settle a disagreement: none of its opinions is theirs, and its topic is not in
    ``own`` (`own_topics`).
    """
    return row.topic_id not in own and all(side.assessor_id != person.pk for side in row.sides)


def own_topics(campaign: Campaign, stage: Stage, person: User) -> set[int]:
    """Return the ids of the topics that a person has in this stage, or had and handed over, as primary or second
    assessor. One query.
    """
    held = campaign.assignments.filter(
        ~Q(state=Assignment.State.RETURNED) | Q(handed_over__isnull=False),
        stage=stage.key,
        assessor=person,
        role__in=SIDES,
    )
    return set(held.order_by().values_list("topic_id", flat=True))

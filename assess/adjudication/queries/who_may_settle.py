"""Who may settle a disagreement: nobody what they judged themselves, or where the topic's stage is their own work."""

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
    """Return whether somebody is no party to it: no side is theirs, and the topic's stage is not their work
    (``own``).
    """
    return row.topic_id not in own and all(side.assessor_id != person.pk for side in row.sides)


def own_topics(campaign: Campaign, stage: Stage, person: User) -> set[int]:
    """Return the topics whose stage somebody holds as author or other assessor, or handed over. One query."""
    held = campaign.assignments.filter(
        ~Q(state=Assignment.State.RETURNED) | Q(handed_over__isnull=False),
        stage=stage.key,
        assessor=person,
        role__in=SIDES,
    )
    return set(held.order_by().values_list("topic_id", flat=True))

"""Judgments that counted until their assessor got the stage again in a lesser role and judged the same item there.

Nobody gets a stage so any more (`assess.assignments.queries.other_roles`). Earlier versions allowed it, and of a
person's judgments only the newest is asked for, whatever role it was made in.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.judging.models import Judgment

RANKS = {Assignment.Role.SECOND: 0, Assignment.Role.PRIMARY: 1, Assignment.Role.ADJUDICATOR: 2}
"""The roles of people, the one whose judgments count before the others last."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LostJudgments:
    """How many answers that somebody gave in one stage of a topic counted, and no longer do."""

    topic: str
    stage: str
    assessor: str
    count: int

    def __str__(self) -> str:
        return f"{self.topic} {self.stage} ({self.assessor}): {self.count}"


def lost_judgments(campaign: Campaign) -> list[LostJudgments]:
    """Return the judgments that stopped counting so, but for those that somebody else of the same or a higher role has
    judged or decided since. One query if nobody has had a stage of a topic in two roles.
    """
    works = campaign.assignments.filter(role__in=RANKS, topic__dropped=False).order_by()
    twice = works.values("topic", "topic__number", "stage", "assessor", "assessor__username")
    found = []
    for each in twice.annotate(roles=Count("role", distinct=True)).filter(roles__gt=1).order_by("topic", "stage"):
        if count := _lost(each["topic"], each["stage"], each["assessor"]):
            number, name = each["topic__number"], each["assessor__username"]
            found.append(LostJudgments(topic=number, stage=each["stage"], assessor=name, count=count))
    return found


def _lost(topic: int, stage: str, assessor: int) -> int:
    rows = Judgment.objects.filter(item__topic=topic, item__repeats=None, assignment__stage=stage)
    own: dict[tuple[int, str], tuple[int, int, int]] = {}  # the highest rank with a value, the newest rank, its point
    others: dict[tuple[int, str], list[tuple[int, int]]] = {}
    columns = ("id", "item_id", "criterion", "assignment__role", "assessor_id", "value")
    for point, item, criterion, role, person, value in rows.order_by("id").values_list(*columns):
        rank, key = RANKS.get(role, -1), (item, criterion)
        if person == assessor:
            highest = own[key][0] if key in own else -1
            if highest <= rank:
                highest = rank if value is not None else -1
            own[key] = highest, rank, point
        elif value is not None:
            others.setdefault(key, []).append((rank, point))
    return sum(
        newest < highest and not any(rank >= highest and at > point for rank, at in others.get(key, ()))
        for key, (highest, newest, point) in own.items()
    )

"""Judgments that do not count, since their assessor had the stage in two roles.

Either they counted until their assessor got the stage again in a lesser role and judged the same item there. Or their
assessor judged as second assessor and is the primary assessor now, whose bench shows the items as judged. Nobody gets a
stage so any more (`assess.assignments.queries.other_roles`). Earlier versions allowed it, and of a person's judgments
only the newest is asked for, whatever role it was made in.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.judging.models import Judgment

RANKS = {Assignment.Role.SECOND: 0, Assignment.Role.PRIMARY: 1, Assignment.Role.ADJUDICATOR: 2}
"""The roles of people, the one whose judgments count before the others last."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LostJudgments:
    """How many answers that somebody gave in one stage of a topic do not count."""

    topic: str
    stage: str
    assessor: str
    count: int

    def __str__(self) -> str:
        return f"{self.topic} {self.stage} ({self.assessor}): {self.count}"


def lost_judgments(campaign: Campaign) -> list[LostJudgments]:
    """Return how many judgments do not count because their assessor had the stage in two roles, by stage and assessor.

    Those are left out that somebody else in the same or a higher role has judged or decided since. One query if nobody
    has had a stage of a topic in two roles.
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
    works = Assignment.objects.filter(topic=topic, stage=stage, assessor=assessor, role=Assignment.Role.PRIMARY)
    held = RANKS[Assignment.Role.PRIMARY] if works.exclude(state=Assignment.State.RETURNED).exists() else -1
    rows = Judgment.objects.filter(item__topic=topic, item__repeats=None, assignment__stage=stage)
    own: dict[tuple[int, str], _Own] = {}
    others: dict[tuple[int, str], list[tuple[int, int]]] = {}
    columns = ("id", "item_id", "criterion", "assignment__role", "assessor_id", "value")
    for point, item, criterion, role, person, value in rows.order_by("id").values_list(*columns):
        rank, key = RANKS.get(role, -1), (item, criterion)
        if person == assessor:
            highest = own[key].highest if key in own else -1
            if highest <= rank:
                highest = rank if value is not None else -1
            own[key] = _Own(highest, rank, point, value is not None)
        elif value is not None:
            others.setdefault(key, []).append((rank, point))
    return sum(each.is_lost(held, others.get(key, ())) for key, each in own.items())


@dataclass(frozen=True, slots=True)
class _Own:
    """A person's answers to one question of an item: the highest rank in which they have one, and the rank and ledger
    point of the newest row, and whether that is an answer.
    """

    highest: int
    newest: int
    point: int
    is_answer: bool

    def is_lost(self, held: int, others: Iterable[tuple[int, int]]) -> bool:
        """Return whether the newest answer does not count, although a higher one did, or although the person has the
        stage with the rank ``held``. ``others`` are the ranks and points of other people's answers.
        """
        due = max(self.highest, held if self.is_answer else -1)
        return self.newest < due and not any(rank >= due and at > self.point for rank, at in others)

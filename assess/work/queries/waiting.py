"""What waits for somebody, campaign by campaign, at a cost that a first page can afford: to settle, to answer, to give.

Who organises reads what is most pressing of what the overview says; who adjudicates how many disagreements they may
settle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef

from assess.adjudication.queries.open_disagreements import open_disagreements
from assess.assignments.models import Assignment, HelpRequest
from assess.base.wording import counted
from assess.campaigns.models import Campaign, Role
from assess.items.models import Pool, PoolItem
from assess.runs.models import Run
from assess.topics.models import Topic

DESK, MAYBE = "adjudication", "Disagreements may wait for you."
COUNTED = 3
"""In how many campaigns disagreements are counted for one page; in others it is said that they may wait."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Waiting:
    """Something to do: a sentence, and the page on which it is done."""

    text: str
    page: str
    query: str = ""


def waiting_disagreements(campaign: Campaign, person: User) -> Waiting | None:
    """The disagreements that the person may settle as adjudicator; None where none waits. As `open_disagreements`."""
    if campaign.state != Campaign.State.JUDGING:
        return None
    number = open_disagreements(campaign, person)
    if number == 0:
        return None
    return Waiting(text=MAYBE if number is None else f"{counted(number, 'disagreement')} to settle.", page=DESK)


def waiting_of(person: User, roles: Sequence[tuple[Campaign, Sequence[str]]]) -> dict[int, list[Waiting]]:
    """By campaign id, what waits for somebody with these roles in them, as adjudicator and as organiser.

    Three queries for all campaigns that they organise, and those of `waiting_disagreements` for up to three that are
    being judged and in which they adjudicate.
    """
    found: dict[int, list[Waiting]] = {}
    settling = [
        campaign for campaign, held in roles if Role.ADJUDICATOR in held and campaign.state == Campaign.State.JUDGING
    ]
    for number, campaign in enumerate(settling):
        waiting = waiting_disagreements(campaign, person) if number < COUNTED else Waiting(text=MAYBE, page=DESK)
        if waiting is not None:
            found.setdefault(campaign.pk, []).append(waiting)
    organised = [campaign.pk for campaign, held in roles if Role.ORGANISER in held and not campaign.is_closed]
    if organised:
        for campaign_id, waiting in _of_organisers(organised):
            found.setdefault(campaign_id, []).append(waiting)
    return found


def _of_organisers(campaigns: Sequence[int]) -> Iterable[tuple[int, Waiting]]:
    """(campaign id, what waits): questions, runs whose check failed, topics that nobody judges. Three queries."""
    asked = HelpRequest.objects.filter(assignment__campaign__in=campaigns, answered_at=None).order_by()
    for campaign, number in _numbers(asked.values_list("assignment__campaign").annotate(Count("pk"))):
        text = f"{counted(number, 'question')} from assessors to answer."
        yield campaign, Waiting(text=text, page="questions", query="?answered=no")
    same = Run.objects.filter(campaign=OuterRef("campaign"), tag=OuterRef("tag"), state=Run.State.ACCEPTED)
    failed = Run.objects.filter(~Exists(same), campaign__in=campaigns, state=Run.State.REJECTED).order_by()
    for campaign, number in _numbers(failed.values_list("campaign").annotate(Count("tag", distinct=True))):
        text = f"{counted(number, 'run')} failed the check, with no accepted version yet."
        yield campaign, Waiting(text=text, page="runs", query="?state=rejected")
    for campaign, number in _numbers(_unassigned(campaigns)):
        yield campaign, Waiting(text=f"{counted(number, 'topic')} with nobody to judge.", page="assignments")


def _unassigned(campaigns: Sequence[int]) -> Iterable[tuple[int, int]]:
    """(campaign id, topics): those of which something is in the pool that counts, and of which nobody has anything."""
    newer = Pool.objects.filter(campaign=OuterRef("campaign"), task=OuterRef("task"), pk__gt=OuterRef("pk"))
    pools = Pool.objects.filter(~Exists(newer), campaign__in=campaigns)
    pooled = PoolItem.objects.filter(pool__in=pools, item__topic=OuterRef("pk"))
    held = Assignment.objects.filter(topic=OuterRef("pk"), role=Assignment.Role.PRIMARY)
    live = held.exclude(state=Assignment.State.RETURNED)
    topics = Topic.objects.filter(Exists(pooled), ~Exists(live), campaign__in=campaigns).order_by()
    return topics.values_list("campaign").annotate(Count("pk"))


def _numbers(rows: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    return sorted(rows)

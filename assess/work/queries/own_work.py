"""A person's work: their assignments by stage, and what comes next. Queries do not grow with the work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import QuerySet

from assess.assignments.models import Assignment
from assess.assignments.queries.taken import taken_by_now
from assess.assignments.queries.topics import work_with_nothing
from assess.assignments.queries.waiting import waiting_reasons
from assess.campaigns.models import Campaign, Membership
from assess.campaigns.tracks import track_of
from assess.kinds.base import Tally, work_kind
from assess.protocol import Stage


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkRow:
    """An assignment as its assessor sees it. ``waiting`` says why it is not open, or is "".

    ``is_empty``: it is not done, and there is nothing to do in it.
    """

    assignment: Assignment
    tally: Tally
    waiting: str
    is_empty: bool = False

    @property
    def state(self) -> str:
        """How it is shown: waiting, open, started, done, or empty."""
        if self.is_empty:
            return "empty"
        return "waiting" if self.waiting and self.assignment.state == Assignment.State.OPEN else self.assignment.state


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkStage:
    """The rows of one stage."""

    task: str
    stage: Stage
    rows: list[WorkRow]

    @property
    def done(self) -> int:
        """How many of them are done."""
        return len(self.finished)

    @property
    def left(self) -> list[WorkRow]:
        """What is not done yet."""
        return [row for row in self.rows if row.state != Assignment.State.DONE]

    @property
    def finished(self) -> list[WorkRow]:
        """What is done."""
        return [row for row in self.rows if row.state == Assignment.State.DONE]


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A campaign that somebody belongs to: their roles, and how much work waits for them."""

    campaign: Campaign
    roles: list[str]
    open: int
    done: int


def work_of(campaign: Campaign, assignments: QuerySet[Assignment]) -> list[WorkStage]:
    """Assignments by stage in the order of the work, with tallies and reasons for waiting."""
    found = list(assignments)
    for assignment in found:
        assignment.campaign = campaign
    waiting = waiting_reasons(found)
    stages = []
    for task in track_of(campaign).tasks:
        for stage in task.stages:
            mine = [assignment for assignment in found if assignment.stage == stage.key]
            if mine:
                tallies = work_kind(stage.work).tally(mine)
                empty = work_with_nothing(mine, tallies)
                rows = [
                    WorkRow(
                        assignment=each,
                        tally=tallies[each.pk],
                        waiting=waiting.get(each.pk, ""),
                        is_empty=each.pk in empty,
                    )
                    for each in mine
                ]
                stages.append(WorkStage(task=task.label, stage=stage, rows=rows))
    return stages


def lapsed_work(campaign: Campaign, person: User) -> list[Assignment]:
    """The person's work that went back by itself and that nobody has by now, newest first. Two queries."""
    back = campaign.assignments.filter(assessor=person, state=Assignment.State.RETURNED, lease_until__isnull=False)
    found = list(back.select_related("topic").order_by("-lease_until", "id"))
    if not found:
        return []
    for each in found:
        each.campaign = campaign
    taken = taken_by_now(found)
    newest: dict[tuple[int, str], Assignment] = {}
    for each in found:
        if each.pk not in taken:
            newest.setdefault((each.topic_id, each.stage), each)
    return list(newest.values())


def next_row(stages: Iterable[WorkStage]) -> WorkRow | None:
    """What to take up next: work begun first, then the first that is open; None where all is done or waits."""
    rows = [row for stage in stages for row in stage.rows]
    for state in (Assignment.State.STARTED, Assignment.State.OPEN):
        for row in rows:
            if row.state == state:
                return row
    return None


def places_of(person: User, campaigns: QuerySet[Campaign]) -> list[Place]:
    """The campaigns that somebody belongs to, with their roles and work. Three queries."""
    roles: dict[int, list[str]] = {}
    for campaign_id, role in Membership.objects.filter(user=person).values_list("campaign_id", "role"):
        roles.setdefault(campaign_id, []).append(role)
    states = Assignment.objects.filter(assessor=person).order_by().values_list("campaign_id", "state")
    counts = Counter(states)
    return [
        Place(
            campaign=campaign,
            roles=sorted(roles.get(campaign.pk, ["organiser"])),
            open=counts[campaign.pk, "open"] + counts[campaign.pk, "started"],
            done=counts[campaign.pk, "done"],
        )
        for campaign in campaigns
    ]

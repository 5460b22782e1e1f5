"""A person's assignments by stage, and what comes next. The number of queries does not grow with the work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils.translation import gettext, gettext_noop, ngettext

from assess.adjudication.queries.disagreements import open_disagreements
from assess.assignments.models import Assignment, HelpRequest
from assess.assignments.queries.handoffs import lapsed_for_good
from assess.assignments.queries.notices import notice_counts
from assess.assignments.queries.waiting import ENDED, waiting_reasons, work_with_nothing
from assess.base.numbers import grouped
from assess.campaigns.models import JUDGES, Campaign, Membership, Role
from assess.campaigns.queries import stage_of, track_of
from assess.items.models import Pool, PoolItem
from assess.judging.models import Judgment
from assess.kinds.base import Tally, work_kind
from assess.protocol import Stage
from assess.runs.models import Run
from assess.topics.models import Topic


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkRow:
    """An assignment as its assessor sees it. ``waiting`` says why it can't be opened yet, or is "".

    ``is_empty`` means that it is not done but has nothing to do in it, ``is_untouched`` that it was only looked at.
    """

    assignment: Assignment
    tally: Tally
    waiting: str
    is_empty: bool = False
    is_untouched: bool = False

    @property
    def state(self) -> str:
        """The state that is shown: waiting, empty, or that of the assignment."""
        if self.is_empty:
            return "empty"
        if self.is_untouched:
            return Assignment.State.OPEN
        return "waiting" if self.waiting and self.assignment.state == Assignment.State.OPEN else self.assignment.state

    @property
    def has_grown(self) -> bool:
        """Whether the assignment was done before, and has new items left to judge."""
        return self.assignment.has_grown and self.tally.left > 0


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkStage:
    """The assignments of one stage."""

    task: str
    stage: Stage
    rows: list[WorkRow]

    @property
    def done(self) -> int:
        """The number of assignments that are done."""
        return sum(row.state == Assignment.State.DONE for row in self.rows)

    @property
    def stopped(self) -> int:
        """The number of assignments whose judging was stopped."""
        return len(self.finished) - self.done

    @property
    def left(self) -> list[WorkRow]:
        """The assignments that have not ended: started ones first, then those that can be opened, then the others."""
        order: dict[str, int] = {Assignment.State.STARTED: 0, Assignment.State.OPEN: 1}
        left = [row for row in self.rows if row.state not in ENDED]
        return sorted(left, key=lambda row: order.get(row.state, 2))

    @property
    def finished(self) -> list[WorkRow]:
        """The assignments that are done or were stopped."""
        return [row for row in self.rows if row.state in ENDED]


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A campaign that somebody belongs to: their roles, and how much work waits for them.

    ``grown`` counts the ``open`` assignments that were done before and have been reopened (`Assignment.has_grown`).
    """

    campaign: Campaign
    roles: list[str]
    open: int
    done: int
    grown: int
    stopped: int

    @property
    def role_words(self) -> str:
        """Their roles in the reader's language."""
        return ", ".join(str(Role(role).label) for role in self.roles)


def work_of(campaign: Campaign, assignments: QuerySet[Assignment]) -> list[WorkStage]:
    """Return the assignments by stage in the order of the work, with tallies and reasons for waiting."""
    found = list(assignments)
    for assignment in found:
        assignment.campaign = campaign
    waiting = waiting_reasons(found)
    stages = []
    for task in track_of(campaign).tasks:
        for stage in task.stages:
            mine = [assignment for assignment in found if assignment.stage == stage.key]
            if mine:
                tallies = work_kind(stage.work.key).tally(mine)
                empty = work_with_nothing(mine, tallies)
                untouched = _untouched(mine, tallies)
                rows = [
                    WorkRow(
                        assignment=each,
                        tally=tallies[each.pk],
                        waiting=waiting.get(each.pk, ""),
                        is_empty=each.pk in empty,
                        is_untouched=each.pk in untouched,
                    )
                    for each in mine
                ]
                stages.append(WorkStage(task=task.label, stage=stage, rows=rows))
    return stages


def _untouched(works: Sequence[Assignment], tallies: Mapping[int, Tally]) -> set[int]:
    """Return the ids of the assignments of one stage that were opened and in which nothing was said.

    One query for each ledger of the kind of work, or none if something is done in each assignment.
    """
    found = {each.pk for each in works if each.state == Assignment.State.STARTED and not tallies[each.pk].done}
    if not found:
        return found
    stage = stage_of(works[0].campaign, works[0].stage)[1]
    for model, way in work_kind(stage.work.key).ledgers or ((Judgment, "assignment"),):
        found -= set(model._default_manager.filter(**{f"{way}__in": list(found)}).values_list(way, flat=True))
    return found


def lapsed_work(campaign: Campaign, person: User) -> list[Assignment]:
    """Return the person's assignments that went back by themselves and that they can still continue, newest first.

    There is at most one for each stage of a topic. One query, and those of `lapsed_for_good` if any went back.
    """
    back = campaign.assignments.filter(
        assessor=person, topic__dropped=False, state=Assignment.State.RETURNED, lease_until__isnull=False
    )
    found = list(back.select_related("topic").order_by("-lease_until", "id"))
    if not found:
        return []
    for each in found:
        each.campaign = campaign
    taken = lapsed_for_good(found)
    newest: dict[tuple[int, str], Assignment] = {}
    for each in found:
        if each.pk not in taken:
            newest.setdefault((each.topic_id, each.stage), each)
    return list(newest.values())


def next_row(stages: Iterable[WorkStage], practised: Collection[str] = ()) -> WorkRow | None:
    """Return the assignment to take up next: one that was begun, or else the first open one; None if all are done or
    wait.

    In stages whose keys are in ``practised``, practice comes first: their open assignments are left out, except those
    that were looked at already.
    """
    rows = [row for stage in stages for row in stage.rows]
    started = [row for row in rows if row.state == Assignment.State.STARTED]
    opened = [
        row
        for row in rows
        if row.state == Assignment.State.OPEN and (row.is_untouched or row.assignment.stage not in practised)
    ]
    return next(iter([*started, *opened]), None)


def places_of(person: User, campaigns: QuerySet[Campaign]) -> list[Place]:
    """Return these campaigns in their order, with the person's roles and work. Three queries.

    The roles are "organiser" for somebody who has none there, such as a superuser.
    """
    roles: dict[int, list[str]] = {}
    for campaign_id, role in Membership.objects.filter(user=person).values_list("campaign_id", "role"):
        roles.setdefault(campaign_id, []).append(role)
    works = Assignment.objects.filter(assessor=person, topic__dropped=False).order_by()
    counts = Counter((work.campaign_id, work.shown_state) for work in works.only("campaign", "state", "done_at"))
    return [
        Place(
            campaign=campaign,
            roles=sorted(roles.get(campaign.pk, ["organiser"])),
            open=sum(counts[campaign.pk, state] for state in ("open", "started", "grown")),
            done=counts[campaign.pk, "done"],
            grown=counts[campaign.pk, "grown"],
            stopped=counts[campaign.pk, "stopped"],
        )
        for campaign in campaigns
    ]


# What waits for a person in each campaign, at a cost that a first page can afford.
# Organisers see the most urgent points of the overview; adjudicators see the number of disagreements to adjudicate.

DESK, MAYBE = "adjudication", gettext_noop("Disagreements may wait for you.")
COUNTED = 3
"""The number of campaigns in which a page counts disagreements; for others it says that some may wait."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Waiting:
    """Something that waits for a person: a sentence, and the page on which it is done."""

    text: str
    page: str
    query: str = ""


def waiting_disagreements(campaign: Campaign, person: User) -> Waiting | None:
    """Return a notice that disagreements wait for this adjudicator, or may wait if they are too many to count.

    Return None if none does, or if the campaign is not being judged. The queries are those of `open_disagreements`.
    """
    if campaign.state != Campaign.State.JUDGING:
        return None
    number = open_disagreements(campaign, person)
    if number == 0:
        return None
    settling = ngettext(
        "%(number)s disagreement to adjudicate.", "%(number)s disagreements to adjudicate.", number or 0
    ) % {"number": grouped(number or 0)}
    return Waiting(text=gettext(MAYBE) if number is None else settling, page=DESK)


def waiting_of(person: User, roles: Sequence[tuple[Campaign, Sequence[str]]]) -> dict[int, list[Waiting]]:
    """Return by campaign id what waits for somebody who judges, adjudicates or organises there.

    One query fetches the notices of all campaigns in which they judge, and there are more if any exist. Three queries
    serve all campaigns that they organise. Up to three campaigns in which they adjudicate take the queries of
    `waiting_disagreements`.
    """
    found: dict[int, list[Waiting]] = {}
    settling = [
        campaign for campaign, held in roles if Role.ADJUDICATOR in held and campaign.state == Campaign.State.JUDGING
    ]
    for number, campaign in enumerate(settling):
        waiting = (
            waiting_disagreements(campaign, person) if number < COUNTED else Waiting(text=gettext(MAYBE), page=DESK)
        )
        if waiting is not None:
            found.setdefault(campaign.pk, []).append(waiting)
    judging = [campaign.pk for campaign, held in roles if set(held) & set(JUDGES) and not campaign.is_closed]
    for pk, number in notice_counts(person, judging).items() if judging else ():
        text = ngettext("%(number)s notice to read.", "%(number)s notices to read.", number) % {
            "number": grouped(number)
        }
        found.setdefault(pk, []).insert(0, Waiting(text=text, page="work"))
    organised = [campaign.pk for campaign, held in roles if Role.ORGANISER in held and not campaign.is_closed]
    if organised:
        for campaign_id, waiting in _of_organisers(organised):
            found.setdefault(campaign_id, []).append(waiting)
    return found


def _of_organisers(campaigns: Sequence[int]) -> Iterable[tuple[int, Waiting]]:
    """Yield (campaign id, what waits): questions, runs whose check failed, and topics that nobody judges. Three
    queries.
    """
    asked = HelpRequest.objects.filter(
        assignment__campaign__in=campaigns, assignment__topic__dropped=False, answered_at=None
    ).order_by()
    for campaign, number in _numbers(asked.values_list("assignment__campaign").annotate(Count("pk"))):
        text = ngettext(
            "%(number)s question from assessors to answer.", "%(number)s questions from assessors to answer.", number
        ) % {"number": grouped(number)}
        yield campaign, Waiting(text=text, page="questions", query="?answered=no")
    same = Run.objects.filter(campaign=OuterRef("campaign"), tag=OuterRef("tag"), state=Run.State.ACCEPTED)
    failed = Run.objects.filter(~Exists(same), campaign__in=campaigns, state=Run.State.REJECTED).order_by()
    for campaign, number in _numbers(failed.values_list("campaign").annotate(Count("tag", distinct=True))):
        text = ngettext(
            "%(number)s run failed the check, with no accepted version yet.",
            "%(number)s runs failed the check, with no accepted version yet.",
            number,
        ) % {"number": grouped(number)}
        yield campaign, Waiting(text=text, page="runs", query="?state=rejected")
    for campaign, number in _numbers(_unassigned(campaigns)):
        text = ngettext("%(number)s topic with nobody to judge.", "%(number)s topics with nobody to judge.", number) % {
            "number": grouped(number)
        }
        yield campaign, Waiting(text=text, page="assignments")


def _unassigned(campaigns: Sequence[int]) -> Iterable[tuple[int, int]]:
    """Return (campaign id, number of topics that have pooled items but no primary assessor)."""
    newer = Pool.objects.filter(campaign=OuterRef("campaign"), task=OuterRef("task"), pk__gt=OuterRef("pk"))
    pools = Pool.objects.filter(~Exists(newer), campaign__in=campaigns)
    pooled = PoolItem.objects.filter(pool__in=pools, item__topic=OuterRef("pk"))
    held = Assignment.objects.filter(topic=OuterRef("pk"), role=Assignment.Role.PRIMARY)
    live = held.exclude(state=Assignment.State.RETURNED)
    topics = Topic.objects.filter(Exists(pooled), ~Exists(live), campaign__in=campaigns).order_by()
    return topics.values_list("campaign").annotate(Count("pk"))


def _numbers(rows: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    return sorted(rows)

"""Chains of hand-overs: who had an assignment before, and as whose its opinions count.

Each assignment that continues another names the first one of its chain (`Assignment.chain_start`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Coalesce

from assess.assignments.models import Assignment
from assess.assignments.queries.other_roles import followed
from assess.campaigns.models import Activity, Campaign
from assess.campaigns.queries import stage_of


def begun_by(path: str = "") -> Coalesce:
    """Return the query expression for the user id of the person who began a chain.

    All opinions in a chain of hand-overs count as one person's; a later one replaces an earlier one. ``path`` leads to
    the assignment.
    """
    return Coalesce(f"{path}chain_start__assessor_id", f"{path}assessor_id")


def chain_start(path: str = "") -> Coalesce:
    """Return the query expression for the id of the first assignment in an assignment's chain; without a hand-over, the
    assignment's own id.
    """
    return Coalesce(f"{path}chain_start_id", f"{path}id")


def chain_starts(assignments: QuerySet[Assignment]) -> set[int]:
    """Return the ids of the first assignments of these assignments' chains. One query."""
    return set(assignments.order_by().values_list(chain_start(), flat=True))


def in_chains(starts: Iterable[int], path: str = "") -> Q:
    """Return the condition for all assignments of the chains with these first ids; ``path`` leads to the assignment."""
    known = list(starts)
    return Q(**{f"{path}pk__in": known}) | Q(**{f"{path}chain_start__in": known})


GONE, MADE = ("assignment.return", "assignment.lapse"), ("assignment.create", "assignment.hand_over")
BACK = ("assignment.resume", "assignment.reopen")


def live_at(campaign: Campaign, as_of: int | None) -> Q:
    """Return the condition for the assignments that somebody had as of a ledger point (None: now): made by then, and
    not given back, taken back or lapsed.

    What was done to an assignment since then is known from the activities. One query for a point; three more if work
    was given or taken since.
    """
    live = ~Q(state=Assignment.State.RETURNED)
    acts = Activity.objects.filter(campaign=campaign.pk).order_by("id")
    if as_of is None:
        return live
    since = acts.filter(action__in=(*GONE, *MADE, *BACK), id__gt=as_of).values_list("object_id", "action")
    first: dict[str, str] = {}
    for pk, action in since:
        first.setdefault(pk, action)
    if not first:
        return live
    made = Assignment.objects.filter(pk__in=[pk for pk, action in first.items() if action in MADE])
    continues = {str(pk): str(before) for pk, before in made.values_list("pk", "taken_over_id") if before is not None}
    named = {*first, *continues.values()}
    before = acts.filter(action__startswith="assignment.", object_id__in=list(named), id__lte=as_of)
    last = dict(before.values_list("object_id", "action"))
    new = {pk for pk, action in first.items() if action in MADE and pk not in last}
    known = {*first, *(continues[pk] for pk in new & continues.keys())}  # what was handed over since was held then
    out = {pk for pk in known if last.get(pk, "") in GONE or (pk not in last and first.get(pk, "") in BACK)}
    return (live | Q(pk__in=list(map(int, known)))) & ~Q(pk__in=list(map(int, new | out)))


def chain_beginners(assignments: Iterable[Assignment]) -> dict[int, int]:
    """Return the user id of the person who began each assignment's chain, by assignment id.

    One query, or none without a hand-over.
    """
    group = list(assignments)
    starts = {each.chain_start_id for each in group if each.chain_start_id is not None}
    people = dict(Assignment.objects.filter(pk__in=starts).values_list("pk", "assessor_id")) if starts else {}
    return {each.pk: people.get(each.chain_start_or_own_id, each.assessor_id) for each in group}


def predecessors(assignments: Iterable[Assignment]) -> dict[int, list[Assignment]]:
    """Return the assignments before each of these in its chain of hand-overs, nearest first, by assignment id.

    Assignments without a hand-over are left out. One query, or none without a hand-over.
    """
    taken = [each for each in assignments if each.chain_start_id is not None]
    if not taken:
        return {}
    starts = {each.chain_start_or_own_id for each in taken}
    chains: dict[int, list[Assignment]] = {start: [] for start in starts}
    for each in Assignment.objects.filter(in_chains(starts)).order_by("-pk"):
        chains[each.chain_start_or_own_id].append(each)
    return {each.pk: [other for other in chains[each.chain_start_or_own_id] if other.pk < each.pk] for each in taken}


def heirs_of(assignments: Iterable[Assignment]) -> dict[int, list[Assignment]]:
    """Return which assignments of this group each assignment's records count for, by assignment id.

    The keys are the assignments of the group and all those before them in their chains. Records count for the
    assignment itself and for those that continue it. One query, or none without a hand-over.
    """
    group = list(assignments)
    before = predecessors(group)
    heirs: dict[int, list[Assignment]] = {}
    for work in group:
        for each in (work, *before.get(work.pk, ())):
            heirs.setdefault(each.pk, []).append(work)
    return heirs


def predecessors_of(assignment: Assignment) -> list[Assignment]:
    """Return the assignments before this one in its chain, nearest first. No query without a hand-over."""
    return predecessors([assignment])[assignment.pk] if assignment.chain_start_id is not None else []


@dataclass(frozen=True, kw_only=True, slots=True)
class Chain:
    """The chain of one assignment: who began it (user id), and whether somebody still has it.

    It is live if the assessor or a successor has it, or if the assessor gave it back and got the same work again.
    """

    begun_by: int
    is_live: bool


def chains_of(assignments: Iterable[Assignment]) -> dict[int, Chain]:
    """Return the chain of each of these assignments by id. No query.

    ``assignments`` must include all assignments of their topics and stages.
    """
    known = {each.pk: each for each in assignments}
    live: dict[int, int] = {}
    for each in known.values():
        if each.state != Assignment.State.RETURNED:
            live[each.chain_start_or_own_id] = max(each.pk, live.get(each.chain_start_or_own_id, 0))
    again = {
        (each.topic_id, each.stage, each.assessor_id, each.role)
        for each in known.values()
        if live.get(each.chain_start_or_own_id, 0) >= each.pk
    }
    return {
        pk: Chain(
            begun_by=known.get(each.chain_start_or_own_id, each).assessor_id,
            is_live=(each.topic_id, each.stage, each.assessor_id, each.role) in again,
        )
        for pk, each in known.items()
    }


def topics_of_successors(campaign: Campaign) -> set[int]:
    """Return the ids of the topics in which one person's work in a stage was followed by another's.

    They had several primary assessors or several adjudicators in a stage, or a second assessor who handed work over.
    One query.
    """
    held = campaign.assignments.exclude(role=Assignment.Role.MACHINE).order_by().values("topic_id", "stage", "role")
    several = held.annotate(number=Count("assessor", distinct=True), continued=Count("chain_start"))
    several = several.filter(~Q(role=Assignment.Role.SECOND) | Q(continued__gt=0), number__gt=1)
    return set(several.values_list("topic_id", flat=True))


# Whether somebody else has a lapsed assignment by now: one rule for offering it and for taking it up.

PRIMARY, RETURNED = Assignment.Role.PRIMARY, Assignment.State.RETURNED


class _Live(NamedTuple):
    pk: int
    topic_id: int
    stage: str
    role: str
    assessor_id: int
    created_at: datetime


def lapsed_for_good(lapsed: Collection[Assignment]) -> set[int]:
    """Return the ids of the lapsed assignments that their assessors can't continue any more. Two queries.

    That is so if the assessor has the stage again. A primary assessor also loses the assignment once the stage has a
    primary assessor again, or another one recorded something in it since (`followed`). In any other role, it is lost
    once somebody got an assignment in that role since, unless any number of people may do the stage.
    """
    topics = {each.topic_id for each in lapsed}
    live = Assignment.objects.filter(topic__in=topics).exclude(state=RETURNED).order_by()
    held: dict[tuple[int, str], list[_Live]] = {}
    for row in map(_Live._make, live.values_list(*_Live._fields)):
        held.setdefault((row.topic_id, row.stage), []).append(row)
    since = set(followed(Assignment.objects.filter(pk__in=[each.pk for each in lapsed])).values_list("pk", flat=True))
    return since | {
        each.pk
        for each in lapsed
        if any(_stands_in_place(row, each) for row in held.get((each.topic_id, each.stage), ()))
    }


def is_lapsed_for_good(assignment: Assignment) -> bool:
    """Return whether this lapsed assignment can't be continued any more, as `lapsed_for_good` says. Two queries."""
    return assignment.pk in lapsed_for_good([assignment])


def _stands_in_place(live: _Live, lapsed: Assignment) -> bool:
    if live.pk == lapsed.pk:
        return False
    if live.assessor_id == lapsed.assessor_id:
        return True
    if live.role != lapsed.role or lapsed.role == PRIMARY:
        return live.role == lapsed.role
    _, stage = stage_of(lapsed.campaign, lapsed.stage)
    return not stage.many and lapsed.lease_until is not None and live.created_at > lapsed.lease_until

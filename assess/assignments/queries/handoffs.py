"""Chains of hand-overs: who had an assignment before, and whom all their opinions count for.

Each assignment that goes on with another's names the one with which its chain began (`Assignment.chain_start`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Coalesce

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.campaigns.queries import stage_of


def begun_by(path: str = "") -> Coalesce:
    """Return who began the work (user id), whoever has it now, for `annotate` and `values_list`; ``path`` leads to it.

    All opinions in a chain of hand-overs count as one person's; a later one replaces an earlier one.
    """
    return Coalesce(f"{path}chain_start__assessor_id", f"{path}assessor_id")


def chain_start(path: str = "") -> Coalesce:
    """Return the id of the work with which a chain of hand-overs began; of work that nobody had before, its own."""
    return Coalesce(f"{path}chain_start_id", f"{path}id")


def chain_starts(assignments: QuerySet[Assignment]) -> set[int]:
    """Return the ids of the work with which the chains of these began. One query."""
    return set(assignments.order_by().values_list(chain_start(), flat=True))


def in_chains(starts: Iterable[int], path: str = "") -> Q:
    """All work of the chains that began with these (ids); ``path`` leads to it."""
    known = list(starts)
    return Q(**{f"{path}pk__in": known}) | Q(**{f"{path}chain_start__in": known})


def beginners(assignments: Iterable[Assignment]) -> dict[int, int]:
    """By id of an assignment: who began its work (user id). One query, and none where nothing was handed over."""
    group = list(assignments)
    starts = {each.chain_start_id for each in group if each.chain_start_id is not None}
    people = dict(Assignment.objects.filter(pk__in=starts).values_list("pk", "assessor_id")) if starts else {}
    return {each.pk: people.get(each.chain_start_or_own_id, each.assessor_id) for each in group}


def predecessors(assignments: Iterable[Assignment]) -> dict[int, list[Assignment]]:
    """By id of an assignment that goes on with another's: those before it, the nearest first. The rest is left out.

    One query, and none where nothing was handed over.
    """
    taken = [each for each in assignments if each.chain_start_id is not None]
    if not taken:
        return {}
    starts = {each.chain_start_or_own_id for each in taken}
    chains: dict[int, list[Assignment]] = {start: [] for start in starts}
    for each in Assignment.objects.filter(in_chains(starts)).order_by("-pk"):
        chains[each.chain_start_or_own_id].append(each)
    return {each.pk: [other for other in chains[each.chain_start_or_own_id] if other.pk < each.pk] for each in taken}


def predecessors_of(assignment: Assignment) -> list[Assignment]:
    """Return those before one assignment, the nearest first; empty, without a query, where it was not taken over."""
    return predecessors([assignment])[assignment.pk] if assignment.chain_start_id is not None else []


@dataclass(frozen=True, kw_only=True, slots=True)
class Chain:
    """Of one assignment: who began its work (user id), and whether somebody has it still: they, or who goes on.

    Whoever gave it back and got the same work anew has it, too.
    """

    begun_by: int
    is_live: bool


def chains_of(assignments: Iterable[Assignment]) -> dict[int, Chain]:
    """Return the chain of each of these assignments by id, among which are all of their topics and stages. No query."""
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


def topics_of_several_authors(campaign: Campaign) -> set[int]:
    """Return the ids of the topics in which a stage went from one author to another, or several adjudicated. One
    query.
    """
    held = campaign.assignments.filter(role__in=(Assignment.Role.PRIMARY, Assignment.Role.ADJUDICATOR))
    several = held.order_by().values("topic_id", "stage", "role")
    several = several.annotate(number=Count("assessor", distinct=True)).filter(number__gt=1)
    return set(several.values_list("topic_id", flat=True))


# Whether somebody has by now what went back by itself: one rule for the list that offers it and for taking it up.

PRIMARY, RETURNED = Assignment.Role.PRIMARY, Assignment.State.RETURNED


class _Live(NamedTuple):
    pk: int
    topic_id: int
    stage: str
    role: str
    assessor_id: int
    created_at: datetime


def taken_by_now(lapsed: Collection[Assignment]) -> set[int]:
    """Return the ids of those, of works that went back by themselves, that their assessor can't go on with. One query.

    An author's work is taken where there is an author; other work where somebody got it in the same role since, unless
    any number of people may do the stage; and all work where its assessor has the stage again.
    """
    topics = {each.topic_id for each in lapsed}
    live = Assignment.objects.filter(topic__in=topics).exclude(state=RETURNED).order_by()
    held: dict[tuple[int, str], list[_Live]] = {}
    for row in map(_Live._make, live.values_list(*_Live._fields)):
        held.setdefault((row.topic_id, row.stage), []).append(row)
    return {
        each.pk
        for each in lapsed
        if any(_stands_in_place(row, each) for row in held.get((each.topic_id, each.stage), ()))
    }


def is_taken(assignment: Assignment) -> bool:
    """Return the same of one. One query."""
    return assignment.pk in taken_by_now([assignment])


def _stands_in_place(live: _Live, lapsed: Assignment) -> bool:
    if live.pk == lapsed.pk:
        return False
    if live.assessor_id == lapsed.assessor_id:
        return True
    if live.role != lapsed.role or lapsed.role == PRIMARY:
        return live.role == lapsed.role
    _, stage = stage_of(lapsed.campaign, lapsed.stage)
    return not stage.many and lapsed.lease_until is not None and live.created_at > lapsed.lease_until

"""Work that was handed over: who had it before, and whose word the words of all of them are together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, Q

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign


def predecessors(assignments: Iterable[Assignment]) -> dict[int, list[Assignment]]:
    """By id of an assignment that goes on with another's: those before it, the nearest first. The rest is left out.

    One query, and none where nothing was handed over.
    """
    taken = [each for each in assignments if each.taken_over_id is not None]
    if not taken:
        return {}
    before = Assignment.objects.filter(topic__in={each.topic_id for each in taken}, handed_over__isnull=False)
    known = {each.pk: each for each in before.distinct()}
    return {each.pk: _line(each, known) for each in taken}


def lines_before(assignments: Iterable[Assignment]) -> list[tuple[Assignment, list[Assignment]]]:
    """Each assignment that goes on with another's, with those before it, the nearest first. One query, or none."""
    group = list(assignments)
    before = predecessors(group)
    return [(each, before[each.pk]) for each in group if before.get(each.pk)]


def predecessors_of(assignment: Assignment) -> list[Assignment]:
    """Those before one assignment, the nearest first; empty, without a query, where it was not taken over."""
    return predecessors([assignment]).get(assignment.pk, [])


def voices(topics: Iterable[int]) -> dict[int, int]:
    """By id of an assignment that was handed over or goes on with another's: who began that work (user id).

    What is said under all of these is one voice: what a later one says stands instead of an earlier one's word. In
    topics (ids) where nothing was handed over there are none. One query.
    """
    linked = Q(taken_over__isnull=False) | Q(handed_over__isnull=False)
    found = Assignment.objects.filter(linked, topic__in=list(topics)).order_by().distinct()
    rows = {pk: (before, person) for pk, before, person in found.values_list("pk", "taken_over_id", "assessor_id")}
    return {pk: rows[_first(pk, rows)][1] for pk in rows}


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkLine:
    """Of one assignment: who began its work (user id), and whether somebody has it still: they, or who goes on."""

    voice: int
    is_live: bool


def lines_of(assignments: Iterable[Assignment]) -> dict[int, WorkLine]:
    """The line of each of these assignments by id, among which are all of their topics and stages. No query."""
    known = {each.pk: each for each in assignments}
    rows = {pk: (each.taken_over_id, each.assessor_id) for pk, each in known.items()}
    live = set()
    for pk, each in known.items():
        before: int | None = pk if each.state != Assignment.State.RETURNED else None
        while before in known and before not in live:
            live.add(before)
            before = known[before].taken_over_id
    return {pk: WorkLine(voice=rows[_first(pk, rows)][1], is_live=pk in live) for pk in known}


def topics_of_several_authors(campaign: Campaign) -> set[int]:
    """The ids of the topics in which a stage went from one author to another. One query."""
    authors = campaign.assignments.filter(role=Assignment.Role.PRIMARY).order_by().values("topic_id", "stage")
    several = authors.annotate(number=Count("assessor", distinct=True)).filter(number__gt=1)
    return set(several.values_list("topic_id", flat=True))


def _line(assignment: Assignment, known: Mapping[int, Assignment]) -> list[Assignment]:
    line: list[Assignment] = []
    before = assignment.taken_over_id
    while before is not None and before in known:
        line.append(known[before])
        before = known[before].taken_over_id
    return line


def _first(pk: int, rows: Mapping[int, tuple[int | None, int]]) -> int:
    before = rows[pk][0]
    while before is not None and before in rows:
        pk, before = before, rows[before][0]
    return pk

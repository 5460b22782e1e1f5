"""Whether somebody has by now what went back by itself: one rule for the list that offers it and for taking it up."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from assess.assignments.models import Assignment
from assess.campaigns.tracks import stage_of

PRIMARY, RETURNED = Assignment.Role.PRIMARY, Assignment.State.RETURNED


class _Live(NamedTuple):
    pk: int
    topic_id: int
    stage: str
    role: str
    assessor_id: int
    created_at: datetime


def taken_by_now(lapsed: Collection[Assignment]) -> set[int]:
    """The ids of those, of works that went back by themselves, that their assessor can't go on with. One query.

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
    """The same of one. One query."""
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

"""Responses and items as benches show them.

None of these queries joins runs: order and numbers tell nobody who answered.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import TypeVar

from assess.assignments.models import Assignment, HelpRequest
from assess.items.models import Item
from assess.items.queries.membership import pooled_items
from assess.protocol import Stage
from assess.runs.models import Response, Segment

Thing = TypeVar("Thing")


def in_seeded_order(things: Iterable[Thing], *, seed: int, key: Callable[[Thing], int]) -> list[Thing]:
    """The things in an order that depends on the seed and their ids alone, the same on every machine."""

    def place(thing: Thing) -> bytes:
        return hashlib.sha256(f"{seed} {key(thing)}".encode()).digest()

    return sorted(things, key=place)


def pooled_in_order(assignment: Assignment, stage: Stage) -> list[Item]:
    """The pooled items of the assignment's topic in its seeded order. Two queries."""
    items = pooled_items(assignment.topic, stage.item_kind).select_related("document")
    return in_seeded_order(items, seed=assignment.seed, key=lambda item: item.pk)


def excused_items(assignments: Iterable[Assignment]) -> dict[int, set[int]]:
    """The items that an organiser excused each assignment from, by assignment id. One query."""
    found: dict[int, set[int]] = {assignment.pk: set() for assignment in assignments}
    requests = HelpRequest.objects.filter(assignment__in=list(found), excused=True, item__isnull=False)
    for assignment, item in requests.values_list("assignment_id", "item_id"):
        found[assignment].add(item)
    return found


def blind_responses(assignment: Assignment, stage: Stage) -> list[list[Segment]]:
    """The segments of each response whose items are all pooled, in this assignment's order. Three queries."""
    pooled = set(pooled_items(assignment.topic, stage.item_kind).values_list("pk", flat=True))
    of_topic = Response.objects.filter(topic=assignment.topic_id)
    segments = Segment.objects.filter(response__topic=assignment.topic_id).select_related("item", "item__document")
    by_response: dict[int, list[Segment]] = {}
    for segment in segments.order_by("response_id", "ordinal"):
        by_response.setdefault(segment.response_id, []).append(segment)
    judged = [
        pk
        for pk in of_topic.order_by("id").values_list("pk", flat=True)
        if pk in by_response and all(segment.item_id in pooled for segment in by_response[pk])
    ]
    return [by_response[pk] for pk in in_seeded_order(judged, seed=assignment.seed, key=lambda pk: pk)]

"""The items of an assignment: the numbers by which its assessor knows them, and its control items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from assess.assignments.models import Assignment, ControlItem
from assess.items.handles import Marked, handle_in, item_in, settling_scope
from assess.items.models import Item


def handle_of(assignment: Assignment, item_id: int) -> int:
    """The number by which the assessor of this work knows the item."""
    return handle_in(scope_of(assignment), item_id)


def item_of(assignment: Assignment, handle: int) -> int:
    """The id of the item that has this number in this work; any other number gives an id that no item here has."""
    return item_in(scope_of(assignment), handle)


def scope_of(assignment: Assignment) -> str:
    """What the handles of an assignment hang on; it may be told.

    What an adjudicator looks from is no stored work: it is their own desk, on which a stage is settled.
    """
    if not assignment.pk:
        return settling_scope(assignment.campaign_id, assignment.stage, assignment.assessor_id)
    return str(assignment.pk)


def marked_in(assignment: Assignment, item: Item) -> Marked:
    """An item as the assessor of this work knows it."""
    return Marked(scope_of(assignment), handle_of(assignment, item.pk))


# Control items, which stand unannounced among an assessor's work, and their places.

Each = TypeVar("Each")


def control_items_of(assignment: Assignment) -> list[tuple[int, Item]]:
    """(place from 1, item) of the control items of an assignment, in order. One query."""
    found = (
        ControlItem.objects.filter(assignment=assignment)
        .select_related("item", "item__repeats")
        .order_by("place", "id")
    )
    return [(control_item.place, control_item.item) for control_item in found]


def among(items: Sequence[Each], placed: Iterable[tuple[int, Each]]) -> list[Each]:
    """The items of the work with its control items at their places; at the end where a place is gone."""
    mixed = list(items)
    for place, item in placed:
        mixed.insert(min(place - 1, len(mixed)), item)
    return mixed


def is_planted(assignment: Assignment, item: Item) -> bool:
    """Whether this item is a control item of this assignment. One query."""
    return ControlItem.objects.filter(assignment=assignment, item=item).exists()

"""Items planted unannounced among an assessor's work, and where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assess.assignments.models import Assignment, Plant
from assess.items.models import Item


def planted_items(assignment: Assignment) -> list[tuple[int, Item]]:
    """(place from 1, item) of what is planted in an assignment, in order. One query."""
    found = Plant.objects.filter(assignment=assignment).select_related("item", "item__repeats").order_by("place", "id")
    return [(plant.place, plant.item) for plant in found]


def among(items: Sequence[Item], planted: Iterable[tuple[int, Item]]) -> list[Item]:
    """The items of the work with those planted at their places; at the end where there is no such place any more."""
    mixed = list(items)
    for place, item in planted:
        mixed.insert(min(place - 1, len(mixed)), item)
    return mixed


def is_planted(assignment: Assignment, item: Item) -> bool:
    """Whether this item is planted in this assignment. One query."""
    return Plant.objects.filter(assignment=assignment, item=item).exists()

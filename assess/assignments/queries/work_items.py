"""The numbers by which an assessor knows the items of an assignment, and which of them are control items."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.assignments.models import Assignment, ControlItem, DecidedLater
from assess.campaigns.models import Campaign
from assess.items.handles import Marked, handle_in, item_in, settling_scope
from assess.items.models import Item


def handle_of(assignment: Assignment, item_id: int) -> int:
    """Return the number by which the assessor of this work knows the item."""
    return handle_in(scope_of(assignment), item_id)


def item_of(assignment: Assignment, handle: int) -> int:
    """The id of the item that has this number in this work; any other number gives an id that no item here has."""
    return item_in(scope_of(assignment), handle)


def scope_of(assignment: Assignment) -> str:
    """Return what the handles of an assignment hang on; it may be told.

    What an adjudicator looks from is no stored work: it is their own desk, on which a stage is settled.
    """
    if not assignment.pk:
        return settling_scope(assignment.campaign_id, assignment.stage, assignment.assessor_id)
    return str(assignment.pk)


def marked_in(assignment: Assignment, item: Item) -> Marked:
    """An item as the assessor of this work knows it."""
    return Marked(scope_of(assignment), handle_of(assignment, item.pk))


def is_planted(assignment: Assignment, item: Item) -> bool:
    """Return whether this item is a control item of this assignment. One query."""
    return ControlItem.objects.filter(assignment=assignment, item=item).exists()


def decided_later(campaign: Campaign, person: User, *, stage: str, criterion: str) -> set[str]:
    """Return the names of the disagreements about a question that a person set aside for later. One query."""
    found = DecidedLater.objects.filter(campaign=campaign, person=person, stage=stage, criterion=criterion)
    return set(found.values_list("thing", flat=True))

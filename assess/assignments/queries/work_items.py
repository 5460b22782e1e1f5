"""The numbers by which an assessor knows the items of an assignment, and which of them are control items."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.assignments.models import Assignment, ControlItem, DecidedLater
from assess.campaigns.models import Campaign
from assess.items.handles import HighlightedItem, handle_in, item_in, settling_scope
from assess.items.models import Item


def handle_of(assignment: Assignment, item_id: int) -> int:
    """Return the number by which the assignment's assessor knows the item."""
    return handle_in(scope_of(assignment), item_id)


def item_of(assignment: Assignment, handle: int) -> int:
    """Return the id of the item with this handle in the assignment; an unknown handle gives an id that no item has."""
    return item_in(scope_of(assignment), handle)


def scope_of(assignment: Assignment) -> str:
    """Return the scope of an assignment's handles. The scope need not be secret.

    An unsaved assignment stands for an adjudicator's view of a stage, which has a scope of its own.
    """
    if not assignment.pk:
        return settling_scope(assignment.campaign_id, assignment.stage, assignment.assessor_id)
    return str(assignment.pk)


def marked_in(assignment: Assignment, item: Item) -> HighlightedItem:
    """Return the item in the form in which a document's pane gets it: its handle, and the scope of that."""
    return HighlightedItem(scope_of(assignment), handle_of(assignment, item.pk))


def is_planted(assignment: Assignment, item: Item) -> bool:
    """Return whether this item is a control item of this assignment. One query."""
    return ControlItem.objects.filter(assignment=assignment, item=item).exists()


def decided_later(campaign: Campaign, person: User, *, stage: str, criterion: str) -> set[str]:
    """Return the names of the disagreements on a criterion that a person set aside for later. One query."""
    found = DecidedLater.objects.filter(campaign=campaign, person=person, stage=stage, criterion=criterion)
    return set(found.values_list("thing", flat=True))

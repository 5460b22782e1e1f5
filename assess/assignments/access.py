"""The way from a seat in a campaign to assignments, the items in them and the questions about them.

Absent and forbidden look the same: `NotFound`.
"""

from __future__ import annotations

from django.db.models import QuerySet

from assess.assignments.domain.leases import Lapsed
from assess.assignments.models import Assignment, HelpRequest
from assess.assignments.queries.items import is_planted, item_of
from assess.base.errors import NotFound, UnknownItem
from assess.campaigns.seats import Seat
from assess.items.models import Item


def access_assignments(seat: Seat) -> QuerySet[Assignment]:
    """The assignments that this person may see: their own, and all for organisers."""
    assignments = seat.campaign.assignments.select_related("topic", "topic__parent", "assessor")
    if seat.is_organiser:
        return assignments
    return assignments.filter(assessor=seat.user).exclude(state=Assignment.State.RETURNED)


def access_assignment(seat: Seat, assignment_id: int) -> Assignment:
    """One assignment for its own assessor to work on. Nobody else works on it, organisers included.

    Work that went back by itself is refused (`Lapsed`), with the way to take it up again.
    """
    assignment = _own_assignment(seat, assignment_id)
    if assignment.has_lapsed:
        raise Lapsed(assignment)
    return assignment


def access_lapsed_assignment(seat: Seat, assignment_id: int) -> Assignment:
    """One assignment of the person's own that is live, or went back by itself."""
    return _own_assignment(seat, assignment_id)


def _own_assignment(seat: Seat, assignment_id: int) -> Assignment:
    own = seat.campaign.assignments.select_related("topic", "topic__parent", "assessor")
    assignment = own.filter(pk=assignment_id, assessor=seat.user).first()
    if assignment is None or not seat.is_judge:
        raise NotFound
    if assignment.state == Assignment.State.RETURNED and not assignment.has_lapsed:
        raise NotFound
    assignment.campaign = seat.campaign
    return assignment


def access_item(assignment: Assignment, item_id: int, *, kind: str = "") -> Item:
    """An item of the assignment's topic; of those planted, its own alone."""
    items = Item.objects.filter(pk=item_id, topic_id=assignment.topic_id).select_related("document")
    item = (items.filter(kind=kind) if kind else items).first()
    if item is None or (item.repeats_id is not None and not is_planted(assignment, item)):
        raise UnknownItem
    return item


def access_work_item(assignment: Assignment, handle: int) -> Item:
    """The same by the number by which the assessor of this work knows the item (`handle_of`), and by no other."""
    return access_item(assignment, item_of(assignment, handle))


def access_help_request(seat: Seat, help_id: int) -> HelpRequest:
    """A question asked: for the organisers, and for whoever asked it."""
    found = HelpRequest.objects.filter(pk=help_id, assignment__campaign=seat.campaign)
    if not seat.is_organiser:
        found = found.filter(assignment__assessor=seat.user)
    request = found.select_related("assignment", "assignment__topic", "item").first()
    if request is None:
        raise NotFound
    return request

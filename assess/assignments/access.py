"""The way from a seat in a campaign to assignments, the items in them and the questions about them.

Absent and forbidden look the same: `NotFound`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet, Subquery

from assess.assignments.domain.assignments import lock_assignment
from assess.assignments.domain.leases import Lapsed
from assess.assignments.models import Assignment, HelpRequest
from assess.assignments.queries.work_items import is_planted, item_of
from assess.base.errors import NotFound, UnknownItem
from assess.base.prepared import PreparedQuery
from assess.campaigns.models import JUDGES, Campaign, Guideline, Membership
from assess.campaigns.queries import known_track
from assess.campaigns.seats import Person, Seat, access_seat
from assess.items.models import Item
from assess.items.queries import with_pooled
from assess.topics.domain.changing import require_counted


def access_assignments(seat: Seat) -> QuerySet[Assignment]:
    """The assignments that this person may see: their own, and all for organisers."""
    assignments = seat.campaign.assignments.select_related("topic", "topic__parent", "assessor")
    if seat.is_organiser:
        return assignments
    return assignments.filter(assessor=seat.user, topic__dropped=False).exclude(state=Assignment.State.RETURNED)


def access_assignment(seat: Seat, assignment_id: int) -> Assignment:
    """One assignment for its own assessor to work on. Nobody else works on it, organisers included.

    Work that went back by itself is refused (`Lapsed`), with the way to take it up again.
    """
    assignment = _own_assignment(seat, assignment_id)
    require_counted(assignment.topic)
    if assignment.has_lapsed:
        raise Lapsed(assignment)
    return assignment


def access_work(person: Person, slug: str, assignment_id: int) -> Assignment:
    """What `access_assignment` finds for this person, refused as there; seat, campaign and work are one read."""
    found = WORK.first(slug=slug, work=int(assignment_id), person=person.pk or 0)
    if found is None or not _is_open(found):
        return access_assignment(access_seat(person, slug), assignment_id)
    found.topic.campaign = found.campaign
    return found


@contextmanager
def held_work(person: Person, slug: str, assignment_id: int) -> Iterator[Assignment]:
    """The same, its row locked by this one read, in a transaction that is one click and no more.

    The item that is judged (`access_work_item`) then comes with all that its judgment depends on besides. After a click
    that came again (`add_once`) nothing more can be asked.
    """
    with transaction.atomic():
        locked = LOCKED_WORK.first(slug=slug, work=int(assignment_id), person=person.pk or 0)
        if locked is None or not _is_open(locked):
            locked = lock_assignment(access_assignment(access_seat(person, slug), assignment_id))  # refuses in words
        locked.topic.campaign, locked.assessor = locked.campaign, cast(User, person)
        locked.is_held = locked.is_click = True
        yield locked


def _work(*, slug: str, work: int, person: int) -> QuerySet[Assignment]:
    """The assignment where it is their own, and they have a seat to judge from."""
    return _open_to(slug=slug, work=work, person=person).select_related(
        "campaign", "topic", "topic__parent", "assessor"
    )


def _locked_work(*, slug: str, work: int, person: int) -> QuerySet[Assignment]:
    found = _open_to(slug=slug, work=work, person=person).select_related("campaign", "topic")
    return found.defer(*NO_RULE_READS).select_for_update(no_key=True, of=("self",))


def _open_to(*, slug: str, work: int, person: int) -> QuerySet[Assignment]:
    seats = Membership.objects.filter(campaign=OuterRef("campaign"), user=OuterRef("assessor"), role__in=JUDGES)
    return Assignment.objects.filter(Exists(seats), pk=work, campaign__slug=slug, assessor=person).order_by()


def _is_open(assignment: Assignment) -> bool:
    """Whether it is live, its topic counts, and its campaign's track is installed.

    SQLite would plan a query that asks for the state anew each time, since some indexes hold live work alone: four
    times what it takes to answer it.
    """
    is_live = assignment.state != Assignment.State.RETURNED and not assignment.topic.dropped
    return is_live and known_track(assignment.campaign) is not None


NO_RULE_READS = (
    *("created_at", "started_at", "done_at", "topic__fields"),
    *(f"campaign__{name}" for name in ("runs_due", "topics_from", "lists_from", "package_from", "agreement_for")),
    "campaign__created_at",
)
"""What is not read with the work of a click: columns of which no rule for saving knows, and which take long to read."""

WORK = PreparedQuery(_work, slug=str, work=int, person=int)
LOCKED_WORK = PreparedQuery(_locked_work, slug=str, work=int, person=int)


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
    """An item of the assignment's topic; of control items, its own alone."""
    if assignment.is_click:
        item = _judged_item(assignment, item_id)
    else:
        item = Item.objects.filter(pk=item_id, topic_id=assignment.topic_id).select_related("document").first()
    if item is None or (kind and item.kind != kind):
        raise UnknownItem
    if item.repeats_id is not None and not is_planted(assignment, item):
        raise UnknownItem
    return item


def _judged_item(assignment: Assignment, item_id: int) -> Item | None:
    """The item with what a judgment of it depends on: whether it is pooled, and whether the assessor judged it before,
    the campaign's state, the guidelines.

    The state must be read by a statement after the lock: on PostgreSQL one that waited for it sees joined rows as they
    were before (docs/decisions/0006).
    """
    campaign, topic = assignment.campaign, assignment.topic
    item = JUDGED_ITEM.first(
        item=item_id, topic=topic.pk, campaign=campaign.pk, task=topic.task, person=assignment.assessor_id
    )
    if item is not None:
        said: dict[str, Any] = item.__dict__
        campaign.state, assignment.newest_guideline = said["campaign_state"], said["newest_guideline"]
        assignment.knows_campaign = True
    return item


def _item(*, item: int, topic: int, campaign: int, task: str, person: int) -> QuerySet[Item]:
    guidelines = Guideline.objects.filter(campaign=campaign).order_by("-version")
    found = Item.objects.filter(pk=item, topic=topic).defer("fields").order_by()
    # No Exists: while few judgments are known, PostgreSQL would read all of the assessor's to look the item up in them.
    judgments = cast(Any, Item._meta.get_field("judgments").related_model)._default_manager.order_by()
    own = judgments.filter(item=OuterRef("pk"), assessor=person)
    return with_pooled(found, campaign=Campaign(pk=campaign), task=task).annotate(
        own_judgment=Subquery(own.values("pk")[:1]),
        campaign_state=F("topic__campaign__state"),
        newest_guideline=Subquery(guidelines.values("pk")[:1]),
    )


JUDGED_ITEM = PreparedQuery(_item, item=int, topic=int, campaign=int, task=str, person=int)


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

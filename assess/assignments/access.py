"""The way from a seat in a campaign to assignments, to their items and to the questions about them.

Absent and forbidden objects look the same: both raise `NotFound`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_noop

from assess.assignments.domain.held_work import IN_FORCE, HeldWork, lock_assignment, require_counted
from assess.assignments.domain.leases import Lapsed
from assess.assignments.models import Assignment, HelpRequest
from assess.assignments.queries.work_items import is_planted, item_of
from assess.base.errors import NoLongerYours, NotFound, UnknownItem
from assess.base.plain_reads import columns_of, first_of, first_row, instances_of
from assess.campaigns.models import JUDGES, Campaign
from assess.campaigns.queries import known_track, stage_of
from assess.campaigns.seats import Person, Seat, access_seat
from assess.items.handles import NO_ITEM
from assess.items.models import Item
from assess.topics.models import Topic


def access_assignments(seat: Seat) -> QuerySet[Assignment]:
    """Return the assignments that this person may see: all for an organiser, otherwise their own.

    Their own are without those that were given back and those of dropped topics.
    """
    assignments = seat.campaign.assignments.select_related("topic", "topic__parent", "assessor")
    if seat.is_organiser:
        return assignments
    return assignments.filter(assessor=seat.user, topic__dropped=False).exclude(state=Assignment.State.RETURNED)


def access_assignment(seat: Seat, assignment_id: int) -> Assignment:
    """Return one assignment for its own assessor to work on. Nobody else, not even an organiser, works on it.

    Raises `NotFound`; `NoLongerYours` if it was given back or to somebody else; `Conflict` if its topic was dropped;
    and `Lapsed` if its lease ran out, with a message that says how to take it up again.
    """
    assignment = access_own_assignment(seat, assignment_id)
    require_counted(assignment.topic)
    if assignment.has_lapsed:
        raise Lapsed(assignment)
    return assignment


def access_work(person: Person, slug: str, assignment_id: int) -> Assignment:
    """Return the assignment that `access_assignment` finds for this person in the campaign with this slug.

    Raises what `access_assignment` and `access_seat` raise. Two queries.
    """
    found = _own_work(person, slug, assignment_id)
    if found is None:
        return access_assignment(access_seat(person, slug), assignment_id)  # raises the fitting refusal
    return found.assignment


@contextmanager
def reading_click(person: Person, slug: str, assignment_id: int) -> Iterator[None]:
    """Read a click in this block, before its assignment is locked, so that other people's clicks do not wait for the
    reading.

    What the block raises reaches only people whom `access_work` lets in; for everybody else, what `access_work` raises
    is raised instead.
    """
    try:
        yield
    except Exception:
        access_work(person, slug, assignment_id)
        raise


@contextmanager
def held_work(person: Person, slug: str, assignment_id: int, *, handle: int | None = None) -> Iterator[HeldWork]:
    """Lock the assignment that `access_work` finds, for one click.

    It works as `hold` does, except that the statement that locks also finds the seat and the assignment. ``handle`` is
    the number of the item that the click is about; `access_held_item` returns that item. Raises what `access_work`
    raises.
    """
    with transaction.atomic():
        found = _own_work(person, slug, assignment_id, handle, lock=LOCK)
        yield found or HeldWork.of(lock_assignment(access_work(person, slug, assignment_id)))


OWN_WORK = f"""
SELECT {columns_of(Assignment, "work")} FROM assess_assignment AS work
WHERE id = %s AND assessor_id = %s AND state != %s AND campaign_id = (
    SELECT id FROM assess_campaign AS campaign
    WHERE slug = %s AND NOT EXISTS (SELECT 1 FROM assess_unfinishedimport WHERE campaign_id = campaign.id)
) AND EXISTS (
    SELECT 1 FROM assess_membership AS seat
    WHERE seat.campaign_id = work.campaign_id AND seat.user_id = work.assessor_id AND seat.role IN (%s, %s))
"""
LOCK = " FOR NO KEY UPDATE OF work"
ABOUT_WORK = f"""
SELECT {IN_FORCE.format(task="topic.task")},
    EXISTS (SELECT 1 FROM assess_poolitem WHERE item_id = item.id AND pool_id = (
        SELECT max(id) FROM assess_pool WHERE campaign_id = campaign.id AND task = topic.task AND NOT unfinished)),
    {columns_of(Campaign, "campaign")}, {columns_of(Topic, "topic")}, {columns_of(Item, "item")}
FROM assess_topic AS topic JOIN assess_campaign AS campaign ON campaign.id = topic.campaign_id
LEFT JOIN assess_item AS item ON item.id = %s AND item.topic_id = topic.id
WHERE topic.id = %s AND NOT topic.dropped
"""
ITEM_OF_TOPIC = f"SELECT {columns_of(Item, 'item')} FROM assess_item AS item WHERE id = %s AND topic_id = %s"


def _own_work(
    person: Person, slug: str, assignment_id: int, handle: int | None = None, *, lock: str = ""
) -> HeldWork | None:
    """Return the person's own assignment in the campaign with this slug, and the item with this ``handle``, if given.

    Return None if they have no such assignment, if it was given back, if its topic was dropped, if they no longer judge
    in the campaign, and if the site does not know its track. Two queries. With ``lock``, the first query locks the row,
    and the second reads what a write under it depends on.
    """
    if int(assignment_id).bit_length() > LARGEST_BITS:
        return None
    asked = OWN_WORK if connection.vendor == "sqlite" else OWN_WORK + lock
    values = [int(assignment_id), person.pk or 0, Assignment.State.RETURNED, slug, *JUDGES]
    work = first_of(Assignment, asked, values)
    if work is None:
        return None
    about = first_row(ABOUT_WORK, [item_of(work, handle) if handle is not None else NO_ITEM, work.topic_id])
    if about is None:
        return None
    guideline, pool, has_machine, is_pooled, *values = about
    campaign, topic, item = instances_of(values, Campaign, Topic, Item)
    if known_track(campaign) is None:
        return None
    work.topic, work.campaign, work.assessor = topic, campaign, cast(User, person)
    topic.campaign = campaign
    held = HeldWork(work, stage_of(campaign, work.stage)[1], guideline, pool, bool(has_machine))
    return replace(held, item=item, is_pooled=bool(is_pooled)) if item.pk is not None else held


LARGEST_BITS = 63
"""The number of bits in the largest id that the database takes."""


GIVEN_AWAY = gettext_noop("This work was given to somebody else. What you judged before that is kept.")
YOURS_AGAIN = gettext_noop(
    "This work was taken from you and is yours again: open it under Work (W). What you judged before that is kept."
)
NO_LONGER_YOURS = gettext_noop("This work is no longer yours. What you judged before that is kept.")


def access_own_assignment(seat: Seat, assignment_id: int) -> Assignment:
    """Return one of the person's own assignments, even if its lease ran out.

    Raises `NotFound`, also for somebody who does not judge any more, and `NoLongerYours` if it was given back or to
    somebody else.
    """
    own = seat.campaign.assignments.select_related("topic", "topic__parent").order_by()
    assignment = own.filter(pk=assignment_id, assessor=seat.user.pk).first()
    if assignment is None or not seat.is_judge:
        raise NotFound
    if assignment.state == Assignment.State.RETURNED and not assignment.has_lapsed:
        raise _no_longer_yours(assignment)
    assignment.campaign = assignment.topic.campaign = seat.campaign
    assignment.assessor = seat.user
    return assignment


def _no_longer_yours(returned: Assignment) -> NoLongerYours:
    """Return the refusal that says what became of work that was taken from its assessor."""
    same = Assignment.objects.filter(topic=returned.topic_id, stage=returned.stage, assessor=returned.assessor_id)
    if (now := same.exclude(state=Assignment.State.RETURNED).first()) is not None:
        return NoLongerYours(gettext(YOURS_AGAIN), now=now.pk)
    return NoLongerYours(gettext(GIVEN_AWAY if returned.handed_over.exists() else NO_LONGER_YOURS))


def access_item(assignment: Assignment, item_id: int) -> Item:
    """Return an item of the assignment's topic; a control item only if it belongs to this assignment.

    Raises `UnknownItem` for any other item.
    """
    item = first_of(Item, ITEM_OF_TOPIC, [item_id, assignment.topic_id])
    if item is None:
        raise UnknownItem
    return _require_own(assignment, item)


def access_work_item(assignment: Assignment, handle: int) -> Item:
    """Return the item with this handle, the number by which the assignment's assessor knows it (`handle_of`).

    Raises `UnknownItem` if the topic has no such item.
    """
    return access_item(assignment, item_of(assignment, handle))


def access_held_item(held: HeldWork, handle: int) -> Item:
    """Return the item for which the assignment is held or, without one, the item with this handle.

    Raises `UnknownItem`. A held item costs no query, or one if it is a control item; any other item costs those of
    `access_work_item`.
    """
    return _require_own(held.assignment, held.item) if held.item else access_work_item(held.assignment, handle)


def _require_own(assignment: Assignment, item: Item) -> Item:
    if item.repeats_id is not None and not is_planted(assignment, item):
        raise UnknownItem
    return item


def access_help_request(seat: Seat, help_id: int) -> HelpRequest:
    """Return a question to the organisers, for an organiser or for the person who asked it. Raises `NotFound`."""
    found = HelpRequest.objects.filter(pk=help_id, assignment__campaign=seat.campaign)
    if not seat.is_organiser:
        found = found.filter(assignment__assessor=seat.user)
    request = found.select_related("assignment", "assignment__topic", "item").first()
    if request is None:
        raise NotFound
    return request

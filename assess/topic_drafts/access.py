"""Find drafts of topics for a person's seat in a campaign. Absent and forbidden look the same: `NotFound`."""

from __future__ import annotations

from django.db.models import QuerySet

from assess.base.errors import NotFound
from assess.campaigns.seats import Seat
from assess.topic_drafts.models import TopicDraft


def access_drafts(seat: Seat) -> QuerySet[TopicDraft]:
    """Return the drafts that this person may see: all for organisers, who decide on them, and their own for authors."""
    drafts = seat.campaign.topic_drafts.select_related("author", "topic").order_by("number")
    return drafts if seat.is_organiser else access_own_drafts(seat)


def access_own_drafts(seat: Seat) -> QuerySet[TopicDraft]:
    """Return the drafts that this person is making, by number; none for somebody who does not judge."""
    drafts = seat.campaign.topic_drafts.select_related("author", "topic").order_by("number")
    return drafts.filter(author=seat.user) if seat.is_judge else drafts.none()


def access_draft(seat: Seat, number: int) -> TopicDraft:
    """Return a draft by its number: any for organisers, their own for authors. Raises `NotFound` for any other."""
    return _draft(seat, access_drafts(seat), number)


def access_own_draft(seat: Seat, number: int) -> TopicDraft:
    """Return a draft for its author to work on. Raises `NotFound` for everybody else, even for organisers."""
    return _draft(seat, access_own_drafts(seat), number)


def _draft(seat: Seat, drafts: QuerySet[TopicDraft], number: int) -> TopicDraft:
    draft = drafts.filter(number=number).first() if number < 2**31 else None
    if draft is None:
        raise NotFound
    draft.campaign = seat.campaign
    return draft

"""The way from a seat in a campaign to releases. Absent and forbidden look the same: `NotFound`."""

from __future__ import annotations

from django.db.models import QuerySet

from assess.base.errors import NotFound
from assess.campaigns.seats import Seat
from assess.releases.models import Release


def access_releases(seat: Seat) -> QuerySet[Release]:
    """The releases that this person may take: all for organisers, what is published for every other member."""
    return seat.campaign.releases.all() if seat.is_organiser else seat.campaign.releases.filter(published=True)


def access_release(seat: Seat, release_id: int) -> Release:
    """One release."""
    release = access_releases(seat).filter(pk=release_id).first()
    if release is None:
        raise NotFound
    return release

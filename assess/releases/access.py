"""Find releases for a person's seat in a campaign. Absent and forbidden look the same: `NotFound`."""

from __future__ import annotations

from django.db.models import QuerySet

from assess.base.errors import NotFound
from assess.campaigns.seats import Seat
from assess.releases.models import Release


def access_releases(seat: Seat) -> QuerySet[Release]:
    """Return the releases that this person may download: all for organisers, published ones for every other member."""
    return seat.campaign.releases.all() if seat.is_organiser else seat.campaign.releases.filter(published=True)


def access_release(seat: Seat, release_id: int) -> Release:
    """Return one release. Raise NotFound if it does not exist or the person may not see it."""
    release = access_releases(seat).filter(pk=release_id).first()
    if release is None:
        raise NotFound
    return release

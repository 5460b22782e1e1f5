"""Find pools for a person's seat in a campaign. Absent and forbidden look the same: `NotFound`."""

from __future__ import annotations

from assess.base.errors import NotFound
from assess.campaigns.seats import Seat
from assess.items.models import Pool


def access_pool(seat: Seat, pool_id: int) -> Pool:
    """Return a pool of the campaign. Raise NotFound if there is none, or if the person is no organiser."""
    pool = seat.campaign.pools.filter(pk=pool_id).first() if seat.is_organiser else None
    if pool is None:
        raise NotFound
    return pool

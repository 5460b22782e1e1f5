"""The way from a seat in a campaign to long jobs. Absent and forbidden look the same: `NotFound`."""

from __future__ import annotations

from assess.base.errors import NotFound
from assess.campaigns.seats import Seat
from assess.jobs.models import Work


def access_work(seat: Seat, work_id: int) -> Work:
    """A long job, for organisers."""
    work = seat.campaign.works.filter(pk=work_id).first() if seat.is_organiser else None
    if work is None:
        raise NotFound
    return work

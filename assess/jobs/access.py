"""The way from a seat in a campaign to background jobs. Absent and forbidden jobs look the same: both raise
`NotFound`.
"""

from __future__ import annotations

from assess.base.errors import NotFound
from assess.campaigns.seats import Seat
from assess.jobs.models import Job


def access_job(seat: Seat, job_id: int) -> Job:
    """Return the campaign's job with this id. Raises `NotFound` if there is none, or for anybody but an organiser."""
    job = seat.campaign.jobs.filter(pk=job_id).first() if seat.is_organiser else None
    if job is None:
        raise NotFound
    return job

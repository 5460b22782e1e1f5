"""Find runs for a person's seat in a campaign. Absent and forbidden look the same: `NotFound`."""

from __future__ import annotations

from django.db.models import QuerySet

from assess.base.errors import NotFound
from assess.campaigns.seats import Seat
from assess.runs.models import Run


def access_runs(seat: Seat) -> QuerySet[Run]:
    """Return the runs that this person may see: all for organisers, their team's for participants, else none.

    This is about lists only: an organiser who also has a live assignment still judges blind on the workbench.
    """
    if seat.is_organiser:
        return seat.campaign.runs.all()
    if seat.is_participant:
        return seat.campaign.runs.filter(team__in=seat.teams)
    return Run.objects.none()


def access_run(seat: Seat, run_id: int) -> Run:
    """Return a run by its id. Raise NotFound if there is none that the person may see."""
    run = access_runs(seat).filter(pk=run_id).first()
    if run is None:
        raise NotFound
    return run

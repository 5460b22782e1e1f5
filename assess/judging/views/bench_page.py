"""What every bench says around its work: what is new, whether anything can be recorded, and why not."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from assess.assignments.domain.assignments import why_closed
from assess.assignments.models import Assignment
from assess.assignments.queries.notices import newest_told, notices_of
from assess.campaigns.models import Campaign
from assess.campaigns.seats import Seat
from assess.protocol import Stage
from assess.web.page import render_page


def render_bench(
    request: HttpRequest, template: str, seat: Seat, *, assignment: Assignment, stage: Stage, **context: object
) -> HttpResponse:
    """Render the bench of an assignment, with `told_values` and `closed_values`. Three queries besides its own."""
    values = {"assignment": assignment, "stage": stage, **told_values(seat), **closed_values(assignment)}
    return render_page(request, template, seat, **{**values, **context})


def told_values(seat: Seat) -> dict[str, Any]:
    """Return the notices that a bench shows, and the ledger point up to which it thereby told what is new.

    The point is read first: what comes between the two is told by the next page.
    """
    told = newest_told(seat.campaign)
    return {"told": told, "notices": notices_of(seat.campaign, seat.user)}


def closed_values(assignment: Assignment) -> dict[str, Any]:
    """Return why nothing can be recorded, as a sentence or "", and whether its assessor can take the work up again."""
    is_judged = assignment.campaign.state == Campaign.State.JUDGING
    return {
        "closed": why_closed(assignment),
        "can_reopen": is_judged and assignment.state == Assignment.State.DONE,
    }

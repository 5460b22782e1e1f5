"""What every bench shows around its items: new notices, whether anything can be recorded, and why not."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from assess.assignments.domain.held_work import why_closed
from assess.assignments.models import Assignment
from assess.assignments.queries.notices import newest_notice_point, notices_of
from assess.campaigns.models import Campaign
from assess.campaigns.seats import Seat
from assess.protocol import Stage
from assess.web.page import render_page


def render_bench(
    request: HttpRequest, template: str, seat: Seat, *, assignment: Assignment, stage: Stage, **context: object
) -> HttpResponse:
    """Render the bench of an assignment, with `notice_values` and `closed_values`.

    It makes three queries in addition to those of the bench itself.
    """
    values = {"assignment": assignment, "stage": stage, **notice_values(seat), **closed_values(assignment)}
    return render_page(request, template, seat, **{**values, **context})


def notice_values(seat: Seat) -> dict[str, Any]:
    """Return the notices that a bench shows, and the ledger point up to which it has shown them.

    The point is read first, so a notice that arrives between the two reads is shown by the next page.
    """
    told = newest_notice_point(seat.campaign)
    return {"told": told, "notices": notices_of(seat.campaign, seat.user)}


def closed_values(assignment: Assignment) -> dict[str, Any]:
    """Return template values for a bench: why nothing can be recorded ("" if it can), and whether it can be reopened.

    Only a done assignment of a campaign that is being judged can be reopened.
    """
    is_judged = assignment.campaign.state == Campaign.State.JUDGING
    return {
        "closed": why_closed(assignment),
        "can_reopen": is_judged and assignment.state == Assignment.State.DONE,
    }

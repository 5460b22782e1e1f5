"""How every page is rendered: the seat in its campaign, and the way to the other pages by role."""

from __future__ import annotations

from collections.abc import Iterable

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header

from assess.campaigns.dates import clocks_of
from assess.campaigns.models import Campaign
from assess.campaigns.seats import Seat
from assess.web.navigation import navigation_of

JOB_ENDED = "job-ended"
"""The header HX-Trigger of an answer to a page that looks again: the page comes anew (`static/js/web/anew.js`)."""


def render_page(
    request: HttpRequest, template: str, seat: Seat | None = None, *, status: int = 200, **context: object
) -> HttpResponse:
    """Render a page, with the header's links for this seat. ``seat`` is None outside any campaign.

    Moments are shown in the campaign's time zone. ``is_closed``: the campaign is frozen or released. The header says
    so, and pages leave out what would be refused.
    """
    shared = {
        "seat": seat,
        "navigation": navigation_of(request.path, seat) if seat else None,
        "is_closed": seat is not None and seat.campaign.is_closed,
    }
    with clocks_of(seat.campaign if seat else None):
        return render(request, template, {**shared, **context}, status=status)


def render_part(request: HttpRequest, template: str, campaign: Campaign, **context: object) -> HttpResponse:
    """Render a part of a page of this campaign, which a script puts in: without the header and its links."""
    with clocks_of(campaign):
        return render(request, template, context)


# Files that are made while they are sent, always to be kept and never shown.

BYTES = "application/octet-stream"


def download(pieces: Iterable[bytes], *, name: str, content_type: str = BYTES) -> StreamingHttpResponse:
    """Return the pieces as a file of this name."""
    response = StreamingHttpResponse(pieces, content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    return response

"""Render pages, with the person's seat in the campaign and the links for their roles."""

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
"""The HX-Trigger header that makes a waiting page reload (`static/js/web/anew.js`)."""


def render_page(
    request: HttpRequest, template: str, seat: Seat | None = None, *, status: int = 200, **context: object
) -> HttpResponse:
    """Render a page, with the header's links for this seat. ``seat`` is None outside any campaign.

    Times are shown in the campaign's time zone. ``is_closed`` tells the template that the campaign is frozen or
    released: the header says so, and pages leave out what would be refused.
    """
    shared = {
        "seat": seat,
        "navigation": navigation_of(request.path, seat) if seat else None,
        "is_closed": seat is not None and seat.campaign.is_closed,
    }
    with clocks_of(seat.campaign if seat else None):
        return render(request, template, {**shared, **context}, status=status)


def render_part(request: HttpRequest, template: str, campaign: Campaign, **context: object) -> HttpResponse:
    """Render a part of one of this campaign's pages, which a script inserts: without the header and its links."""
    with clocks_of(campaign):
        return render(request, template, {"campaign": campaign, **context})


# Files that are made while they are sent, always to be kept and never shown.

BYTES = "application/octet-stream"


def download(pieces: Iterable[bytes], *, name: str, content_type: str = BYTES) -> StreamingHttpResponse:
    """Return an answer that browsers store as a file of this name, with these pieces as its content."""
    response = StreamingHttpResponse(pieces, content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    return response

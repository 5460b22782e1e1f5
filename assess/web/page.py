"""How every page is rendered: the seat in its campaign, and the way to the other pages by role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import NoReverseMatch, reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext, gettext_noop

from assess.campaigns.dates import clocks_of
from assess.campaigns.models import Campaign
from assess.campaigns.queries import drafting_of
from assess.campaigns.seats import Seat, may_search

JOB_ENDED = "job-ended"
"""The header HX-Trigger of an answer to a page that looks again: the page comes anew (`static/js/web/anew.js`)."""

# (name of the address, label, who sees it), in the order of the work
NAVIGATION = (
    ("overview", gettext_noop("Overview"), "organiser"),
    ("topics", gettext_noop("Topics"), "organiser"),
    ("documents", gettext_noop("Documents"), "organiser"),
    ("runs", gettext_noop("Runs"), "organiser"),
    ("pool", gettext_noop("Pool"), "organiser"),
    ("people", gettext_noop("People"), "organiser"),
    ("progress", gettext_noop("Progress"), "organiser"),
    ("agreement", gettext_noop("Agreement"), "organiser"),
    ("scores", gettext_noop("Scores"), "organiser"),
    ("release", gettext_noop("Release"), "organiser"),
    ("work", gettext_noop("Work"), "judge"),
    ("topic-drafts", gettext_noop("My topics"), "maker"),
    ("adjudication", gettext_noop("Adjudication"), "adjudicator"),
    ("search", gettext_noop("Search"), "judge"),
    ("guidelines", gettext_noop("Guidelines"), "judge"),
    ("release", gettext_noop("Release"), "member"),
    ("runs", gettext_noop("My runs"), "participant"),
    ("score-report", gettext_noop("My scores"), "participant"),
    ("topics", gettext_noop("Topics"), "participant"),
)


@dataclass(frozen=True, slots=True)
class NavEntry:
    """One link of the header."""

    label: str
    url: str
    current: bool


def render_page(
    request: HttpRequest, template: str, seat: Seat | None = None, *, status: int = 200, **context: object
) -> HttpResponse:
    """Render a page, with the header's links for this seat. ``seat`` is None outside any campaign.

    Moments are shown in the campaign's time zone. ``is_closed``: the campaign is frozen or released. The header says
    so, and pages leave out what would be refused.
    """
    shared = {
        "seat": seat,
        "nav": list(_entries(request, seat)) if seat else [],
        "is_closed": seat is not None and seat.campaign.is_closed,
    }
    with clocks_of(seat.campaign if seat else None):
        return render(request, template, {**shared, **context}, status=status)


def render_part(request: HttpRequest, template: str, campaign: Campaign, **context: object) -> HttpResponse:
    """Render a part of a page of this campaign, which a script puts in: without the header and its links."""
    with clocks_of(campaign):
        return render(request, template, context)


def _entries(request: HttpRequest, seat: Seat) -> Iterator[NavEntry]:
    held = {
        "organiser": seat.is_organiser,
        "judge": seat.is_judge,
        "maker": seat.is_judge and drafting_of(seat.campaign) is not None,
        "adjudicator": seat.is_adjudicator,
        "participant": seat.is_participant,
        "member": True,
    }
    shown: set[str] = set()
    for name, label, who in NAVIGATION:
        url = _address(name, seat.campaign.slug)
        if name == "search" and not may_search(seat):
            continue
        if who == "member" and seat.campaign.state != Campaign.State.RELEASED:
            continue
        if held[who] and url and url not in shown:
            shown.add(url)
            yield NavEntry(gettext(label), url, request.path == url)


def _address(name: str, *args: str) -> str:
    """The address, or "" on a site that was put together without that page."""
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return ""


# Files that are made while they are sent, always to be kept and never shown.

BYTES = "application/octet-stream"


def download(pieces: Iterable[bytes], *, name: str, content_type: str = BYTES) -> StreamingHttpResponse:
    """Return the pieces as a file of this name."""
    response = StreamingHttpResponse(pieces, content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    return response

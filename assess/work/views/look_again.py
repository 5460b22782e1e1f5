"""The page on which assessors look again at their day, their latest answers, notes, questions and corrections."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from assess.campaigns.dates import zone_named
from assess.campaigns.models import JUDGES
from assess.campaigns.seats import access_seat
from assess.web.page import render_page
from assess.work.queries.look_again import (
    LookAgain,
    corrections_of,
    held_of,
    judged_assignments,
    latest_answers,
    may_see_corrections,
)
from assess.work.queries.own_day import own_day

SHOWN = (
    ("all", gettext_lazy("All")),
    ("later", gettext_lazy("For later")),
    ("notes", gettext_lazy("Notes")),
    ("questions", gettext_lazy("Questions")),
    ("corrected", gettext_lazy("Where you were corrected")),
)
PER_PAGE = 100
ZONE_COOKIE = "assay-zone"
"""Holds the time zone of the person's browser (`static/js/web/zone.js`), in which their day begins."""


@login_required
@require_GET
def look_again(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the person's latest answers over all their topics; ``show`` narrows them to one of `SHOWN`."""
    seat = access_seat(request.user, slug, *JUDGES)
    asked = request.GET.get("show", "all")
    shown = asked if asked in dict(SHOWN) else "all"
    judged = judged_assignments(seat.campaign, seat.user)
    zone = request.COOKIES.get(ZONE_COOKIE, "")
    is_told = may_see_corrections(seat.campaign)
    shows_corrections = shown == "corrected" and is_told
    found = [] if shown == "corrected" else latest_answers(seat.campaign, seat.user, judged)
    rows = [row for row in found if _belongs(row, shown)]
    return render_page(
        request,
        "assess/work/look_again.html",
        seat,
        shown=shown,
        zone=zone_named(zone) or seat.campaign.time_zone,
        choices=SHOWN,
        day=own_day(seat, held_of(judged), timezone.now(), zone),
        listing={"page": Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))},
        is_told=is_told,
        corrections=corrections_of(judged) if shows_corrections else None,
    )


def _belongs(row: LookAgain, shown: str) -> bool:
    is_shown = {"later": row.is_later, "notes": bool(row.note), "questions": row.question is not None}
    return is_shown.get(shown, True)

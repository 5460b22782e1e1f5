"""Notices of changes that assessors have to read. Every bench asks for them and reports that they were read."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from assess.assignments.domain.notices import acknowledge_notices
from assess.campaigns.models import JUDGES
from assess.campaigns.seats import access_seat
from assess.judging.views.bench_page import notice_values
from assess.web.page import render_part
from assess.web.requests import posted_number

TOLD_HEADER = "X-Told"
"""The header with the ledger point up to which the answer lists changes."""


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def notices(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the unread notices as a part of a page. When posted, record the point up to which the person has read."""
    seat = access_seat(request.user, slug, *JUDGES)
    if request.method == "POST":
        acknowledge_notices(actor=seat.user, campaign=seat.campaign, point=posted_number(request, "point"))
        return redirect("work", slug)
    values = notice_values(seat)
    answer = render_part(request, "assess/work/parts/notices.html", seat.campaign, seat=seat, **values)
    answer[TOLD_HEADER] = str(values["told"])
    return answer

"""What a page shows while the worker computes the scores that it needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from assess.campaigns.models import Role
from assess.campaigns.seats import access_seat
from assess.scores.at_hand import StillScoring
from assess.web.page import JOB_ENDED, render_page

PART = "scoring"
"""The id of what looks again by itself."""

Page = Callable[..., HttpResponseBase]


def waits_for_scores(page: Page) -> Page:
    """The page; while its scores are computed, how far that is in its place, with status 202.

    That looks again by itself, at the page's own address: once the scores are there, the page is asked to come anew.
    """

    @wraps(page)
    def shown(request: HttpRequest, slug: str, **given: object) -> HttpResponseBase:
        looks_again = request.headers.get("HX-Target") == PART
        try:
            answer = page(request, slug, **given)
        except StillScoring as waiting:
            seat = access_seat(request.user, slug, Role.ORGANISER, Role.PARTICIPANT)
            template = "assess/scores/parts/scoring.html" if looks_again else "assess/scores/scoring.html"
            status = 200 if looks_again else 202
            return render_page(request, template, seat, status=status, job=waiting.job)
        return HttpResponse(status=204, headers={"HX-Trigger": JOB_ENDED}) if looks_again else answer

    return shown

"""The page shown while the worker makes what a person asked for: its progress."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ClassVar

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext

from assess.base.errors import Conflict
from assess.campaigns.models import Role
from assess.campaigns.seats import Seat, access_seat
from assess.jobs.models import Job
from assess.web.page import JOB_ENDED, render_page

PART = "waiting"
"""The id of the part of the page that refreshes itself."""

Page = Callable[..., HttpResponseBase]


class StillMaking(Conflict):
    """The worker is making what was asked for, or could not make it: ``job`` says which.

    Each subclass names what is made: ``title`` of the page, ``doing`` and ``failed`` as headings of its part.
    ``again`` asks a caller of the API to repeat the call.
    """

    code = "still-making"
    title: ClassVar[str | Promise]
    doing: ClassVar[str | Promise]
    failed: ClassVar[str | Promise]
    again: ClassVar[str | Promise]

    def __init__(self, job: Job, again: str = "") -> None:
        self.job = job
        failed = gettext("%(failed)s: %(message)s Start job %(job)s again on the page of jobs.")
        values = {"failed": self.failed, "message": job.words, "job": job.pk}
        super().__init__(again or str(self.again) if job.is_busy else failed % values)


def looks_again(request: HttpRequest) -> bool:
    """Return whether the request comes from a waiting page that checks whether the result is there."""
    return request.headers.get("HX-Target") == PART


def render_waiting(request: HttpRequest, seat: Seat, waiting: StillMaking, address: str = "") -> HttpResponse:
    """Return the page with the worker's progress, with status 202, or its part for a page that checks again.

    It checks at ``address``, by default the page's own.
    """
    is_part = looks_again(request)
    return render_page(
        request,
        "assess/jobs/parts/waiting.html" if is_part else "assess/jobs/waiting.html",
        seat,
        status=200 if is_part else 202,
        waiting=waiting,
        job=waiting.job,
        address=address or request.get_full_path(),
    )


def waits_for_job(page: Page) -> Page:
    """Wrap a page so that it shows the progress while its content is being made.

    The progress refreshes itself at the page's own address; once the content is made, the page is told to reload. It is
    shown to organisers and participants; for others, `access_seat` raises `NotFound`.
    """

    @wraps(page)
    def shown(request: HttpRequest, slug: str, **given: object) -> HttpResponseBase:
        try:
            answer = page(request, slug, **given)
        except StillMaking as waiting:
            seat = access_seat(request.user, slug, Role.ORGANISER, Role.PARTICIPANT)
            return render_waiting(request, seat, waiting)
        return HttpResponse(status=204, headers={"HX-Trigger": JOB_ENDED}) if looks_again(request) else answer

    return shown

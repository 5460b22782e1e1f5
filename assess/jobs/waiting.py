"""The page that somebody sees who asked for what the worker makes: how far it is, in place of what they asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ClassVar

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.functional import Promise

from assess.base.errors import Conflict
from assess.campaigns.models import Role
from assess.campaigns.seats import Seat, access_seat
from assess.jobs.models import Job
from assess.web.page import JOB_ENDED, render_page

PART = "waiting"
"""The id of what looks again by itself."""

Page = Callable[..., HttpResponseBase]


class StillMaking(Conflict):
    """What was asked for is being made by the worker, or could not be made: ``job`` says which.

    A kind of it says what is made: ``title`` of the page, ``doing`` and ``failed`` as headings of its part, and
    ``message`` of a call that may come again.
    """

    code = "still-making"
    title: ClassVar[str | Promise]
    doing: ClassVar[str | Promise]
    failed: ClassVar[str | Promise]

    def __init__(self, job: Job, message: str) -> None:
        self.job = job
        if not job.is_busy:
            message = f"{self.failed}: {job.message} Start job {job.pk} again on the page of jobs."
        super().__init__(message)


def looks_again(request: HttpRequest) -> bool:
    """Return whether the request is that of a page that waits, which looks whether what it waits for is there."""
    return request.headers.get("HX-Target") == PART


def render_waiting(request: HttpRequest, seat: Seat, waiting: StillMaking, address: str = "") -> HttpResponse:
    """Return the page that shows how far the worker is, with status 202, or its part for a page that looks again.

    It looks again at ``address``, which is the page's own where none is given.
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
    """The page; while what it shows is made, how far that is in its place.

    That looks again by itself, at the page's own address: once it is made, the page is asked to come anew.
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

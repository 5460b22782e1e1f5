"""How an outage is answered: as page, fragment or problem, as was asked for, and when to come back.

Two ways lead here: `RefusedMiddleware` for what a view meets, and `handler500` (with `handler400`, since Django takes a
session that can't be stored for one that somebody ended) for what is met around the views, such as an upload that
finds no room. The API's views come by `assay_site.api.refuse`.
"""

from __future__ import annotations

import logging
import sys

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.defaults import bad_request, server_error

from assess.base.outages import Outage, outage_of
from assess.web.problems import TITLES, answer_problem, problem_of
from assess.web.requests import wants_json

logger = logging.getLogger(__name__)

CHUNK = 1 << 16


def answer_outage(request: HttpRequest, outage: Outage) -> HttpResponse:
    """Return the outage's sentence and status. Nothing of it asks the database, which may be what is missing."""
    logger.warning("%s %s: %s %s", request.method, request.path, outage.cause, outage.details)
    read_to_end(request)
    response: HttpResponse
    if wants_json(request) or request.path.startswith("/api/"):
        response = answer_problem(problem_of(outage))
    else:
        is_part = "HX-Request" in request.headers or "X-Fragment" in request.headers
        told = {"refused": outage, "title": TITLES[outage.status], "is_read": request.method in ("GET", "HEAD")}
        text = render_to_string("assess/parts/refused.html" if is_part else "outage.html", told)
        response = HttpResponse(text, status=outage.status)
    response["Retry-After"] = str(outage.retry_after)
    response["Cache-Control"] = "no-store"
    response._has_been_logged = True  # type: ignore[attr-defined]  # the line above says more than Django's would
    return response


def read_to_end(request: HttpRequest) -> None:
    """Read and discard the rest of a request, since a client that is cut off while it sends never sees the answer.

    What came in of a file is removed at once; it would stay on the full disk until Python collects its garbage.
    """
    for handler in request.upload_handlers:
        handler.upload_interrupted()
    try:
        while request.read(CHUNK):
            pass
    except OSError:  # they went away
        return


def answer_error(request: HttpRequest) -> HttpResponse:
    """Return the answer to whatever went wrong around the views: an outage, or a bug in Assay."""
    outage = outage_of(sys.exc_info()[1])
    return answer_outage(request, outage) if outage is not None else server_error(request)


def answer_bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the answer to what Django holds to be a bad request: an outage behind it, or that it was not
    understood.
    """
    outage = outage_of(exception)
    return answer_outage(request, outage) if outage is not None else bad_request(request, exception)

"""Answer an outage in the form that was asked for (page, fragment or problem), and say when to come back.

There are two ways here. `RefusedMiddleware` handles outages in a view. `handler500` handles those around the views,
such as an upload for which there is no space, and so does `handler400`, since Django takes a session that can't be
stored for one that was ended. The API's views use `assay_site.api.refuse`.
"""

from __future__ import annotations

import logging
import sys

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext
from django.views.defaults import bad_request, server_error

from assess.base.outages import DiskFull, Outage, outage_of
from assess.web.problems import answer_problem, problem_of
from assess.web.requests import wants_json

logger = logging.getLogger(__name__)

CHUNK = 1 << 16


def answer_outage(request: HttpRequest, outage: Outage) -> HttpResponse:
    """Return an answer with the outage's sentence and status. It is made without the database, which may be what can't
    be reached.
    """
    logger.warning("%s %s: %s %s", request.method, request.path, outage.logged, outage.details)
    read_to_end(request)
    response: HttpResponse
    if wants_json(request) or request.path.startswith("/api/"):
        response = answer_problem(problem_of(outage))
    else:
        is_part = "HX-Request" in request.headers or "X-Fragment" in request.headers
        is_full = outage.status == DiskFull.status
        title = gettext("The disk of the site is full") if is_full else gettext("The site can't answer now")
        told = {"refused": outage, "title": title, "is_read": request.method in ("GET", "HEAD")}
        text = render_to_string("assess/parts/refused.html" if is_part else "outage.html", told)
        response = HttpResponse(text, status=outage.status)
    response["Retry-After"] = str(outage.retry_after)
    response["Cache-Control"] = "no-store"
    response._has_been_logged = True  # type: ignore[attr-defined]  # the line above says more than Django's would
    return response


def read_to_end(request: HttpRequest) -> None:
    """Read and discard the rest of a request, since a client that is cut off while sending never sees the answer.

    The part of a file that has arrived is removed at once. Otherwise it would stay on the full disk until Python
    collects garbage.
    """
    for handler in request.upload_handlers:
        handler.upload_interrupted()
    try:
        while request.read(CHUNK):
            pass
    except OSError:  # the client went away
        return


def answer_error(request: HttpRequest) -> HttpResponse:
    """Return the answer to an exception that was raised outside of the views. It is an outage or a bug in Assay."""
    outage = outage_of(sys.exc_info()[1])
    return answer_outage(request, outage) if outage is not None else server_error(request)


def answer_bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the answer to a request that Django refuses as bad. If an outage was the cause, the answer names the
    outage. Otherwise it says that the request was not understood.
    """
    outage = outage_of(exception)
    return answer_outage(request, outage) if outage is not None else bad_request(request, exception)

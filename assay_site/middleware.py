"""The layers around every view: hosts kept apart, limits, a request id, and one place where a refusal is answered."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from urllib.parse import urlsplit

from csp.constants import HEADER
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.http.request import split_domain_port
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.shortcuts import render

from assay_site.outages import answer_outage
from assess.base.errors import Refused
from assess.base.outages import DiskFull, has_room, outage_of
from assess.base.process import REQUEST_ID, TOKEN
from assess.web.problems import PROBLEM_TYPE, answer_problem, problem, problem_of, problem_of_status
from assess.web.requests import wants_json

PRIVATE = "private, no-store"
"""What is judged, and who judges, stands on pages: neither a proxy nor a browser that others use keeps them."""


class PolicyMiddleware:
    """Says what browsers may load on a page and that nobody keeps it, where its view did not say so itself.

    The policy is django-csp's, of the settings alone: it is built anew only where these are others. Its own middleware
    builds it for each response, which took a twentieth of saving a judgment.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.policy: tuple[object, str] = (None, "")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Add the header."""
        response = self.get_response(request)
        asked, policy = self.policy
        if asked is not settings.CONTENT_SECURITY_POLICY:
            asked, policy = self.policy = settings.CONTENT_SECURITY_POLICY, build_policy()
        response.headers.setdefault(HEADER, policy)
        response.headers.setdefault("Cache-Control", PRIVATE)
        return response


class DocumentHostMiddleware:
    """Keeps documents and the site on hosts of their own, where a document origin is configured.

    The documents' host answers framed documents (`/d/…`) and nothing else, at any port; the site's never answers them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Refuse what does not belong to the host that was asked."""
        host = urlsplit(settings.ASSAY_DOCUMENT_ORIGIN).netloc
        if host and (_name(request.get_host()) == _name(host)) != request.path.startswith("/d/"):
            return HttpResponseNotFound("There is nothing at this address.", content_type="text/plain")
        return self.get_response(request)


def _name(host: str) -> str:
    """The name of a host, whatever its port, which a proxy may leave out, and to which cookies don't belong.

    "Documents.example.:8443" is the same as "documents.example".
    """
    return split_domain_port(host)[0]


class RequestLimitMiddleware:
    """Refuses, before anything of it is read, what no page or call of this site is: a body far beyond the limits,
    an address with a NUL in it (which PostgreSQL takes nowhere). Cookies with one are as none.

    Files go to the disk and are weighed by their forms, with kinder words; all else is read into memory.
    """

    BESIDE_FILES = 16 * 1024 * 1024
    SMALL = 256 * 1024
    """Bytes of forms with files that are taken however full the disk is: judgments are smaller by far."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass on what is within the limits."""
        if "\x00" in request.path:
            return HttpResponseNotFound("There is nothing at this address.", content_type="text/plain")
        for name in [name for name, value in request.COOKIES.items() if "\x00" in value]:
            del request.COOKIES[name]
        length = request.META.get("CONTENT_LENGTH") or "0"
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0
        if request.content_type == "multipart/form-data":
            most = settings.ASSAY_UPLOAD_MB * 1024 * 1024 + self.BESIDE_FILES
        if not length.isdecimal() or int(length) > most:
            message = f"What was sent is larger than the {most:,} bytes that are taken here. Compress or split it."
            return HttpResponse(message, status=413, content_type="text/plain; charset=utf-8")
        if request.content_type == "multipart/form-data" and int(length) > self.SMALL and not has_room(int(length)):
            return answer_outage(request, DiskFull())
        return self.get_response(request)


class SlashMiddleware(CommonMiddleware):
    """Django's own, which adds a last slash to an address by sending the caller on, but for calls that are to do
    something: who is sent on asks with GET, gets an answer, and nothing was done.
    """

    READING = ("GET", "HEAD", "OPTIONS")

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        """Return whether to send the caller on: those who read alone."""
        return request.method in self.READING and super().should_redirect_with_slash(request)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Say the whole address to others where it lacks its last slash."""
        is_none = response.status_code == 404 and request.method not in self.READING
        if not (is_none and super().should_redirect_with_slash(request)):
            return super().process_response(request, response)
        message = f"Nothing was done: this address ends with a slash. Send the same to {request.path}/"
        if request.path.startswith("/api/v1/"):
            return answer_problem(problem(status=404, code="no-last-slash", detail=message))
        return HttpResponseNotFound(message, content_type="text/plain; charset=utf-8")


class ProblemMiddleware:
    """Sees to it that the API refuses in one form whoever refuses: what stands around its views answers with pages and
    plain text, for an address that is none, a body that is too large, or a bug in Assay.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass on, and say again as a problem what came back as anything else."""
        response = self.get_response(request)
        is_told = response.status_code < 400 or response.headers.get("Content-Type") == PROBLEM_TYPE
        if is_told or not request.path.startswith("/api/v1/"):
            return response
        response.content = answer_problem(problem_of_status(response.status_code)).content
        response["Content-Type"], response["Content-Length"] = PROBLEM_TYPE, str(len(response.content))
        return response


class RequestIdMiddleware:
    """Gives every request an id, kept with what people do and sent back in the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer with the id in `X-Request-Id`."""
        request_id = secrets.token_hex(8)
        REQUEST_ID.set(request_id)
        TOKEN.set(None)
        response = self.get_response(request)
        response["X-Request-Id"] = request_id
        return response


class RefusedMiddleware:
    """Turns a `Refused` from any view into a page, a fragment or JSON with its sentence and status."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass on; refusals are handled in `process_exception`."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer a refusal in the form in which it was asked; anything else crashes loudly."""
        if (outage := outage_of(exception)) is not None:
            return answer_outage(request, outage)
        if not isinstance(exception, Refused):
            return None
        if wants_json(request):
            return answer_problem(problem_of(exception))
        template = "assess/parts/refused.html" if getattr(request, "htmx", False) else "assess/web/refused.html"
        return render(request, template, {"refused": exception}, status=exception.status)

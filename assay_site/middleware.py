"""The layers around every view: separate hosts, limits, a request id, and the one place that answers refusals."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from urllib.parse import urlsplit

from csp.constants import HEADER
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseNotFound, HttpResponseRedirect
from django.http.request import split_domain_port
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.shortcuts import render
from django.urls import Resolver404, resolve

from assay_site.outages import answer_outage
from assess.base.errors import Refused
from assess.base.outages import DiskFull, has_room, outage_of
from assess.base.process import REQUEST_ID, TOKEN
from assess.web.problems import PROBLEM_TYPE, answer_problem, problem, problem_of, problem_of_status
from assess.web.requests import wants_json

PRIVATE = "private, no-store"
"""Pages show what is judged and by whom, so no proxy may store them, nor a browser that others use."""


class PolicyMiddleware:
    """Adds the headers on what browsers may load and that nothing is cached, unless the view set them itself.

    The policy is django-csp's and depends only on the settings, so it is built again only when these change.
    django-csp's own middleware builds it for each response, which took a twentieth of the time of saving a judgment.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.policy: tuple[object, str] = (None, "")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Add the headers to the answer."""
        response = self.get_response(request)
        asked, policy = self.policy
        if asked is not settings.CONTENT_SECURITY_POLICY:
            asked, policy = self.policy = settings.CONTENT_SECURITY_POLICY, build_policy()
        response.headers.setdefault(HEADER, policy)
        response.headers.setdefault("Cache-Control", PRIVATE)
        return response


class DocumentHostMiddleware:
    """Keeps documents and the site on separate hosts, if a document origin is configured.

    The documents' host answers only framed documents (`/d/…`), at any port; the site's host never answers them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Refuse an address that does not belong to the requested host."""
        host = urlsplit(settings.ASSAY_DOCUMENT_ORIGIN).netloc
        if host and (_name(request.get_host()) == _name(host)) != request.path.startswith("/d/"):
            return HttpResponseNotFound("There is nothing at this address.", content_type="text/plain")
        return self.get_response(request)


def _name(host: str) -> str:
    """Return the name of a host without its port. Proxies may leave the port out, and cookies ignore it.

    "Documents.example.:8443" is the same as "documents.example".
    """
    return split_domain_port(host)[0]


class RequestLimitMiddleware:
    """Refuses a request before reading its body if the body is far too large or the address contains a NUL.

    PostgreSQL can't store a NUL. Cookies with a NUL are ignored. Files go to the disk, and their forms check the size
    with a friendlier message; everything else is read into memory.
    """

    BESIDE_FILES = 16 * 1024 * 1024
    SMALL = 256 * 1024
    """Bytes of a form with files that are accepted even on a full disk; judgments are far smaller."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass on a request that is within the limits."""
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
    """Django's middleware that redirects to add a missing last slash, but only for requests that read.

    A redirected request that writes would be repeated as GET and answered, although nothing was done.
    """

    READING = ("GET", "HEAD", "OPTIONS")

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        """Return whether to redirect the caller: only for requests that read."""
        return request.method in self.READING and super().should_redirect_with_slash(request)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """If a request that writes was sent to an address without its last slash, answer with the correct address."""
        is_none = response.status_code == 404 and request.method not in self.READING
        if not (is_none and super().should_redirect_with_slash(request)):
            return super().process_response(request, response)
        message = f"Nothing was done: this address ends with a slash. Send the same to {request.path}/"
        if request.path.startswith("/api/v1/"):
            return answer_problem(problem(status=404, code="no-last-slash", detail=message))
        return HttpResponseNotFound(message, content_type="text/plain; charset=utf-8")


class FormAddressMiddleware:
    """Sends browsers that read an address which only takes forms to the page above it, where the form is.

    The answer to a form may be a page at such an address, and whoever reloads it, or comes back to it by another form,
    asks for it anew. Programs are told that the address takes no such method.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer with the page's address where the view refuses to be read."""
        response = self.get_response(request)
        is_read = request.method in ("GET", "HEAD") and "text/html" in request.headers.get("Accept", "")
        if is_read and isinstance(response, HttpResponseNotAllowed):
            return HttpResponseRedirect(_page_above(request.path))
        return response


def _page_above(path: str) -> str:
    """Return the longest address above a path at which there is something."""
    while (path := path.rstrip("/").rpartition("/")[0] + "/") != "/":
        try:
            resolve(path)
        except Resolver404:
            continue
        return path
    return path


class ProblemMiddleware:
    """Gives all refusals of the API the same form, also those made around its views.

    Those would be pages or plain text: for an unknown address, a body that is too large, or a bug in Assay.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on, and turn an error of any other form into a problem."""
        response = self.get_response(request)
        is_told = response.status_code < 400 or response.headers.get("Content-Type") == PROBLEM_TYPE
        if is_told or not request.path.startswith("/api/v1/"):
            return response
        response.content = answer_problem(problem_of_status(response.status_code)).content
        response["Content-Type"], response["Content-Length"] = PROBLEM_TYPE, str(len(response.content))
        return response


class RequestIdMiddleware:
    """Gives every request an id, which is stored with what people do and returned in the answer."""

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
        """Pass the request on; `process_exception` handles refusals."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer a refusal or an outage in the form that the request asked for; any other exception crashes loudly."""
        if (outage := outage_of(exception)) is not None:
            return answer_outage(request, outage)
        if not isinstance(exception, Refused):
            return None
        if wants_json(request):
            return answer_problem(problem_of(exception))
        template = "assess/parts/refused.html" if getattr(request, "htmx", False) else "assess/web/refused.html"
        return render(request, template, {"refused": exception}, status=exception.status)

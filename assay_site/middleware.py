"""The layers around every view: hosts, limits, a request id, the language, and the one place that answers refusals."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseNotFound, HttpResponseRedirect
from django.http.request import split_domain_port
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.utils import translation
from django.utils.translation.trans_real import parse_accept_lang_header

from assay_site.outages import answer_outage
from assay_site.wrong_passwords import keep_device
from assess.base.errors import Refused
from assess.base.outages import DiskFull, has_room, outage_of
from assess.base.process import REQUEST_ID, TOKEN
from assess.people.queries import language_of
from assess.people.views.languages import keep_language
from assess.web.problems import PROBLEM_TYPE, answer_problem, problem, problem_of, problem_of_status
from assess.web.requests import wants_json

PRIVATE = "private, no-store"
"""Pages show what is judged and by whom, so no proxy may store them, nor a browser that others use."""


class AnswerMiddleware:
    """Gives each request an id, and sets the headers that all answers have.

    The id is in each line of the log, in the records of what people do, and in the answer. No answer may be cached,
    unless its view says otherwise. Errors of the API that occur outside of its views, such as an unknown address, a
    body that is too large, or a bug in Assay, would be answered by pages or plain text; they get the form that all
    refusals of the API have.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer with the id in `X-Request-Id`. An error of the API that has another form is turned into a problem."""
        request_id = secrets.token_hex(8)
        REQUEST_ID.set(request_id)
        TOKEN.set(None)
        response = self.get_response(request)
        is_told = response.status_code < 400 or response.headers.get("Content-Type") == PROBLEM_TYPE
        if not is_told and request.path.startswith("/api/v1/"):
            response.content = answer_problem(problem_of_status(response.status_code)).content
            response["Content-Type"], response["Content-Length"] = PROBLEM_TYPE, str(len(response.content))
        response.headers.setdefault("Cache-Control", PRIVATE)
        response["X-Request-Id"] = request_id
        return response


class AdmissionMiddleware:
    """Refuses a request before reading its body: to another host, with a NUL in the address, or far too large.

    If a document origin is configured, its host answers only framed documents (`/d/…`), at any port, and the site's
    host never answers them. A NUL is refused because PostgreSQL can't store one; cookies that contain one are ignored.
    A request with files may be larger than others: files go to the disk, and their forms check the size with a
    friendlier message. Everything else is read into memory.
    """

    BESIDE_FILES = 16 * 1024 * 1024
    SMALL = 256 * 1024
    """Bytes of a form with files that are accepted even on a full disk; judgments are far smaller."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on if it is within the limits, otherwise refuse it."""
        host = urlsplit(settings.ASSAY_DOCUMENT_ORIGIN).netloc
        is_elsewhere = host and (_name(request.get_host()) == _name(host)) != request.path.startswith("/d/")
        if is_elsewhere or "\x00" in request.path:
            return HttpResponseNotFound("There is nothing at this address.", content_type="text/plain")
        for name in [name for name, value in request.COOKIES.items() if "\x00" in value]:
            del request.COOKIES[name]
        length = request.META.get("CONTENT_LENGTH") or "0"
        has_files = request.content_type == "multipart/form-data"
        files = settings.ASSAY_UPLOAD_MB * 1024 * 1024 + self.BESIDE_FILES
        most = files if has_files else settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0
        if not length.isdecimal() or int(length) > most:
            message = f"What was sent is larger than the {most:,} bytes that are taken here. Compress or split it."
            return HttpResponse(message, status=413, content_type="text/plain; charset=utf-8")
        if has_files and int(length) > self.SMALL and not has_room(int(length)):
            return answer_outage(request, DiskFull())
        return self.get_response(request)


def _name(host: str) -> str:
    """Return the name of a host without its port, in lower case. The port is ignored because proxies may leave it out
    and cookies do not depend on it.

    "Documents.example.:8443" is the same as "documents.example".
    """
    return split_domain_port(host)[0]


ALWAYS_ENGLISH = ("/api/", "/d/", "/healthz", "/readyz", "/metrics", "/admin/")
"""Beginnings of addresses for programs, or with other people's texts. Code that makes files writes English itself."""


class LanguageMiddleware:
    """Answers in the language that a cookie chooses, or else in the first of the browser's languages that the site has.
    If the site has none of them, it answers in `ASSAY_LANGUAGE`. A script is answered in the language of its page, even
    if another one was chosen since (`static/js/web/asking.js`).

    Calls of the API, framed documents and the administration are always in English.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer in the language of the request. Other requests in the same thread are not affected."""
        with translation.override(language_for(request)):
            return self.get_response(request)


def language_for(request: HttpRequest) -> str:
    """Return the code of the language in which this request is to be answered."""
    if request.path.startswith(ALWAYS_ENGLISH):
        return settings.LANGUAGE_CODE
    there = dict(settings.LANGUAGES)
    for chosen in (request.headers.get("X-Page-Language"), request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME)):
        if chosen in there:
            return str(chosen)
    asked = parse_accept_lang_header(request.headers.get("Accept-Language", ""))
    found = (code.partition("-")[0] for code, weight in asked if weight)
    return next((code for code in found if code in there), settings.ASSAY_LANGUAGE)


class AddressMiddleware(CommonMiddleware):
    """Redirects to add a missing last slash, as Django's middleware does, but only for requests that read.

    If a request that writes were redirected, it would be repeated as GET and answered, although nothing was done. Some
    addresses only accept forms. A browser that reads such an address is sent to the page above it, where the form is:
    the answer to a form may be a page at this address, and whoever reloads the page reads the address. Other programs
    are told that the method is not allowed.
    """

    READING = ("GET", "HEAD", "OPTIONS")

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        """Return whether to redirect to the address with a last slash. Only requests that read are redirected."""
        return request.method in self.READING and super().should_redirect_with_slash(request)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Answer two kinds of requests here. A request that writes and lacks the last slash is told the correct
        address; a browser that reads an address for forms is redirected to the page above it.
        """
        is_read = request.method in ("GET", "HEAD") and "text/html" in request.headers.get("Accept", "")
        if is_read and isinstance(response, HttpResponseNotAllowed):
            return HttpResponseRedirect(_page_above(request.path))
        is_none = response.status_code == 404 and request.method not in self.READING
        if not (is_none and super().should_redirect_with_slash(request)):
            return super().process_response(request, response)
        message = f"Nothing was done: this address ends with a slash. Send the same to {request.path}/"
        if request.path.startswith("/api/v1/"):
            return answer_problem(problem(status=404, code="no-last-slash", detail=message))
        return HttpResponseNotFound(message, content_type="text/plain; charset=utf-8")


def _page_above(path: str) -> str:
    """Return the longest part of a path, from its beginning, that is itself the address of a page."""
    while (path := path.rstrip("/").rpartition("/")[0] + "/") != "/":
        try:
            resolve(path)
        except Resolver404:
            continue
        return path
    return path


class RefusedMiddleware:
    """Turns a `Refused` that any view raises into a page, a fragment or JSON, with the refusal's sentence and
    status.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on; `process_exception` handles refusals."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer a refusal or an outage in the form that the request asked for. Any other exception is a bug and is not
        handled.
        """
        if (outage := outage_of(exception)) is not None:
            return answer_outage(request, outage)
        if not isinstance(exception, Refused):
            return None
        if wants_json(request):
            return answer_problem(problem_of(exception))
        template = "assess/parts/refused.html" if getattr(request, "htmx", False) else "assess/web/refused.html"
        return render(request, template, {"refused": exception}, status=exception.status)


LOGGED_IN = "assay.logged-in"


class LoginMiddleware:
    """Sets cookies in a browser in which somebody has just logged in, by whatever way: the device, and their language
    if they chose one.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request. If somebody has just logged in with it, set the cookies."""
        response = self.get_response(request)
        if (user := request.META.get(LOGGED_IN)) is not None:
            keep_device(request, response, user.get_username())
            if language := language_of(user):
                keep_language(response, language)
        return response


@receiver(user_logged_in, dispatch_uid="their cookies")
def _note_login(request: HttpRequest | None, user: User, **_: object) -> None:
    """Tell `LoginMiddleware` that somebody has just logged in with this request, by whatever way."""
    if request is not None:
        request.META[LOGGED_IN] = user

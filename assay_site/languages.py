"""Choose the language of an answer: people's pages are in their own language, everything else is in English."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.translation.trans_real import parse_accept_lang_header

ALWAYS_ENGLISH = ("/api/", "/d/", "/healthz", "/readyz", "/metrics", "/admin/")
"""Beginnings of addresses for programs, or with other people's texts. Code that makes files writes English itself."""


class LanguageMiddleware:
    """Answers in the language that a cookie chooses, or else in the first of the browser's languages that the site has.
    If the site has none of them, it answers in `ASSAY_LANGUAGE`.

    Calls of the API, framed documents and the administration are always in English.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer in the language of the request. Other requests in the same thread are not affected."""
        with translation.override(language_for(request)):
            return self.get_response(request)


def language_for(request: HttpRequest) -> str:
    """Return the code of the language in which this request is answered."""
    if request.path.startswith(ALWAYS_ENGLISH):
        return settings.LANGUAGE_CODE
    there = dict(settings.LANGUAGES)
    if (chosen := request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")) in there:
        return chosen
    asked = parse_accept_lang_header(request.headers.get("Accept-Language", ""))
    found = (code.partition("-")[0] for code, weight in asked if weight)
    return next((code for code in found if code in there), settings.ASSAY_LANGUAGE)

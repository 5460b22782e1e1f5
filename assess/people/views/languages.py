"""The choice of the pages' language. It is stored with the account, and in a cookie that every page follows."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from assess.people.domain.accounts import choose_language, require_language
from assess.web.requests import person_of


@require_POST
def language(request: HttpRequest) -> HttpResponseBase:
    """Store the language, and return to the page on which it was chosen."""
    chosen = require_language(request.POST.get("language", ""))
    if request.user.is_authenticated:
        choose_language(actor=person_of(request), language=chosen)
    back = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    return keep_language(redirect(back if is_ours else "home"), chosen)


def keep_language(response: HttpResponseBase, language: str) -> HttpResponseBase:
    """Return the response with a cookie that makes the browser ask for pages in this language from now on."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )
    return response

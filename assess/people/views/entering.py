"""Log in a person whose identity is proven: at once, or after a second factor if they have one."""

from __future__ import annotations

from typing import Any

from allauth.account.utils import perform_login
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

FACTORS = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]


def enter(request: HttpRequest, person: User, *, to: str) -> HttpResponse:
    """Log a person in and redirect them. A person with a second factor is asked for it first."""
    if settings.ASSAY_SECOND_FACTOR and is_mfa_enabled(person, FACTORS):
        answer: HttpResponse = perform_login(request, person, email_verification="none", redirect_url=to)
        return answer
    login(request, person, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return redirect(to)


def ways_in() -> dict[str, Any]:
    """Return for a page what this site offers besides name and password: a link by mail, a provider, second factors,
    and the list of one's own sessions.
    """
    return {
        "by_mail": settings.ASSAY_PASSWORD_MAIL,
        "by_provider": bool(settings.ASSAY_OIDC),
        "second_factor": settings.ASSAY_SECOND_FACTOR,
        "sessions": settings.ASSAY_SESSIONS,
    }

"""Count wrong passwords by name and address, and separately for browsers in which that name logged in before.

Ten wrong passwords for a name from one address lock the name there for a quarter of an hour. People who share an
address could therefore lock each other out. So a browser in which somebody logged in keeps a signed cookie, and wrong
passwords for that name from it are counted for that browser alone. Guesses made elsewhere can't lock it out, and a
thief of the cookie gets no more guesses than others. The cookie by itself opens nothing.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_client_username
from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

COOKIE = "known-device"
SALT = "assay.known-device"
KEPT = timedelta(days=365)
NAMES = 5  # the most people who may share a browser


class DeviceHandler(AxesDatabaseHandler):
    """The request handler of axes, except that a known device counts as a user agent of its own, which nobody else can
    have.
    """

    def user_login_failed(
        self, sender: Any, credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: Any
    ) -> None:
        """Count the attempt. If the device is known, count it for the device."""
        if request is not None:
            request.axes_user_agent = _agent(request, credentials)  # type: ignore[attr-defined]
        super().user_login_failed(sender, credentials, request, **kwargs)

    def filter_user_attempts(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> list[Any]:
        """Return the attempts that count. If the device is known, these are only the attempts from that device."""
        request.axes_user_agent = _agent(request, credentials)  # type: ignore[attr-defined]
        found: list[Any] = super().filter_user_attempts(request, credentials)
        return found


def counted_by(request: HttpRequest, credentials: dict[str, Any] | None = None) -> list[list[str]]:
    """Return the fields by which attempts are counted: attempts with the same values count together
    (AXES_LOCKOUT_PARAMETERS).
    """
    name = get_client_username(request, credentials)
    return [["username", "user_agent" if device_of(request, name or "") else "ip_address"]]


def device_of(request: HttpRequest, username: str) -> str:
    """Return the device that a request comes from, if this name logged in there before. Return "" for any other
    device.
    """
    device, names = _read(request)
    return device if _digest(username) in names else ""


def keep_device(request: HttpRequest, response: HttpResponse, username: str) -> None:
    """Set the cookie of the known device in a browser in which this person has just logged in."""
    device, names = _read(request)
    kept = [_digest(username), *(name for name in names if name != _digest(username))][:NAMES]
    response.set_signed_cookie(
        COOKIE,
        ".".join([device or secrets.token_hex(16), *kept]),
        salt=SALT,
        max_age=KEPT,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _agent(request: HttpRequest, credentials: dict[str, Any] | None) -> str:
    """Return the user agent under which attempts are stored. For a known device it is made from the device, otherwise
    it is the browser's own.
    """
    device = device_of(request, get_client_username(request, credentials) or "")
    if device:
        return f"known device {hashlib.sha256(device.encode()).hexdigest()}"
    return str(request.META.get("HTTP_USER_AGENT", ""))[:200].removeprefix("known device")


def _read(request: HttpRequest) -> tuple[str, list[str]]:
    try:
        value = request.get_signed_cookie(COOKIE, "", salt=SALT, max_age=KEPT)
    except signing.BadSignature:
        value = ""
    device, *names = str(value).split(".")
    return device, names


def _digest(username: str) -> str:
    """Return a digest of the user name. The cookie holds the digest, so that it does not reveal who logged in."""
    return salted_hmac(SALT, username).hexdigest()[:32]

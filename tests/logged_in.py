"""Who is logged in by a test without a form, `Client.force_login`, has the session that Django would leave, in one row.

Django's way makes a session, another in its place, saves it again, notes the hour with the person, and has wrong
passwords forgotten: 3.7 milliseconds of a processor, thousands of times. Who has a session already is logged in so.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.test import Client

BACKEND = "django.contrib.auth.backends.ModelBackend"
by_django = Client.force_login


def log_in(client: Client, user: User, backend: str | None = None) -> None:
    """Give the client a session of the person."""
    if settings.SESSION_COOKIE_NAME in client.cookies:
        return by_django(client, user, backend)
    user.backend = backend or BACKEND  # type: ignore[attr-defined]
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = backend or BACKEND
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    lasts = {"max-age": None, "expires": None, "path": "/"}
    sent = {"domain": settings.SESSION_COOKIE_DOMAIN, "secure": settings.SESSION_COOKIE_SECURE or None}
    client.cookies[settings.SESSION_COOKIE_NAME].update(lasts | sent)
    return None


@pytest.fixture(scope="session", autouse=True)
def logged_in_by_one_row() -> Iterator[None]:
    """All tests log in so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "force_login", log_in)
        yield

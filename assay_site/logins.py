"""Identify the caller by an API token or a page's session, each found by one short statement."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed

from assess.base.plain_reads import columns_of, first_of, first_row, instances_of
from assess.base.process import TOKEN
from assess.people.domain.tokens import digest_of, record_use
from assess.people.models import ApiToken
from assess.web.scopes import HeldToken

PERSON_BY_TOKEN = f"""
SELECT {columns_of(User, "person")}, {columns_of(ApiToken, "token")}
FROM auth_user AS person JOIN assess_apitoken AS token ON token.user_id = person.id
WHERE token.sha256 = %s AND token.revoked_at IS NULL
"""
SESSION_BY_KEY = f'SELECT {columns_of(Session, "found")} FROM "django_session" AS found WHERE session_key = %s'


class TokenLogin(TokenAuthentication):
    """The framework's token login, which finds the token and the person by one short statement."""

    def authenticate_credentials(self, key: str) -> tuple[User, HeldToken]:
        """Return the person whose token this is, and what the token permits.

        Refuses an unknown, revoked or expired token, and a person who may not log in.
        """
        found = first_row(PERSON_BY_TOKEN, [digest_of(key)])
        if found is None:
            raise AuthenticationFailed("Invalid token.")
        person, token = instances_of(found, User, ApiToken)
        if not person.is_active:
            raise AuthenticationFailed("User inactive or deleted.")
        if token.expires_at is not None and token.expires_at <= timezone.now():
            raise AuthenticationFailed("This token has expired. Make another one on your profile.")
        TOKEN.set(token.pk)
        record_use(actor=person, token=token)
        return person, HeldToken(token.pk, frozenset(token.scope_list))


class SessionStore(db.SessionStore):
    """Django's sessions in the database, with each found by one short statement (`SESSION_ENGINE`)."""

    def load(self) -> dict[str, Any]:
        """Return the content of a session that is valid; Django's own method handles all others."""
        found = first_of(Session, SESSION_BY_KEY, [self.session_key])
        if found is None or found.expire_date <= timezone.now():
            return super().load()
        return self.decode(found.session_data)

"""Who calls: by the token of a call or the session of a page, each found by one short statement."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed

from assess.base.plain_reads import columns_of, first_of

PERSON_BY_KEY = f"""
SELECT {columns_of(User, "person")}
FROM auth_user AS person JOIN authtoken_token AS token ON token.user_id = person.id WHERE token.key = %s
"""
SESSION_BY_KEY = f'SELECT {columns_of(Session, "found")} FROM "django_session" AS found WHERE session_key = %s'


class TokenLogin(TokenAuthentication):
    """The framework's, which finds token and person by one short statement."""

    def authenticate_credentials(self, key: str) -> tuple[User, str]:
        """Return the person whose token this is. Refused: no such token, and a person who may not log in."""
        person = first_of(User, PERSON_BY_KEY, [key])
        if person is None:
            raise AuthenticationFailed("Invalid token.")
        if not person.is_active:
            raise AuthenticationFailed("User inactive or deleted.")
        return person, key


class SessionStore(db.SessionStore):
    """Django's sessions in the database, which finds a session by one short statement (`SESSION_ENGINE`)."""

    def load(self) -> dict[str, Any]:
        """Return what is stored of the session that lasts; Django's own way deals with any other."""
        found = first_of(Session, SESSION_BY_KEY, [self.session_key])
        if found is None or found.expire_date <= timezone.now():
            return super().load()
        return self.decode(found.session_data)

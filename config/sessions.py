"""Sessions in the database and who is logged in, as Django keeps them, found by one query whose SQL is made once.

Every click asks for both. A session says whose it is within its signed text alone, so no query can go from one to the
other. This process remembers whose each session was and reads that person along with it. Who is logged in is told by
what the session says now: where that is somebody else, the person is asked for as Django does.
"""

from __future__ import annotations

import zlib
from contextvars import ContextVar
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple, cast

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.middleware import AuthenticationMiddleware, get_user
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.core import signing
from django.db.models import QuerySet, Subquery
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from assess.base.prepared import PreparedQuery

REMEMBERED = 10_000
"""Of how many sessions a process remembers whose they were."""

_whose: dict[str, int] = {}
_AT_HAND: ContextVar[User | None] = ContextVar("person_at_hand", default=None)
"""The person who was read along with the session of the request, while Django asks who is logged in."""


def _with_person(*, key: str, person: int) -> QuerySet[User]:
    found = Session.objects.filter(session_key=key)
    return User.objects.filter(pk=person).annotate(
        session_data=Subquery(found.values("session_data")), session_end=Subquery(found.values("expire_date"))
    )


_BY_KEY = PreparedQuery(lambda *, key: Session.objects.filter(session_key=key), key=str)
_WITH_PERSON = PreparedQuery(_with_person, key=str, person=int)
_PERSON = PreparedQuery(lambda *, person: User.objects.filter(pk=person), person=int)


class _Found(NamedTuple):
    """What is stored of a session."""

    session_data: str
    expire_date: datetime


class SessionStore(db.SessionStore):
    """Django's, but for how a session is found, and that each text's signature is looked at once."""

    person: User | None = None
    """Who was read along with the session."""

    def load(self) -> dict[str, Any]:
        """What the session holds; whose it is, is remembered."""
        held: dict[str, Any] = super().load()
        if self.session_key and str(held.get(SESSION_KEY, "")).isdecimal():
            if len(_whose) >= REMEMBERED:
                _whose.clear()
            _whose[self.session_key] = int(held[SESSION_KEY])
        return held

    def decode(self, session_data: bytes | str) -> dict[str, Any]:
        """What a signed text holds, as Django reads it; {} where the signature is not the site's."""
        try:
            text = _signed(str(session_data), self.key_salt, settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
        except (signing.BadSignature, ValueError, zlib.error):  # which Django refuses in its own way
            return dict(super().decode(session_data))
        return dict(self.serializer().loads(text))

    def _get_session_from_db(self) -> _Found | None:
        """The session that has not ended; without one the key is forgotten, so that nobody can choose their own."""
        found = self._found() if self.session_key else None
        if found is not None and found.expire_date > timezone.now():
            return found
        self._session_key = None
        return None

    def _found(self) -> _Found | None:
        key = str(self.session_key)
        whose = _whose.get(key)
        self.person = _WITH_PERSON.first(key=key, person=whose) if whose is not None else None
        if self.person is None:
            session = _BY_KEY.first(key=key)
            return _Found(session.session_data, session.expire_date) if session is not None else None
        read: dict[str, Any] = self.person.__dict__
        text, end = read.pop("session_data"), read.pop("session_end")
        return _Found(text, end) if text is not None else None


@lru_cache(maxsize=1024)
def _signed(text: str, salt: str, *secrets: str) -> bytes:
    """What was signed, unpacked, where the signature is right. It depends on nothing else, not even on the time."""
    return bytes(signing.TimestampSigner(salt=salt).unsign_object(text, serializer=_AsItIs))


class _AsItIs:
    """Leaves bytes to be read anew each time: who reads them may change what they get."""

    def dumps(self, obj: bytes) -> bytes:
        return obj

    def loads(self, data: bytes) -> bytes:
        return data


class PersonMiddleware(AuthenticationMiddleware):
    """Django's, but for that the person may be at hand, who was read along with the session."""

    def process_request(self, request: HttpRequest) -> None:
        """Put who is logged in into the request, to be found when they are asked for."""
        super().process_request(request)
        request.user = cast(User, SimpleLazyObject(lambda: _person_of(request)))


def _person_of(request: HttpRequest) -> User | AnonymousUser:
    request.session.get(SESSION_KEY)  # now it is read
    before = _AT_HAND.set(getattr(request.session, "person", None))
    try:
        found: User | AnonymousUser = get_user(request)
    finally:
        _AT_HAND.reset(before)
    return found


class PasswordBackend(ModelBackend):
    """Django's, but for how the person of a session is found."""

    def get_user(self, user_id: int) -> User | None:
        """The person with this id; None where there is none (any more), or the account is closed."""
        at_hand = _AT_HAND.get()
        found = at_hand if at_hand is not None and at_hand.pk == user_id else _PERSON.first(person=user_id)
        return found if found is not None and self.user_can_authenticate(found) else None

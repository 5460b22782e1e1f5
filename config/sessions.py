"""Sessions in the database and who is logged in, as Django keeps them, found by queries whose SQL is made once.

Every click asks for both.
"""

from __future__ import annotations

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from assess.base.prepared import PreparedQuery

_BY_KEY = PreparedQuery(lambda *, key: Session.objects.filter(session_key=key), key=str)
_PERSON = PreparedQuery(lambda *, person: User.objects.filter(pk=person), person=int)


class SessionStore(db.SessionStore):
    """Django's, but for how a session is found."""

    def _get_session_from_db(self) -> Session | None:
        """The session that has not ended; without one the key is forgotten, so that nobody can choose their own."""
        found = _BY_KEY.first(key=self.session_key) if self.session_key else None
        if found is not None and found.expire_date > timezone.now():
            return found
        self._session_key = None
        return None


class PasswordBackend(ModelBackend):
    """Django's, but for how the person of a session is found."""

    def get_user(self, user_id: int) -> User | None:
        """The person with this id; None where there is none (any more), or the account is closed."""
        found = _PERSON.first(person=user_id)
        return found if found is not None and self.user_can_authenticate(found) else None

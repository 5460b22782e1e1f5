"""Sessions in the database, as Django keeps them, found by a query whose SQL is made once: every click asks for one."""

from __future__ import annotations

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from assess.base.prepared import PreparedQuery

_BY_KEY = PreparedQuery(lambda *, key: Session.objects.filter(session_key=key), key=str)


class SessionStore(db.SessionStore):
    """Django's, but for how a session is found."""

    def _get_session_from_db(self) -> Session | None:
        """The session that has not ended; without one the key is forgotten, so that nobody can choose their own."""
        found = _BY_KEY.first(key=self.session_key) if self.session_key else None
        if found is not None and found.expire_date > timezone.now():
            return found
        self._session_key = None
        return None

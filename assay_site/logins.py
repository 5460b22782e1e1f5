"""Identify the caller by an API token."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed

from assess.base.process import TOKEN
from assess.people.domain.tokens import digest_of, record_use
from assess.people.queries import token_of
from assess.web.scopes import HeldToken


class TokenLogin(TokenAuthentication):
    """The REST framework's login by token, but with Assay's own tokens."""

    def authenticate_credentials(self, key: str) -> tuple[User, HeldToken]:
        """Return the person whose token this is, and what the token permits. Records that the token was used.

        Raises AuthenticationFailed for an unknown, revoked or expired token, and for a person who may not log in.
        """
        token = token_of(digest_of(key))
        if token is None:
            raise AuthenticationFailed("Invalid token.")
        if not token.user.is_active:
            raise AuthenticationFailed("User inactive or deleted.")
        if token.expires_at is not None and token.expires_at <= timezone.now():
            raise AuthenticationFailed("This token has expired. Make another one on your profile.")
        TOKEN.set(token.pk)
        record_use(actor=token.user, token=token)
        return token.user, HeldToken(token.pk, frozenset(token.scope_list))

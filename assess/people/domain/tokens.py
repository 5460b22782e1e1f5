"""Tokens with which programs log in: making, using and revoking them. A token is shown once; only its digest is
stored.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from datetime import timedelta
from hashlib import sha256

from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.base.numbers import grouped
from assess.base.outages import outage_of
from assess.campaigns.activity import record_activity
from assess.people.models import ApiToken
from assess.people.queries import tokens_of
from assess.web.scopes import SCOPES, HeldToken

PREFIX = "assay_"
"""The beginning of every token, by which programs that search files for secrets recognise it."""
NAME_LIMIT = 100
DAYS_LIMIT = 3660
TOKENS_LIMIT = 50
"""The most tokens of one account that work at the same time."""
USED_EVERY = timedelta(hours=1)
"""How often the use of a token is recorded, so that not every call is a write."""


def create_token(
    *, actor: User, name: str, scopes: Collection[str], days: int | None = None, by: HeldToken | None = None
) -> tuple[ApiToken, str]:
    """Make a token for the actor with these scopes, for ``days`` days (None: until it is revoked).

    Return it with the text that programs send, which is not stored. Refused: a call made ``by`` a token, an empty or
    overlong name, no scope or an unknown one, days out of bounds, more tokens than an account may have, and a closed
    account.
    """
    if by is not None:
        raise NotAllowed(gettext("A token can't make another one. Log in, and make it on your profile."))
    if not actor.is_active:
        raise Conflict(gettext("The account %(user)s is closed, so no token would work.") % {"user": actor})
    name = " ".join(name.split())
    if not name or len(name) > NAME_LIMIT or not name.isprintable():
        raise Invalid(
            gettext("Give the token a name of at most %(value)s characters that can be shown.") % {"value": NAME_LIMIT},
            field="name",
        )
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown or not scopes:
        said = (
            gettext("“%(unknown)s” is no scope.") % {"unknown": unknown[0][:40]}
            if unknown
            else gettext("A token needs at least one scope.")
        )
        raise Invalid(
            gettext("%(said)s Scopes: %(value)s.") % {"said": said, "value": ", ".join(SCOPES)}, field="scopes"
        )
    if days is not None and not 1 <= days <= DAYS_LIMIT:
        raise Invalid(
            gettext("A token lasts from 1 to %(value)s days, or without an end.") % {"value": grouped(DAYS_LIMIT)},
            field="days",
        )
    text = PREFIX + secrets.token_hex(20)
    now = timezone.now()
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=actor.pk)
        if tokens_of(actor).filter(Q(expires_at=None) | Q(expires_at__gt=now)).count() >= TOKENS_LIMIT:
            raise Conflict(
                gettext("You have %(value)s tokens. Revoke one that you need no more.") % {"value": TOKENS_LIMIT}
            )
        token = ApiToken.objects.create(
            user=actor,
            name=name,
            sha256=digest_of(text),
            scopes=" ".join(scope for scope in SCOPES if scope in scopes),
            expires_at=now + timedelta(days=days) if days is not None else None,
        )
        data = {"scopes": token.scope_list, "days": days}  # and no name: it may tell whose it is, and a ledger keeps it
        record_activity(actor=actor, action="token.create", about=token, data=data)
    return token, text


def revoke_token(*, actor: User, token: ApiToken, by: HeldToken | None = None) -> None:
    """Revoke a token. Revoking it again changes nothing. Refused if the call was made ``by`` another token."""
    if by is not None and by.pk != token.pk:
        raise NotAllowed(gettext("A token can revoke itself alone. Log in, and revoke others on your profile."))
    with transaction.atomic():
        if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
            record_activity(actor=actor, action="token.revoke", about=token)


def revoke_all_tokens(*, actor: User, user: User | None = None) -> None:
    """Revoke all tokens of an account, by default the actor's own, in the caller's transaction."""
    for token in tokens_of(user or actor):
        revoke_token(actor=actor, token=token)


def record_use(*, actor: User, token: ApiToken) -> None:
    """Record that a token was used, at most once in `USED_EVERY`.

    A database that accepts no writes at the moment does not stop the call.
    """
    now = timezone.now()
    if token.last_used_at is not None and token.last_used_at > now - USED_EVERY:
        return
    try:
        with transaction.atomic():
            if ApiToken.objects.filter(pk=token.pk, last_used_at=token.last_used_at).update(last_used_at=now):
                record_activity(actor=actor, action="token.use", about=token)
    except DatabaseError as error:
        if outage_of(error) is None:
            raise


def digest_of(text: str) -> str:
    """Return the digest by which a token is found. A quick digest is enough, since nobody can guess 160 random bits."""
    return sha256(text.encode()).hexdigest()

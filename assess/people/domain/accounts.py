"""Accounts: signing up with an invitation, changing one's own password, choosing the language of the pages, and the
record of logins.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from allauth.usersessions.models import UserSession
from axes.models import AccessFailureLog, AccessLog
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid
from assess.campaigns.activity import record_activity
from assess.campaigns.models import Membership
from assess.people.domain.invitations import accept_invitation, find_invitation
from assess.people.domain.names import TAKEN, require_own_name
from assess.people.domain.tokens import revoke_all_tokens
from assess.people.models import PersonLanguage


def sign_up(*, token: str, username: str, password: str) -> tuple[User, Membership]:
    """Make an account for the holder of an open invitation, and accept the invitation. Nobody signs up without one.

    Refused: what `accept_invitation` refuses; a name that is taken, malformed or similar to another; and a weak
    password.
    """
    find_invitation(token)
    user = User(username=username.strip())
    try:
        user.clean_fields(exclude=["password"])
        require_own_name(user.username)
        validate_password(password, user)
    except ValidationError as error:
        raise Invalid(" ".join(error.messages)) from error
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save()
            return user, accept_invitation(actor=user, token=token)
    except ValidationError as error:
        raise Conflict(" ".join(error.messages)) from error
    except IntegrityError as error:
        raise Conflict(TAKEN) from error


def closed_account(username: str, *, first_name: str = "") -> User | None:
    """Return the account with this name to which nobody can log in; make it if there is none. Return None if the name
    is that of an account that somebody can log in to.
    """
    made = {"is_active": False, "first_name": first_name, "password": make_password(None)}
    account, _ = User.objects.get_or_create(username=username, defaults=made)
    return None if account.is_active or account.has_usable_password() else account


def finish_reset(*, actor: User) -> None:
    """Record that the actor set a new password through a link sent by mail. Their API tokens are revoked."""
    with transaction.atomic():
        record_activity(actor=actor, action="password.reset")
        revoke_all_tokens(actor=actor)


def set_first_password(*, actor: User, password: str) -> None:
    """Give the actor, who logs in by a provider, a password. Refused: a weak one, and an account that has one."""
    if actor.has_usable_password():
        raise Conflict(gettext("You have a password. Change it with the old one."))
    try:
        validate_password(password, actor)
    except ValidationError as error:
        raise Invalid(" ".join(error.messages), field="password") from error
    change_password(actor=actor, password=password)


def change_password(*, actor: User, password: str, revoke_tokens: bool = False) -> None:
    """Give the actor a new password. With ``revoke_tokens``, their API tokens are revoked as well."""
    with transaction.atomic():
        actor.set_password(password)
        actor.save(update_fields=["password"])
        record_activity(actor=actor, action="password.change")
        if revoke_tokens:
            revoke_all_tokens(actor=actor)


def require_language(language: str) -> str:
    """Return the language's code if there are pages in it. Refuse any other."""
    if language not in dict(settings.LANGUAGES):
        named = ", ".join(dict(settings.LANGUAGES))
        raise Invalid(
            gettext("There are no pages in “%(language)s”. Languages: %(named)s.")
            % {"language": language[:20], "named": named},
            field="language",
        )
    return language


def choose_language(*, actor: User, language: str) -> None:
    """Store the language in which the actor reads the pages, for every login. An unknown language is refused."""
    PersonLanguage.objects.update_or_create(user=actor, defaults={"language": require_language(language)})


def forget_ended_sessions() -> None:
    """Delete the sessions that expired, and what is known of where they began. Logins stay in the activity."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()


def forget_old_logins() -> None:
    """Delete the lists of logins with addresses and browsers beyond ASSAY_LOGINS_DAYS, which none of Assay's pages
    reads. The activity still says who logged in when.
    """
    if settings.ASSAY_LOGINS_DAYS:
        long_ago = timezone.now() - timedelta(days=settings.ASSAY_LOGINS_DAYS)
        for logins in (AccessLog, AccessFailureLog):
            logins.objects.filter(attempt_time__lt=long_ago).delete()


def register_log_ins() -> None:
    """Make Django's login signal record every login."""
    user_logged_in.connect(_record, sender=User, dispatch_uid="logins")


def _record(request: HttpRequest, user: User, **_: Any) -> None:
    with transaction.atomic():
        record_activity(actor=user, action="login")
    if settings.ASSAY_SESSIONS:
        UserSession.objects.create_from_request(request, user=user)

"""Accounts: signing up by an invitation, and the token by which programs log in."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from rest_framework.authtoken.models import Token

from assess.base.errors import Conflict, Invalid
from assess.campaigns.activity import record_activity
from assess.campaigns.models import Membership
from assess.people.domain.invitations import accept_invitation, find_invitation
from assess.people.domain.names import TAKEN, require_own_name


def sign_up(*, token: str, username: str, password: str) -> tuple[User, Membership]:
    """Make an account for whoever holds an open invitation, and accept it. Nobody signs up without one.

    Refused: a used or expired invitation, a name that is taken, malformed or looks like another's, a weak password.
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


def change_password(*, actor: User, password: str, revoke_token: bool = False) -> None:
    """Give the actor a new password; with ``revoke_token`` their API token is void from then on as well."""
    with transaction.atomic():
        actor.set_password(password)
        actor.save(update_fields=["password"])
        record_activity(actor=actor, action="password.change")
        if revoke_token:
            _revoke(actor)


def create_token(*, actor: User) -> str:
    """Make the actor's API token and return it. A token that they had before stops working."""
    with transaction.atomic():
        Token.objects.filter(user=actor).delete()
        token = Token.objects.create(user=actor)
        record_activity(actor=actor, action="token.create")
    return str(token.key)


def revoke_token(*, actor: User) -> None:
    """Make the actor's API token void. Revoking none changes nothing."""
    with transaction.atomic():
        _revoke(actor)


def _revoke(actor: User) -> None:
    deleted, _ = Token.objects.filter(user=actor).delete()
    if deleted:
        record_activity(actor=actor, action="token.revoke")

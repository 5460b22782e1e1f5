"""Accounts: signing up by an invitation, and the token by which programs log in."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from rest_framework.authtoken.models import Token

from assess.domain.activity import record_activity
from assess.domain.errors import Conflict, Invalid
from assess.domain.people.invitations import accept_invitation, find_invitation
from assess.models import Membership


def sign_up(*, token: str, username: str, password: str) -> tuple[User, Membership]:
    """Make an account for whoever holds an open invitation, and accept it. Nobody signs up without one.

    Refused: a used or expired invitation, a name that is taken or malformed, a weak password.
    """
    find_invitation(token)
    user = User(username=username.strip())
    try:
        user.clean_fields(exclude=["password"])
        validate_password(password, user)
    except ValidationError as error:
        raise Invalid(" ".join(error.messages)) from error
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save()
            return user, accept_invitation(actor=user, token=token)
    except IntegrityError as error:
        raise Conflict("This name is taken. Choose another, or log in if the account is yours.") from error


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
        deleted, _ = Token.objects.filter(user=actor).delete()
        if deleted:
            record_activity(actor=actor, action="token.revoke")

"""Names of new accounts: none looks like another's, however the account is made.

The checks hang on the saving of accounts, since pages, commands and the admin site make them each by itself. They ask
of accounts that can log in alone: judges of published files have names that nobody types.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.validators import ASCIIUsernameValidator
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models.signals import post_save, pre_save

from assess.base.look_alikes import looks
from assess.people.models import AccountName

TAKEN = "This name is taken. Choose another, or log in if the account is yours."
ALIKE = "This name looks like one that is taken. Choose another, or log in if the account is yours."
LETTERS = "A name is made of the letters a to z, digits and @ . + - _ only."


def require_own_name(username: str) -> None:
    """ValidationError for a name of other letters than plain ones, one that is taken, or one that looks like another's.

    Two queries.
    """
    ASCIIUsernameValidator(message=LETTERS)(username)
    if User.objects.filter(username=username).exists():
        raise ValidationError(TAKEN, code="taken")
    if AccountName.objects.filter(looks_like=looks(username)).exists():
        raise ValidationError(ALIKE, code="look-alike")


def register_names() -> None:
    """Have every new account that can log in checked, and its look kept."""
    pre_save.connect(_check, sender=User, dispatch_uid="account names")
    post_save.connect(_keep, sender=User, dispatch_uid="account names")


def _check(instance: User, raw: bool = False, **_: Any) -> None:
    if instance._state.adding and instance.is_active and not raw:
        require_own_name(instance.username)


def _keep(instance: User, created: bool, raw: bool = False, **_: Any) -> None:
    if not (created and instance.is_active) or raw:
        return
    try:
        with transaction.atomic():
            AccountName.objects.create(user=instance, looks_like=looks(instance.username))
    except IntegrityError as error:  # somebody else took it a moment ago
        raise ValidationError(ALIKE, code="look-alike") from error

"""Names of new accounts: no name looks like another, however the account is made.

The checks are attached to saving accounts, since pages, commands and the admin site each make them. They concern only
accounts that can log in: the judges of published files have names that nobody types.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.validators import ASCIIUsernameValidator
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models.signals import post_save, pre_save
from django.utils.translation import gettext_lazy

from assess.people.models import AccountName

# The look of user names, so that `ORGANISER`, `0rganiser` and `organiser` are recognised as alike.
# New names have only ASCII letters, digits and `@ . + - _`, so only case and a few shapes can be confused. Other
# scripts are not allowed in new names: whole names of Cyrillic letters look like Latin ones, and no table of such pairs
# is complete. Older names may have any characters, which are folded as Unicode defines.

LENGTH = 300
_SHAPES = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l"})
_UNSEEN = frozenset({"Cf", "Cc", "Mn", "Me"})  # zero-width characters, controls, accents


def looks(name: str) -> str:
    r"""Return what the name looks like: the same for two names that are easily confused.

    >>> {looks(name) for name in ("organiser", "ORGANISER", "0rganlser", "ｏｒｇａｎｉｓｅｒ", "orga\u200bniser")}
    {'organlser'}
    >>> looks("barn") == looks("bam"), looks("anna.b") == looks("anna-b")
    (True, False)
    """
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    seen = "".join(letter for letter in folded if unicodedata.category(letter) not in _UNSEEN)
    return seen.translate(_SHAPES).replace("rn", "m").replace("vv", "w")[:LENGTH]


# Refusing names that are taken or look like one that is.

TAKEN = gettext_lazy("This name is taken. Choose another, or log in if the account is yours.")
ALIKE = gettext_lazy("This name looks like one that is taken. Choose another, or log in if the account is yours.")
RESERVED = frozenset({"root", "system", "nobody", "anonymous", "assay", "support", "none", "null", "undefined"})
"""Names that mean the machine, the site or nobody."""
OTHERS = gettext_lazy("This name stands for the machine or the site itself, or for nobody. Choose another.")
BEGINNING = gettext_lazy("A name begins with a letter or a digit.")
LETTERS = gettext_lazy("A name is made of the letters a to z, digits and @ . + - _ only.")


def require_own_name(username: str, user: User | None = None, *, is_any: bool = False) -> None:
    """Raise ValidationError for a name that has other characters than a to z, digits and @ . + - _, does not begin with
    a letter or a digit, is taken, looks like another, or is reserved.

    ``is_any`` allows reserved names. The current name of ``user``, who gets this one, does not count. Two queries.
    """
    own = user.pk if user is not None else 0
    ASCIIUsernameValidator(message=LETTERS)(username)
    if not username[:1].isalnum():
        raise ValidationError(BEGINNING, code="invalid")
    if not is_any and username.lower() in RESERVED:
        raise ValidationError(OTHERS, code="reserved")
    if User.objects.filter(username=username).exclude(pk=own).exists():
        raise ValidationError(TAKEN, code="taken")
    if AccountName.objects.filter(looks_like=looks(username)).exclude(user_id=own).exists():
        raise ValidationError(ALIKE, code="look-alike")


def register_names() -> None:
    """Check the name of every new account that can log in, and store what it looks like."""
    pre_save.connect(_check, sender=User, dispatch_uid="account names")
    post_save.connect(_keep, sender=User, dispatch_uid="account names")


def _check(instance: User, raw: bool = False, **_: Any) -> None:
    if instance._state.adding and instance.is_active and not raw:
        require_own_name(instance.username, is_any=instance.is_superuser)


def _keep(instance: User, created: bool, raw: bool = False, **_: Any) -> None:
    if created and instance.is_active and not raw:
        keep_name(instance)


def keep_name(user: User) -> None:
    """Store what the name of the account looks like now.

    Raise ValidationError if, a moment ago, another account took a name that looks the same.
    """
    try:
        with transaction.atomic():
            AccountName.objects.update_or_create(user=user, defaults={"looks_like": looks(user.username)})
    except IntegrityError as error:  # somebody else took it a moment ago
        raise ValidationError(ALIKE, code="look-alike") from error

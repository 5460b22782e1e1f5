"""Names of accounts as they look, so that no two people's look the same."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from assess.models.fields import CharField


class AccountName(models.Model):
    """How the name of an account that can log in looks: `assess.look_alikes.looks` of it. One account a look.

    Accounts that looked like another one before this was kept have no row; they go on as they were.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    looks_like = CharField(max_length=300, unique=True)

    def __str__(self) -> str:
        return self.looks_like

"""Invitations, links for new passwords, API tokens, what names of accounts look like, and what is soon forgotten."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from assess.base.fields import CharField, TextField
from assess.campaigns.models import Campaign, Role


class AccountName(models.Model):
    """What the name of an account that can log in looks like (`assess.people.domain.names.looks`). No two look alike.

    Accounts that looked like another one before this table existed have no row, and stay as they are.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    looks_like = CharField(max_length=300, unique=True)

    def __str__(self) -> str:
        return self.looks_like


class Invitation(models.Model):
    """A link that makes the person who opens it a member. Only the token's digest is stored; it works once."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="invitations")
    role = CharField(max_length=12, choices=Role)
    team = CharField(max_length=50, blank=True)
    note = CharField(max_length=200, blank=True)
    token_sha256 = CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    accepted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.role} of {self.campaign}"


class PasswordLink(models.Model):
    """A link with which a member sets a new password. Only the token's digest is stored; it works once."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="+")
    token_sha256 = CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"link for {self.user}"


class PersonLanguage(models.Model):
    """The language in which a person chose to read the pages: a code of `settings.LANGUAGES`."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    language = CharField(max_length=10)

    def __str__(self) -> str:
        return f"{self.user}: {self.language}"


class ApiToken(models.Model):
    """A token with which programs log in as a person. Only its digest is stored, and the row stays after it is revoked.

    ``scopes`` are keys of `assess.web.scopes.SCOPES`, separated by spaces. ``last_used_at`` may be an hour behind.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = CharField(max_length=100)
    sha256 = CharField(max_length=64, unique=True)
    scopes = CharField(max_length=100)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name

    @property
    def scope_list(self) -> list[str]:
        """The scopes as a list."""
        return self.scopes.split()


class Remembered(models.Model):
    """The table of Django's cache, which all processes and machines of a site share: which codes of an authenticator
    were used, and how often somebody tried. Its rows soon mean nothing, so no move takes them along.
    """

    cache_key = CharField(max_length=255, primary_key=True)
    value = TextField()
    expires = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.cache_key

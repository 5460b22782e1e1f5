"""Addresses that are told of what happens in a campaign, and the calls that were made to them."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from assess.base.fields import CharField, JSONField
from assess.campaigns.models import Campaign


class Webhook(models.Model):
    """An address that is told of some events. ``told`` is the ledger point up to which calls were made of them.

    ``events`` are keys of `assess.webhooks.queries.EVENTS` with blanks between. ``secret`` signs each call, so it is
    kept as it is.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="webhooks")
    url = CharField(max_length=500)
    events = CharField(max_length=200)
    secret = CharField(max_length=64)
    told = models.BigIntegerField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.url

    @property
    def event_list(self) -> list[str]:
        """The events, each by itself."""
        return self.events.split()


class WebhookCall(models.Model):
    """One event that an address is told: sent at ``next_try``, which is null once it was answered or given up.

    ``status`` is that of the last answer, null where none came; ``answer`` is how it began, or why none came.
    """

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="calls")
    event = CharField(max_length=30)
    body = JSONField()
    tries = models.PositiveSmallIntegerField(default=0)
    next_try = models.DateTimeField(null=True, db_index=True)
    status = models.PositiveSmallIntegerField(null=True)
    answer = CharField(max_length=200, blank=True)
    answered_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook}"

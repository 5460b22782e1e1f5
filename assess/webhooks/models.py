"""Addresses to which events of a campaign are reported, and the calls that were made to them."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from assess.base.fields import CharField, JSONField
from assess.campaigns.models import Campaign


class Webhook(models.Model):
    """An address to which some events are reported. ``told`` is the ledger point up to which calls were made.

    ``events`` are keys of `assess.webhooks.queries.EVENTS`, separated by spaces. ``secret`` signs each call, so it is
    stored in plain text.
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
        """The events as a list."""
        return self.events.split()


class WebhookCall(models.Model):
    """One event for an address, to be sent at ``next_try``, which is null when it was answered or given up.

    ``status`` is that of the last answer, or null if there was none. ``answer`` is the beginning of the answer, or the
    reason why there is none.
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

    @property
    def state(self) -> str:
        """What came of the call: ``waiting``, ``accepted``, or ``failed`` when it was given up."""
        if self.next_try is not None:
            return "waiting"
        return "accepted" if self.status is not None and 200 <= self.status < 300 else "failed"

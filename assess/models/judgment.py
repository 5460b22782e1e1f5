"""The two ledgers of this app: judgments, and everything else that people did."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from assess.models.assignment import Assignment
from assess.models.campaign import Campaign, Guideline
from assess.models.fields import CharField, JSONField, TextField
from assess.models.item import Item
from assess.models.ledger import How, LedgerRow


class DraftSeen(models.TextChoices):
    """When a machine's judgment was shown."""

    OPEN = "open", "shown before"
    AFTER = "after", "shown after an own judgment"


class Judgment(LedgerRow):
    """One assessor's value of one criterion for one item. The newest row counts; a NULL value withdraws.

    ``draft`` says whether a machine's judgment of the item was on the screen: "open" before this one was given,
    "after" when it was changed after an own one; NULL where none was shown.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="judgments")
    criterion = CharField(max_length=50)
    value = models.SmallIntegerField(null=True)
    note = TextField(blank=True)
    evidence = JSONField(null=True)
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="judgments")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="judgments")
    guideline = models.ForeignKey(Guideline, on_delete=models.PROTECT, related_name="+", null=True)
    client_key = models.UUIDField(unique=True)
    how = CharField(max_length=6, choices=How)
    seconds = models.FloatField(null=True)
    draft = CharField(max_length=6, choices=DraftSeen, null=True, blank=True)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["item", "criterion", "assessor", "id"], name="current_judgment")]

    def __str__(self) -> str:
        return f"{self.criterion} {self.value}"


class Activity(LedgerRow):
    """A registered action: who did what to which object, with the request it came in."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="activities", null=True)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    action = CharField(max_length=50)
    object_type = CharField(max_length=50, blank=True)
    object_id = CharField(max_length=100, blank=True)
    data = JSONField(default=dict, blank=True)
    request_id = CharField(max_length=32, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["campaign", "action", "id"], name="activity_of_a_kind")]

    def __str__(self) -> str:
        return self.action

"""The ledger of judgments: the grades that assessors gave to items."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from assess.assignments.models import Assignment
from assess.base.fields import CharField, JSONField, TextField
from assess.campaigns.models import Guideline
from assess.items.models import Item
from assess.ledger.models import How, LedgerRow


class DraftSeen(models.TextChoices):
    """When an assessor saw a machine's judgment: before they judged, or after a judgment of their own."""

    OPEN = "open", gettext_lazy("shown before")
    AFTER = "after", gettext_lazy("shown after an own judgment")


class Judgment(LedgerRow):
    """One assessor's value of one criterion for one item. The newest row counts; a NULL value withdraws.

    ``draft`` says when the assessor saw a machine's judgment of the item: "open" if before this judgment, "after" if
    this judgment changes an earlier one of their own, and NULL if none was shown. ``given`` is an answer without a
    grade, as `assess.protocol.given` reads it: "can't tell", a text, a number or several values; it is neither scored
    nor compared. It is NULL for a grade. ``grade_order`` holds the values of the grades in the order shown, if the
    stage shuffles them. ``design_version`` is the version of the campaign's own design under which an imported judgment
    was made, if its file says so. NULL means the version in force when the row was written
    (`assess.campaigns.designs`).
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="judgments", db_index=False)
    criterion = CharField(max_length=50)
    value = models.SmallIntegerField(null=True)
    given = JSONField(null=True)
    note = TextField(blank=True)
    evidence = JSONField(null=True)
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="judgments")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="judgments")
    guideline = models.ForeignKey(Guideline, on_delete=models.PROTECT, related_name="+", null=True)
    client_key = models.UUIDField(unique=True)
    how = CharField(max_length=6, choices=How)
    seconds = models.FloatField(null=True)
    draft = CharField(max_length=6, choices=DraftSeen, null=True, blank=True)
    grade_order = JSONField(null=True)
    design_version = models.SmallIntegerField(null=True)

    class Meta:
        ordering = ["id"]
        indexes = [  # it has the columns that counts of many rows need, so that no row is read
            models.Index(fields=["item", "criterion", "assessor", "id", "value", "assignment"], name="current_judgment")
        ]

    def __str__(self) -> str:
        return f"{self.criterion} {self.value}"

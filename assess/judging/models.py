"""The ledger of judgments: what each assessor said of an item."""

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
    """When a machine's judgment was shown."""

    OPEN = "open", gettext_lazy("shown before")
    AFTER = "after", gettext_lazy("shown after an own judgment")


class Judgment(LedgerRow):
    """One assessor's value of one criterion for one item. The newest row counts; a NULL value withdraws.

    ``draft`` says whether a machine's judgment of the item was on the screen: "open" before this one was given,
    "after" when it was changed after an own one; NULL where none was shown. ``given`` is what was answered without a
    grade, as `assess.protocol.given` reads it: that somebody can't tell, a text, a number, several values.
    It is neither scored nor compared. Else it is NULL. ``grade_order`` are the values of the grades as they stood on
    the screen, where they stand in another order each time. ``design_version`` is the number of the version of the
    campaign's own design under which an imported judgment was made, where its file says so; NULL is the version that
    was in force when the row was written (`assess.campaigns.designs`).
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
        indexes = [  # with what is counted of many rows, so that none of them is looked up
            models.Index(fields=["item", "criterion", "assessor", "id", "value", "assignment"], name="current_judgment")
        ]

    def __str__(self) -> str:
        return f"{self.criterion} {self.value}"

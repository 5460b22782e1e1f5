"""The ledgers of matches: nuggets found in items, and items that are finished."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from assess.assignments.models import Assignment
from assess.base.fields import CharField, JSONField, TextField
from assess.items.models import Item
from assess.ledger.models import How, LedgerRow
from nuggets.writing.models import Nugget, NuggetList


class NuggetMatch(LedgerRow):
    """One assessor's mark that says whether an item contains a nugget.

    ``part`` is 0, or k for nugget "5.k" that spans items. The newest row for each nugget, part, item and assessor
    counts; a NULL value withdraws an earlier mark. A mark of the whole nugget, or its withdrawal, also replaces marks
    of its parts; a part that is present replaces a mark of the whole. Which marks replace which is worked out when they
    are read (`nuggets.matches.current`); every row here was entered by somebody.

    ``offered`` is the value of the machine's draft that the assessor could see when marking. An equal value accepted
    the draft, a different one changed it, and "absent" refused a draft that found the nugget.
    """

    class Value(models.TextChoices):
        FULL = "full", gettext_lazy("contains the nugget")
        PARTIAL = "partial", gettext_lazy("contains a part of it")
        ABSENT = "absent", gettext_lazy("does not contain it")

    nugget = models.ForeignKey(Nugget, on_delete=models.PROTECT, related_name="matches", db_index=False)
    part = models.PositiveSmallIntegerField(default=0)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="nugget_matches", db_index=False)
    value = CharField(max_length=7, choices=Value, null=True)
    span = JSONField(null=True)
    quote = TextField(blank=True)
    offered = CharField(max_length=7, choices=Value, null=True, blank=True)
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="nugget_matches")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="nugget_matches")
    client_key = models.UUIDField(unique=True)
    how = CharField(max_length=6, choices=How)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "nugget matches"
        indexes = [
            models.Index(fields=["nugget", "part", "item", "assessor", "id"], name="current_match"),
            models.Index(fields=["item", "assessor", "id"], name="matches_of_an_item"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(value=None) | Q(value__in=["full", "partial", "absent"]), name="value_of_a_mark"
            )
        ]

    def __str__(self) -> str:
        return f"{self.nugget_id} {self.value} in {self.item_id}"


class ItemReview(LedgerRow):
    """An assessor's statement that they have marked every nugget of a list that an item contains. There may be none.

    With ``is_reviewed`` false it withdraws such a statement. The newest row for each item and assessor counts. Marks
    without such a statement never mean that an item is finished.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="nugget_reviews", db_index=False)
    nugget_list = models.ForeignKey(NuggetList, on_delete=models.PROTECT, related_name="reviews")
    is_reviewed = models.BooleanField()
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="nugget_reviews")
    client_key = models.UUIDField(unique=True)
    how = CharField(max_length=6, choices=How)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["item", "assessor", "id"], name="current_review")]

    def __str__(self) -> str:
        return f"{self.item_id} reviewed: {self.is_reviewed}"

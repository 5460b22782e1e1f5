"""The ledger of votes on nuggets."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from assess.assignments.models import Assignment
from assess.base.fields import CharField
from assess.ledger.models import How, LedgerRow
from nuggets.writing.models import Nugget


class NuggetVote(LedgerRow):
    """One assessor's vote on the importance of a nugget of a frozen list. NULL takes an earlier vote back. The newest
    row counts.
    """

    nugget = models.ForeignKey(Nugget, on_delete=models.PROTECT, related_name="votes", db_index=False)
    importance = CharField(max_length=5, choices=Nugget.Importance, null=True)
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="nugget_votes")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="nugget_votes")
    client_key = models.UUIDField(unique=True)
    how = CharField(max_length=6, choices=How)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["nugget", "assessor", "id"], name="current_vote")]

    def __str__(self) -> str:
        return f"{self.nugget_id} {self.importance}"

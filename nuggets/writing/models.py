"""Nugget lists, their nuggets, and the ledger of their edits."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from assess.assignments.models import Assignment
from assess.base.fields import CharField, JSONField, TextField
from assess.documents.models import Document
from assess.items.models import Item
from assess.ledger.models import LedgerRow
from assess.topics.models import Topic
from nuggets.writing.besides import said_besides


class NuggetList(models.Model):
    """A topic's nuggets by one owner. A frozen list is never edited: a change is a new version of it.

    ``frozen_point`` is the ledger point at which it was frozen, so that "as of N" can tell which list counted
    then. ``last_number`` is the highest number ever given, undone additions included.
    """

    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="nugget_lists")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="nugget_lists")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="nugget_lists")
    version = models.PositiveIntegerField(default=1)
    previous = models.OneToOneField("self", on_delete=models.PROTECT, related_name="next", null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    frozen_at = models.DateTimeField(null=True, blank=True)
    frozen_point = models.BigIntegerField(null=True, blank=True)
    last_number = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["topic", "owner", "version"]
        constraints = [
            models.UniqueConstraint(fields=["topic", "owner", "version"], name="one_list_a_version"),
            models.UniqueConstraint(
                fields=["topic", "owner"], condition=Q(frozen_at=None), name="one_draft_list_an_owner"
            ),
            models.CheckConstraint(
                condition=Q(frozen_at=None, frozen_point=None) | Q(frozen_at__isnull=False, frozen_point__isnull=False),
                name="frozen_at_a_ledger_point",
            ),
        ]

    def __str__(self) -> str:
        return f"nuggets of {self.topic_id}, version {self.version}"

    @property
    def is_frozen(self) -> bool:
        """Whether the list is frozen and so never changes again."""
        return self.frozen_point is not None


class Nugget(models.Model):
    """An atomic fact. ``number`` is never reused in a topic's lists; a retired nugget keeps it.

    ``fields`` keeps what a nugget file from elsewhere said of it besides, so that it can be written again.

    It is active, and counts, when it is neither retired nor merged into another.
    """

    class Importance(models.TextChoices):
        VITAL = "vital", gettext_lazy("vital")
        OKAY = "okay", gettext_lazy("okay")

    nugget_list = models.ForeignKey(NuggetList, on_delete=models.PROTECT, related_name="nuggets")
    number = models.PositiveIntegerField()
    position = models.PositiveIntegerField()
    text = TextField()
    importance = CharField(max_length=5, choices=Importance, default=Importance.OKAY)
    group = CharField(max_length=100, blank=True)
    fields = JSONField(default=dict, blank=True)
    merged_into = models.ForeignKey("self", on_delete=models.PROTECT, related_name="merged", null=True, blank=True)
    split_from = models.ForeignKey("self", on_delete=models.PROTECT, related_name="split", null=True, blank=True)
    is_retired = models.BooleanField(default=False)

    class Meta:
        ordering = ["nugget_list", "position", "number"]
        constraints = [models.UniqueConstraint(fields=["nugget_list", "number"], name="one_nugget_a_number")]

    def __str__(self) -> str:
        return f"{self.number} {self.text[:60]}"

    @property
    def is_active(self) -> bool:
        """Whether it counts: neither retired nor merged into another."""
        return not self.is_retired and self.merged_into_id is None

    @property
    def besides(self) -> tuple[tuple[str, str], ...]:
        """What its file said of it besides, as those who judge see it."""
        return said_besides(self.fields)


class NuggetSource(models.Model):
    """Where a nugget was seen: an item's string or a document's text, with the quote and its span if known."""

    nugget = models.ForeignKey(Nugget, on_delete=models.PROTECT, related_name="sources")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+", null=True, blank=True)
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="+", null=True, blank=True)
    docno = CharField(max_length=200, blank=True)
    quote = TextField()
    span = JSONField(null=True, blank=True)

    class Meta:
        ordering = ["nugget", "id"]

    def __str__(self) -> str:
        return self.quote[:60]


class NuggetEdit(LedgerRow):
    """One change of a draft list: the state of the nuggets it touched, before and after.

    Undo is another row (``undoes``) whose after is this row's before, so nothing that was written is lost;
    redo undoes the undo. ``asked`` is what was asked for, by which a repeated ``client_key`` is told.
    """

    campaign_path = "nugget_list__assignment__campaign"

    nugget_list = models.ForeignKey(NuggetList, on_delete=models.PROTECT, related_name="edits")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    action = CharField(max_length=20)
    asked = JSONField(default=dict)
    before = JSONField()
    after = JSONField()
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, related_name="undone_by", null=True)
    client_key = models.UUIDField(unique=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.action

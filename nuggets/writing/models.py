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
from nuggets.writing.visible_members import visible_members


class NuggetList(models.Model):
    """The nuggets of one owner for one topic. A frozen list is never edited: a change makes a new version.

    ``frozen_point`` is the ledger point at which the list was frozen, from which a snapshot finds the list that counted
    at its own point. ``last_number`` is the highest number ever given, including numbers of additions that were undone.
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
    """One atomic fact. Its ``number`` is never reused in the owner's lists for the topic; a retired nugget keeps its
    number.

    ``fields`` stores the further members that the nugget had in its file, so that they can be exported again.

    A nugget is active, and counts, when it is neither retired nor merged into another.
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
        """Whether the nugget counts: it is neither retired nor merged into another."""
        return not self.is_retired and self.merged_into_id is None

    @property
    def besides(self) -> tuple[tuple[str, str], ...]:
        """Return (name, text) for the further members of the nugget in its file that people who judge may see."""
        return visible_members(self.fields)


class NuggetSource(models.Model):
    """A source of a nugget: an item's string or a document's text. It has a quote and, if known, the quote's span."""

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
    """One change of a draft list: the states of the nuggets that it changed, before and after.

    An undo is another row, which names the undone edit in ``undoes`` and has the same two states exchanged, so nothing
    is lost. A redo is an undo of the undo. ``asked`` holds the request, to recognise a repeated ``client_key``.
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

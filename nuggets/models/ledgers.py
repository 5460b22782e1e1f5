"""The ledgers of this app: edits of lists, votes, matches, and the grouping of answers."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from assess.models import Assignment, How, Item, LedgerRow, Topic
from assess.models.fields import CharField, JSONField, TextField
from nuggets.models.nugget_list import Nugget, NuggetList


class NuggetEdit(LedgerRow):
    """One change of a draft list: the state of the nuggets it touched, before and after.

    Undo is another row (``undoes``) whose after is this row's before, so nothing that was written is lost;
    redo undoes the undo. ``asked`` is what was asked for, by which a repeated ``client_key`` is told.
    """

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


class NuggetVote(LedgerRow):
    """One assessor's opinion of a frozen nugget's importance; NULL takes it back. The newest row counts."""

    nugget = models.ForeignKey(Nugget, on_delete=models.PROTECT, related_name="votes")
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


class NuggetMatch(LedgerRow):
    """Whether an item contains a nugget, by one assessor. ``part`` is 0, or k for nugget "5.k" that spans items.

    The newest row per (nugget, part, item, assessor) counts; a NULL value withdraws what was said. What is said of the
    whole nugget, or withdrawn, also stands instead of what was said of its parts, and a part that is there instead of
    the whole: readers work that out (`nuggets.queries.matches`), so that every row is something that somebody said.
    """

    class Value(models.TextChoices):
        FULL = "full", "contains the nugget"
        PARTIAL = "partial", "contains a part of it"
        ABSENT = "absent", "does not contain it"

    nugget = models.ForeignKey(Nugget, on_delete=models.PROTECT, related_name="matches")
    part = models.PositiveSmallIntegerField(default=0)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="nugget_matches")
    value = CharField(max_length=7, choices=Value, null=True)
    span = JSONField(null=True)
    quote = TextField(blank=True)
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
    """An assessor says that all nuggets of a list are marked in an item, be they many or none; or takes it back.

    The newest row per (item, assessor) counts. Marks alone never mean that an item is finished.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="nugget_reviews")
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


class AnswerClass(models.Model):
    """One distinct answer of a topic, by the assessor who grouped; its label and members are in the ledgers."""

    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="answer_classes")
    number = models.PositiveIntegerField()
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="answer_classes")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["topic", "number"]
        constraints = [models.UniqueConstraint(fields=["topic", "number"], name="one_answer_class_a_number")]

    def __str__(self) -> str:
        return f"class {self.number} of {self.topic_id}"


class ClassEdit(LedgerRow):
    """One change of an assessor's grouping: what it touched, before and after. Undo and redo as in `NuggetEdit`.

    The rows of `ClassLabel` and `ClassAssignment` that it added name it.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="class_edits")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    action = CharField(max_length=20)
    asked = JSONField(default=dict)
    before = JSONField()
    after = JSONField()
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, related_name="undone_by", null=True)
    answer_class = models.ForeignKey(AnswerClass, on_delete=models.PROTECT, related_name="+", null=True)
    client_key = models.UUIDField(unique=True)
    how = CharField(max_length=6, choices=How)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.action


class ClassLabel(LedgerRow):
    """The name given to an answer class; the newest row counts."""

    answer_class = models.ForeignKey(AnswerClass, on_delete=models.PROTECT, related_name="labels")
    label = CharField(max_length=300)
    edit = models.ForeignKey(ClassEdit, on_delete=models.PROTECT, related_name="labels")

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["answer_class", "id"], name="current_label")]

    def __str__(self) -> str:
        return self.label


class ClassAssignment(LedgerRow):
    """Which class an item belongs to in one assignment's grouping; NULL takes it out. The newest row counts.

    ``is_found`` marks an answer that the assessor found while developing the question.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="class_assignments")
    answer_class = models.ForeignKey(AnswerClass, on_delete=models.PROTECT, related_name="members", null=True)
    is_found = models.BooleanField(default=False)
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="class_assignments")
    edit = models.ForeignKey(ClassEdit, on_delete=models.PROTECT, related_name="members")

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["assignment", "item", "id"], name="current_class")]

    def __str__(self) -> str:
        return f"{self.item_id} in {self.answer_class_id}"

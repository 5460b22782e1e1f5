"""Answer classes and their ledgers: edits, labels, and the class of each answer."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from assess.assignments.models import Assignment
from assess.base.fields import CharField, JSONField
from assess.items.models import Item
from assess.ledger.models import How, LedgerRow
from assess.topics.models import Topic


class AnswerClass(models.Model):
    """A distinct answer of a topic, in one assessor's grouping. Its label and its members are in ledgers."""

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
    """One change of an assessor's grouping: the values that it changed, before and after. Undo works as in
    `NuggetEdit`.

    The rows of `ClassLabel` and `ClassAssignment` that it added refer to it.
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
    """A label given to an answer class. The newest row counts."""

    campaign_path = "edit__assignment__campaign"

    answer_class = models.ForeignKey(AnswerClass, on_delete=models.PROTECT, related_name="labels")
    label = CharField(max_length=300)
    edit = models.ForeignKey(ClassEdit, on_delete=models.PROTECT, related_name="labels")

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["answer_class", "id"], name="current_label")]

    def __str__(self) -> str:
        return self.label


class ClassAssignment(LedgerRow):
    """The class into which an item was put in one assignment's grouping; NULL means that it was taken out of its class.
    The newest row counts.

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

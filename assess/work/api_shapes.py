"""What the API takes and gives of work: assignments, items, judgments, questions."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from assess.assignments.models import Assignment
from assess.assignments.queries.handles import handle_of
from assess.items.models import Item
from assess.judging.models import Judgment
from assess.work.api_help import HelpOut


class ItemNumber(serializers.IntegerField):
    """The number by which the assessor of the work in the context knows the item whose id `source` gives."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"read_only": True, **kwargs})

    def to_representation(self, value: int) -> int:
        """The number of the item in this work."""
        return handle_of(self.context["assignment"], int(value))


class AssignmentOut(serializers.ModelSerializer[Assignment]):
    """A piece of work. Organisers see whose; assessors see their own only."""

    topic = serializers.CharField(source="topic.number", read_only=True)
    assessor = serializers.CharField(source="assessor.username", read_only=True)

    class Meta:
        model = Assignment
        fields = ["id", "topic", "stage", "assessor", "role", "state", "started_at", "done_at"]


class AssignmentIn(serializers.Serializer[Any]):
    """Work to hand out."""

    topic = serializers.CharField()
    stage = serializers.CharField()
    assessor = serializers.CharField()
    role = serializers.CharField(required=False, default=Assignment.Role.PRIMARY)


class SecondIn(serializers.Serializer[Any]):
    """A sample of the topics for second assessors: a `share` (0 to 1), a `number`, or neither for all of them."""

    stages = serializers.ListField(child=serializers.CharField())
    share = serializers.FloatField(required=False, default=None, allow_null=True)
    number = serializers.IntegerField(required=False, default=None, allow_null=True)
    seed = serializers.IntegerField(required=False, default=1, min_value=0)


class HandOverIn(serializers.Serializer[Any]):
    """Who goes on with a piece of work."""

    to = serializers.CharField()


class TakeIn(serializers.Serializer[Any]):
    """As what a topic is taken from the stack: second, or primary where the campaign lets authors take work."""

    role = serializers.CharField(required=False, default=Assignment.Role.SECOND)


class ItemOut(serializers.ModelSerializer[Item]):
    """A thing to judge. It never says which run returned it.

    `id` is the number by which its assessor knows it, in this piece of work and no other.
    """

    id = ItemNumber(source="pk")

    class Meta:
        model = Item
        fields = ["id", "kind", "text", "docno", "fields"]


class JudgmentOut(serializers.ModelSerializer[Judgment]):
    """One row of the judgment ledger."""

    item = ItemNumber(source="item_id")

    class Meta:
        model = Judgment
        fields = ["id", "item", "criterion", "value", "note", "evidence", "client_key", "created_at"]


class SnippetIn(serializers.Serializer[Any]):
    """A snippet of the item's document, word for word. `start` counts code points; -1 has it looked up.

    `value` is the snippet's own grade, null where it is the judgment's.
    """

    quote = serializers.CharField(trim_whitespace=False)
    start = serializers.IntegerField(required=False, default=-1)
    digest = serializers.CharField(required=False)
    value = serializers.IntegerField(required=False, default=None, allow_null=True)


class JudgmentIn(serializers.Serializer[Any]):
    """A judgment; `value` null withdraws. `client_key` makes the call safe to repeat."""

    item = serializers.IntegerField()
    criterion = serializers.CharField()
    value = serializers.IntegerField(allow_null=True)
    client_key = serializers.UUIDField()
    note = serializers.CharField(required=False, default="", allow_blank=True)
    evidence = SnippetIn(many=True, required=False, default=None, allow_null=True)
    seconds = serializers.FloatField(required=False, default=None, allow_null=True)


class AskedOut(HelpOut):
    """A question of one's own, with its answer; `item` is the number by which one knows it in this work."""

    item = ItemNumber(source="item_id", allow_null=True)


class HelpIn(serializers.Serializer[Any]):
    """A question about an item, or about the topic where `item` is null."""

    item = serializers.IntegerField(required=False, default=None, allow_null=True)
    text = serializers.CharField()
    client_key = serializers.UUIDField()

"""What calls about nuggets and answer classes begin with: the caller's own assignment in the address."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from assess.assignments.access import access_assignment
from assess.assignments.models import Assignment
from assess.items.models import Item
from assess.web.api import SeatViewSet
from nuggets.writing.access import access_answers

ITEMS_LIMIT = 2000


class AssignmentViewSet(SeatViewSet):
    """A set of calls under `campaigns/<slug>/assignments/<id>/`, for the assessor whose work it is."""

    def mine(self) -> Assignment:
        """The caller's assignment of the address."""
        return access_assignment(self.seat(), self.kwargs["assignment_pk"])

    def items(self, assignment: Assignment, handles: Iterable[int]) -> list[Item]:
        """Items of the assignment's topic by their numbers in this work, in this order; one query."""
        return access_answers(assignment, handles)


class KeyIn(serializers.Serializer[Any]):
    """`client_key` makes the call safe to repeat."""

    client_key = serializers.UUIDField()


class ItemsIn(KeyIn):
    """Some items."""

    items = serializers.ListField(child=serializers.IntegerField(), max_length=ITEMS_LIMIT)


class EditOut(serializers.Serializer[Any]):
    """A row of an edit ledger: what was done, and what it undid."""

    id = serializers.IntegerField()
    action = serializers.CharField()
    undoes = serializers.IntegerField(source="undoes_id", allow_null=True)
    client_key = serializers.UUIDField()


class CastOut(serializers.Serializer[Any]):
    """One's current vote on a nugget."""

    nugget = serializers.IntegerField(source="number")
    importance = serializers.CharField()

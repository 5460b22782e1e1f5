"""How calls about nuggets and answer classes begin: with the caller's own assignment in the address."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from assess.assignments.access import access_work
from assess.assignments.models import Assignment
from assess.items.models import Item
from assess.web.api import SeatViewSet
from assess.web.scopes import JUDGE
from nuggets.writing.access import access_answers

ITEMS_LIMIT = 2000


class AssignmentViewSet(SeatViewSet):
    """A set of calls under `campaigns/<slug>/assignments/<id>/`, for the assessor who has the assignment."""

    scope = (JUDGE,)

    def mine(self) -> Assignment:
        """Return the assignment that the address names. Raises `NotFound` unless it is the caller's."""
        return access_work(self.user, self.kwargs["slug"], self.kwargs["assignment_pk"])

    def items(self, assignment: Assignment, handles: Iterable[int]) -> list[Item]:
        """Return the topic's items that have these numbers in the assignment, in the order of the numbers. Raises
        `UnknownItem` if one is unknown. One query.
        """
        return access_answers(assignment, handles)


class KeyIn(serializers.Serializer[Any]):
    """`client_key` makes it safe to repeat the call."""

    client_key = serializers.UUIDField()


class ItemsIn(KeyIn):
    """Several items, given by their numbers."""

    items = serializers.ListField(child=serializers.IntegerField(), max_length=ITEMS_LIMIT)


class EditOut(serializers.Serializer[Any]):
    """A row of a ledger of edits: what was done and, for an undo or redo, which edit it reversed."""

    id = serializers.IntegerField()
    action = serializers.CharField()
    undoes = serializers.IntegerField(source="undoes_id", allow_null=True)
    client_key = serializers.UUIDField()

"""Answer classes, which group correct instances of the same answer, and answers that assessors found themselves."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.assignments.models import Assignment
from assess.campaigns.queries import stage_of
from assess.ledger.models import How
from assess.web.api import checked
from assess.web.shapes import DataSerializer
from assess.work.api import ItemNumber
from nuggets.classes import record as classes
from nuggets.classes.access import access_class
from nuggets.classes.bench import own_grouping
from nuggets.classes.current import ClassView, Grouping
from nuggets.classes.edits import redo_class_edit, undo_class_edit
from nuggets.classes.found_answers import add_found_answer
from nuggets.classes.models import ClassEdit
from nuggets.writing.assignment_calls import AssignmentViewSet, EditOut, ItemsIn, KeyIn


class ClassEditOut(EditOut):
    """An edit of the grouping, and the id of the class that it is about."""

    answer_class = serializers.IntegerField(source="answer_class_id", allow_null=True)


class ClassMemberOut(serializers.Serializer[Any]):
    """An instance that is in a class."""

    item = ItemNumber(source="item.pk")
    text = serializers.CharField(source="item.text")
    docno = serializers.CharField(source="item.docno")
    is_found = serializers.BooleanField()


class ClassOut(DataSerializer):
    """One distinct answer: a class with its instances."""

    members = ClassMemberOut(many=True)

    class Meta:
        of = ClassView
        fields = ("id", "number", "label", "members")


class WaitingOut(serializers.Serializer[Any]):
    """A correct instance that is in no class yet, and the label of the class that is suggested for it."""

    item = ItemNumber()
    text = serializers.CharField()
    docno = serializers.CharField()
    suggestion = serializers.CharField()


@extend_schema_serializer(many=False)
class GroupingOut(DataSerializer):
    """The grouping of the caller's assignment."""

    waiting = WaitingOut(many=True)

    class Meta:
        of = Grouping
        fields = ("classes", "waiting")


class CreateIn(ItemsIn):
    """Instances to put into a new class. Without `label`, the class gets the text of the first instance as its
    label.
    """

    label = serializers.CharField(required=False, default="", allow_blank=True)  # type: ignore[assignment]


class AssignIn(ItemsIn):
    """Instances to put into a class."""

    answer_class = serializers.IntegerField()


class ClassMergeIn(KeyIn):
    """Classes to merge into another class."""

    into = serializers.IntegerField()
    others = serializers.ListField(child=serializers.IntegerField(), max_length=500)


class ClassSplitIn(AssignIn):
    """Members of a class to move into a new class."""

    label = serializers.CharField(required=False, default="", allow_blank=True)  # type: ignore[assignment]


class RenameIn(KeyIn):
    """The new label of a class."""

    answer_class = serializers.IntegerField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]


class FoundIn(KeyIn):
    """An answer with the document that supports it, and its class: an existing one, or a new one with this label."""

    text = serializers.CharField()
    docno = serializers.CharField()
    answer_class = serializers.IntegerField(required=False, default=None, allow_null=True)
    label = serializers.CharField(required=False, default="", allow_blank=True)  # type: ignore[assignment]


class ClassViewSet(AssignmentViewSet):
    """The grouping of an assignment."""

    serializer_class = GroupingOut
    pagination_class = None

    @extend_schema(responses=GroupingOut)
    def list(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """The classes, and the correct instances that are in no class yet."""
        assignment = self.mine()
        _, stage = stage_of(assignment.campaign, assignment.stage)
        found = own_grouping(assignment, stage)
        waiting = [
            {"item": item.pk, "text": item.text, "docno": item.docno, "suggestion": found.suggestions[item.pk]}
            for item in found.waiting
        ]
        content = {"classes": found.classes, "waiting": waiting}
        return Response(GroupingOut(content, context={"assignment": assignment}).data)

    @extend_schema(request=CreateIn, responses=ClassEditOut)
    @action(detail=False, methods=["post"], url_path="create", url_name="create")
    def make(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Make a class of instances."""
        return self._edited(classes.create_class(**self._call(CreateIn)))

    @extend_schema(request=AssignIn, responses=ClassEditOut)
    @action(detail=False, methods=["post"])
    def assign(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Put instances into a class."""
        return self._edited(classes.assign_to_class(**self._call(AssignIn)))

    @extend_schema(request=ItemsIn, responses=ClassEditOut)
    @action(detail=False, methods=["post"])
    def remove(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Take instances out of their classes."""
        return self._edited(classes.remove_from_class(**self._call(ItemsIn)))

    @extend_schema(request=ClassMergeIn, responses=ClassEditOut)
    @action(detail=False, methods=["post"])
    def merge(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Merge classes into one, which keeps its label."""
        values = self._call(ClassMergeIn)
        assignment = values["assignment"]
        values["into"] = access_class(assignment, values["into"])
        values["others"] = [access_class(assignment, pk) for pk in values["others"]]
        return self._edited(classes.merge_classes(**values))

    @extend_schema(request=ClassSplitIn, responses=ClassEditOut)
    @action(detail=False, methods=["post"])
    def split(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Move some members into a new class."""
        return self._edited(classes.split_class(**self._call(ClassSplitIn)))

    @extend_schema(request=RenameIn, responses=ClassEditOut)
    @action(detail=False, methods=["post"])
    def rename(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Change the label of a class."""
        return self._edited(classes.rename_class(**self._call(RenameIn)))

    @extend_schema(request=FoundIn, responses=ClassEditOut)
    @action(detail=False, methods=["post"])
    def found(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Add an answer that the assessor found."""
        return self._edited(add_found_answer(**self._call(FoundIn)))

    @extend_schema(request=KeyIn, responses=ClassEditOut)
    @action(detail=False, methods=["post"])
    def undo(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Undo the newest edit that has not been undone."""
        return self._edited(undo_class_edit(**self._call(KeyIn)))

    @extend_schema(request=KeyIn, responses=ClassEditOut)
    @action(detail=False, methods=["post"])
    def redo(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Redo the newest undo."""
        return self._edited(redo_class_edit(**self._call(KeyIn)))

    def _call(self, serializer: type[serializers.Serializer[Any]]) -> dict[str, Any]:
        """Return the arguments for a domain function: the actor, the assignment, and the checked body, in which ids are
        replaced by rows. Refuse ids that the assignment does not have.
        """
        assignment: Assignment = self.mine()
        values = checked(serializer, self.request)
        if "items" in values:
            values["items"] = self.items(assignment, values["items"])
        if values.get("answer_class") is not None:
            values["answer_class"] = access_class(assignment, values["answer_class"])
        return {"actor": self.user, "assignment": assignment, "how": How.API, **values}

    def _edited(self, edit: ClassEdit) -> Response:
        return Response(ClassEditOut(edit).data)

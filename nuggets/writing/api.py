"""Nugget lists: the draft, its edits, freezing and revising."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.assignments.access import access_work_item
from assess.assignments.models import Assignment
from assess.documents.access import access_document
from assess.web.api import checked
from assess.web.shapes import DataSerializer
from assess.work.api import ItemNumber
from nuggets.writing import record
from nuggets.writing.access import access_counting_list, access_own_list
from nuggets.writing.answered_drafts import KEY_LIMIT, accept_draft, refuse_draft
from nuggets.writing.assignment_calls import AssignmentViewSet, EditOut, KeyIn
from nuggets.writing.drafts import NuggetDraft, offered_drafts
from nuggets.writing.edits import redo_edit, undo_edit
from nuggets.writing.lists import finish_frozen, freeze_list, revise_list, start_list
from nuggets.writing.models import Nugget, NuggetEdit, NuggetList, NuggetSource
from nuggets.writing.sources import add_source, remove_source


class SourceOut(serializers.ModelSerializer[NuggetSource]):
    """A string or document in which a nugget was seen."""

    item = ItemNumber(source="item_id", allow_null=True)

    class Meta:
        model = NuggetSource
        fields = ["id", "item", "docno", "quote", "span"]


class BesidesField(serializers.ListField):
    """Members of a nugget's entry in its file that have no field of their own, as pairs of a name and a text."""

    child = serializers.ListField(child=serializers.CharField(), min_length=2, max_length=2)


class NuggetOut(serializers.ModelSerializer[Nugget]):
    """A nugget; it is active when it is neither retired nor merged into another."""

    merged_into = serializers.IntegerField(source="merged_into.number", read_only=True, default=None, allow_null=True)
    split_from = serializers.IntegerField(source="split_from.number", read_only=True, default=None, allow_null=True)
    sources = SourceOut(many=True, read_only=True)
    besides = BesidesField(read_only=True)

    class Meta:
        model = Nugget
        fields = [
            "number",
            "text",
            "importance",
            "group",
            "besides",
            "is_active",
            "merged_into",
            "split_from",
            "sources",
        ]


class NuggetTextOut(serializers.ModelSerializer[Nugget]):
    """A nugget as it is shown to people who vote on it or mark it: without the author's opinion. `list` is the id of
    its list, which votes and marks may name.
    """

    list = serializers.IntegerField(source="nugget_list_id")
    besides = BesidesField(read_only=True)

    class Meta:
        model = Nugget
        fields = ["number", "text", "group", "besides", "list"]


class ListOut(serializers.ModelSerializer[NuggetList]):
    """A version of a nugget list."""

    class Meta:
        model = NuggetList
        fields = ["version", "is_frozen", "frozen_at"]


@extend_schema_serializer(many=False)
class OwnListOut(ListOut):
    """The caller's own list with all its nuggets, in order."""

    nuggets = NuggetOut(many=True, read_only=True)

    class Meta(ListOut.Meta):
        fields = [*ListOut.Meta.fields, "nuggets"]


class NuggetIn(KeyIn):
    """A new nugget, at the end of the list."""

    text = serializers.CharField()
    importance = serializers.CharField(required=False, default=Nugget.Importance.OKAY)
    group = serializers.CharField(required=False, default="", allow_blank=True)


class NumberIn(KeyIn):
    """A nugget, given by its number."""

    number = serializers.IntegerField()


class EditIn(NumberIn):
    """The new values of a nugget. A member that is left out does not change."""

    text = serializers.CharField(required=False, default=None, allow_null=True, allow_blank=True)
    importance = serializers.CharField(required=False, default=None, allow_null=True, allow_blank=True)
    group = serializers.CharField(required=False, default=None, allow_null=True, allow_blank=True)


class MoveIn(NumberIn):
    """The new place of a nugget among the active nuggets, from 1."""

    place = serializers.IntegerField()


class MergeIn(KeyIn):
    """Nuggets to merge into another nugget, which may get a new text."""

    into = serializers.IntegerField()
    others = serializers.ListField(child=serializers.IntegerField(), max_length=record.NUGGET_LIMIT)
    text = serializers.CharField(required=False, default=None, allow_null=True)


class SplitIn(NumberIn):
    """The texts of the nuggets that replace this one."""

    texts = serializers.ListField(child=serializers.CharField(), max_length=record.NUGGET_LIMIT)


class SourceIn(NumberIn):
    """A quote from an item (given by its number in this assignment) or from a document (given by its docno). `span` is
    in code points.
    """

    item = serializers.IntegerField(required=False, default=None, allow_null=True)
    docno = serializers.CharField(required=False, default="", allow_blank=True)
    quote = serializers.CharField(required=False, default="", allow_blank=True, trim_whitespace=False)
    span = serializers.DictField(required=False, default=None, allow_null=True)


class SourceRemoveIn(KeyIn):
    """A source, given by its id."""

    source_id = serializers.IntegerField()


class FreezeIn(KeyIn):
    """`without_vital` confirms a list without vital nuggets."""

    without_vital = serializers.BooleanField(required=False, default=False)


class NuggetDraftOut(DataSerializer):
    """A machine's nugget that is offered as a draft. It is accepted or refused by its `key`."""

    text = serializers.CharField(source="nugget.text")
    importance = serializers.CharField(source="nugget.importance")
    group = serializers.CharField(source="nugget.group")

    class Meta:
        of = NuggetDraft
        fields = ("key", "text", "importance", "group")


@extend_schema_serializer(many=False)
class NuggetDraftsOut(serializers.Serializer[Any]):
    """The drafts that were not answered yet, and those that were refused."""

    open = NuggetDraftOut(many=True)
    refused = NuggetDraftOut(many=True)


class NuggetDraftIn(KeyIn):
    """A draft, named by its key, such as A3."""

    draft = serializers.CharField(max_length=KEY_LIMIT)


class NuggetAcceptIn(NuggetDraftIn):
    """A draft, named by its key, such as A3. If `text` is given, it replaces the draft's own words."""

    text = serializers.CharField(required=False, default=None, allow_null=True)


class NuggetListViewSet(AssignmentViewSet):
    """The nugget list of an assignment: one's own in stages that write lists, the frozen one in stages that use
    a list.
    """

    serializer_class = OwnListOut
    pagination_class = None

    @extend_schema(responses=OwnListOut)
    def list(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """The caller's newest list, which may be a draft or frozen."""
        assignment = self.mine()
        return Response(self._out(access_own_list(assignment), assignment))

    @extend_schema(request=None, responses={200: OwnListOut})
    def create(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Begin the list and return it. If there is a list already, return its newest version."""
        assignment = self.mine()
        return Response(self._out(start_list(actor=self.user, assignment=assignment), assignment))

    @extend_schema(responses=NuggetTextOut(many=True))
    @action(detail=False)
    def counting(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """The nuggets to mark or vote on: the active ones of the frozen list, in order and without importance."""
        rows = access_counting_list(self.mine()).nuggets.filter(is_retired=False, merged_into=None)
        return Response(NuggetTextOut(rows.order_by("position", "number"), many=True).data)

    @extend_schema(request=NuggetIn, responses={201: NuggetOut})
    @action(detail=False, methods=["post"])
    def add(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Add a nugget."""
        values = self._call(NuggetIn)
        made = NuggetOut(record.add_nugget(**values), context={"assignment": values["nugget_list"].assignment})
        return Response(made.data, status=status.HTTP_201_CREATED)

    @extend_schema(request=EditIn, responses=EditOut)
    @action(detail=False, methods=["post"])
    def edit(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Change the text, the importance or the group of a nugget."""
        return self._edited(record.edit_nugget(**self._call(EditIn)))

    @extend_schema(request=MoveIn, responses=EditOut)
    @action(detail=False, methods=["post"])
    def move(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Move a nugget to another place."""
        return self._edited(record.move_nugget(**self._call(MoveIn)))

    @extend_schema(request=MergeIn, responses=EditOut)
    @action(detail=False, methods=["post"])
    def merge(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Merge nuggets into another nugget."""
        return self._edited(record.merge_nuggets(**self._call(MergeIn)))

    @extend_schema(request=SplitIn, responses=EditOut)
    @action(detail=False, methods=["post"])
    def split(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Replace a nugget by several new ones."""
        return self._edited(record.split_nugget(**self._call(SplitIn)))

    @extend_schema(request=NumberIn, responses=EditOut)
    @action(detail=False, methods=["post"])
    def retire(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Take a nugget off the list."""
        return self._edited(record.retire_nugget(**self._call(NumberIn)))

    @extend_schema(request=NumberIn, responses=EditOut)
    @action(detail=False, methods=["post"])
    def restore(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Put a retired or merged nugget back."""
        return self._edited(record.restore_nugget(**self._call(NumberIn)))

    @extend_schema(request=SourceIn, responses=EditOut)
    @action(detail=False, methods=["post"], url_path="add-source")
    def add_source(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Add a source to a nugget: where it was seen."""
        values = self._call(SourceIn)
        assignment, docno, item = values["nugget_list"].assignment, values.pop("docno"), values.pop("item")
        values["item"] = access_work_item(assignment, item) if item is not None else None
        values["document"] = access_document(self.seat(), docno) if docno else None
        return self._edited(add_source(**values))

    @extend_schema(request=SourceRemoveIn, responses=EditOut)
    @action(detail=False, methods=["post"], url_path="remove-source")
    def remove_source(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Remove a source from its nugget."""
        return self._edited(remove_source(**self._call(SourceRemoveIn)))

    @extend_schema(responses=NuggetDraftsOut)
    @action(detail=False)
    def drafts(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """The machines' drafts. There are none unless the campaign shows drafts before people write."""
        return Response(NuggetDraftsOut(offered_drafts(access_own_list(self.mine()))).data)

    @extend_schema(request=NuggetAcceptIn, responses={201: NuggetOut})
    @action(detail=False, methods=["post"])
    def accept(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Add a draft to the list as a nugget, in its own words or in others."""
        values = self._call(NuggetAcceptIn)
        made = NuggetOut(accept_draft(**values), context={"assignment": values["nugget_list"].assignment})
        return Response(made.data, status=status.HTTP_201_CREATED)

    @extend_schema(request=NuggetDraftIn, responses=EditOut)
    @action(detail=False, methods=["post"])
    def refuse(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Record that a draft does not belong on the list."""
        return self._edited(refuse_draft(**self._call(NuggetDraftIn)))

    @extend_schema(request=KeyIn, responses=EditOut)
    @action(detail=False, methods=["post"])
    def undo(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Undo the newest edit that has not been undone."""
        return self._edited(undo_edit(**self._call(KeyIn)))

    @extend_schema(request=KeyIn, responses=EditOut)
    @action(detail=False, methods=["post"])
    def redo(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Redo the newest undo."""
        return self._edited(redo_edit(**self._call(KeyIn)))

    @extend_schema(request=FreezeIn, responses=OwnListOut)
    @action(detail=False, methods=["post"])
    def freeze(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Freeze the list for good, and finish the assignment if nothing else in it is left to do.

        Whether the assignment is then done is said by its own `state`. To begin a new version of the list, open it
        again by `reopen`.
        """
        values = self._call(FreezeIn)
        frozen = freeze_list(**values)
        finish_frozen(actor=self.user, nugget_list=frozen)
        return Response(self._out(frozen, frozen.assignment))

    @extend_schema(request=None, responses=OwnListOut)
    @action(detail=False, methods=["post"])
    def revise(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Begin a new version of the frozen list."""
        assignment = self.mine()
        newest = access_own_list(assignment)
        return Response(self._out(revise_list(actor=self.user, nugget_list=newest), assignment))

    def _call(self, serializer: type[serializers.Serializer[Any]]) -> dict[str, Any]:
        """Return the arguments for a domain function: the actor, the list, and the checked body."""
        found = access_own_list(self.mine())
        return {"actor": self.user, "nugget_list": found, **checked(serializer, self.request)}

    def _edited(self, edit: NuggetEdit) -> Response:
        return Response(EditOut(edit).data)

    def _out(self, nugget_list: NuggetList, assignment: Assignment) -> Any:
        """Return the list with its nuggets. Items have the numbers that they have in this assignment. Four queries."""
        rows = NuggetList.objects.filter(pk=nugget_list.pk).prefetch_related(
            "nuggets__sources", "nuggets__merged_into", "nuggets__split_from"
        )
        return OwnListOut(rows.get(), context={"assignment": assignment}).data

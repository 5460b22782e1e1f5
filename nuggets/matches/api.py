"""Marks of nuggets in strings, and strings that are finished. Nothing here reveals which run a response is from."""

from __future__ import annotations

from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.assignments.access import access_held_item, access_work, held_work, reading_click
from assess.assignments.queries.work_items import handle_of
from assess.base.errors import NotFound
from assess.ledger.models import How
from assess.web.api import checked
from assess.web.batches import AnswerOut, answer_each
from assess.web.shapes import DataSerializer, RowSerializer
from assess.work.api import ItemNumber
from nuggets.matches.bench import ResponseView, match_desk
from nuggets.matches.current import current_marks, finished_items, ids_before
from nuggets.matches.models import ItemReview, NuggetMatch
from nuggets.matches.record import MatchInput, add_match, review_items
from nuggets.writing.access import access_counting_list, access_nugget
from nuggets.writing.assignment_calls import AssignmentViewSet, ItemsIn, KeyIn


class MarkOut(serializers.Serializer[Any]):
    """A mark of a nugget in an item. `nugget` is the nugget's number on the list that counts."""

    nugget = serializers.IntegerField(source="number")
    part = serializers.IntegerField()
    item = ItemNumber(source="item_id")
    value = serializers.CharField()
    quote = serializers.CharField()


class MatchOut(RowSerializer[NuggetMatch]):
    """One row of the ledger of marks."""

    nugget = serializers.IntegerField(source="nugget.number", read_only=True)
    item = ItemNumber(source="item_id")

    class Meta:
        model = NuggetMatch
        fields = ["id", "nugget", "part", "item", "value", "quote", "span", "client_key", "created_at"]


class MatchIn(KeyIn):
    """A mark, which is full, partial or absent. The value null withdraws an earlier mark. `list` is the one that the
    assessor read: the mark is refused if the nugget means something else on the list that counts now.
    """

    nugget = serializers.IntegerField()
    list = serializers.IntegerField(source="nugget_list", required=False, default=None, allow_null=True)
    item = serializers.IntegerField()
    value = serializers.CharField(required=False, default=NuggetMatch.Value.FULL, allow_null=True)
    part = serializers.IntegerField(required=False, default=0)
    quote = serializers.CharField(required=False, default="", allow_blank=True, trim_whitespace=False)
    span = serializers.DictField(required=False, default=None, allow_null=True)


class MatchesIn(serializers.Serializer[Any]):
    """From 1 to 500 marks in the caller's own assignment. If an entry is repeated, the same row is returned."""

    entries = MatchIn(many=True)


class MatchAnswerOut(AnswerOut):
    """The result for one mark."""

    saved = MatchOut(allow_null=True)


@extend_schema_serializer(many=False)
class MatchAnswersOut(serializers.Serializer[Any]):
    """One answer for each entry, in order."""

    answers = MatchAnswerOut(many=True)


class ReviewOut(RowSerializer[ItemReview]):
    """A statement that an item is finished, or that it is not."""

    item = ItemNumber(source="item_id")

    class Meta:
        model = ItemReview
        fields = ["id", "item", "is_reviewed", "client_key", "created_at"]


class ReviewIn(ItemsIn):
    """Items that are finished or, with false, no longer finished. One `client_key` covers all of them. `list` is the
    nugget list that the assessor saw; the call is refused if the current list has nuggets that it lacks.
    """

    list = serializers.IntegerField(source="nugget_list", required=False, default=None, allow_null=True)
    is_reviewed = serializers.BooleanField(required=False, default=True)


@extend_schema_serializer(many=False)
class FinishedOut(serializers.Serializer[Any]):
    """The items that are finished."""

    items = serializers.ListField(child=serializers.IntegerField())


class StringOut(serializers.Serializer[Any]):
    """A string of a response. `carried_from` is the number of the first of the shown responses that contains the same
    item.
    """

    item = ItemNumber(source="item.pk")
    text = serializers.CharField(source="item.text")
    docno = serializers.CharField(source="item.docno")
    carried_from = serializers.IntegerField(allow_null=True)
    is_finished = serializers.BooleanField()
    is_excused = serializers.BooleanField()
    marks = MarkOut(many=True)
    absent = MarkOut(many=True)


class ResponseOut(DataSerializer):
    """A response, with the number that it has in this assignment's own order."""

    strings = StringOut(many=True)

    class Meta:
        of = ResponseView
        fields = ("number", "strings")


class ResponsesViewSet(AssignmentViewSet):
    """The responses to be judged. Nothing reveals which runs they are from."""

    serializer_class = ResponseOut

    @extend_schema(responses=ResponseOut(many=True))
    def list(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """The responses in this assignment's order, with the caller's own marks."""
        assignment = self.mine()
        access_counting_list(assignment)
        desk = match_desk(assignment)
        if desk is None:
            raise NotFound
        return self.paged(desk.responses, ResponseOut, assignment=assignment)


class MatchViewSet(AssignmentViewSet):
    """Marks of nuggets in items."""

    serializer_class = MatchOut

    @extend_schema(responses=MarkOut(many=True))
    def list(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """The caller's own current marks, sorted by nugget and then by the items' numbers."""
        assignment = self.mine()
        found = access_counting_list(assignment)
        person, before = assignment.assessor_id, ids_before(assignment)
        said = current_marks(found, assessor_id=person, before=before)
        marks = sorted(said, key=lambda mark: (mark.number, mark.part, handle_of(assignment, mark.item_id)))
        return self.paged(marks, MarkOut, assignment=assignment)

    @extend_schema(request=MatchIn, responses={201: MatchOut})
    def create(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Mark a nugget in an item. If the key is repeated, the first row is returned."""
        with reading_click(self.user, slug, assignment_pk):
            values = checked(MatchIn, request)
        return Response(self._saved(slug, assignment_pk, values), status=status.HTTP_201_CREATED)

    @extend_schema(request=MatchesIn, responses={200: MatchAnswersOut})
    @action(detail=False, methods=["post"])
    def batch(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Add several marks, each on its own: a refused entry does not stop the others from being saved."""
        access_work(self.user, slug, assignment_pk)
        return answer_each(request, MatchIn, partial(self._saved, slug, assignment_pk))

    def _saved(self, slug: str, assignment_pk: int, values: dict[str, Any]) -> dict[str, Any]:
        """Add one mark, and return the members of the answer. Refuse an unknown nugget or item, and what `add_match`
        refuses.
        """
        handle = values.pop("item")
        with held_work(self.user, slug, assignment_pk, handle=handle) as held:
            sent = NuggetMatch.objects.filter(client_key=values["client_key"])
            nugget = access_nugget(access_counting_list(held.assignment), values.pop("nugget"), sent=sent)
            item = access_held_item(held, handle)
            match = MatchInput(nugget=nugget, item=item, how=How.API, **values)
            row = add_match(actor=self.user, held=held, match=match)
        return dict(MatchOut(row, context={"assignment": held.assignment}).data)


class ReviewViewSet(AssignmentViewSet):
    """Items that are finished: the assessor said that every nugget in the item is marked. There may be none."""

    serializer_class = ReviewOut
    pagination_class = None

    @extend_schema(responses=FinishedOut)
    def list(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """The items that the assessor finished."""
        assignment = self.mine()
        done = finished_items(access_counting_list(assignment), assignment=assignment)
        return Response({"items": sorted(handle_of(assignment, item) for item in done)})

    @extend_schema(request=ReviewIn, responses={201: ReviewOut(many=True)})
    def create(self, request: Request, slug: str, assignment_pk: int) -> Response:
        """Record that items are finished, or no longer finished."""
        assignment = self.mine()
        values = checked(ReviewIn, request)
        items = self.items(assignment, values.pop("items"))
        rows = review_items(actor=self.user, assignment=assignment, items=items, how=How.API, **values)
        made = ReviewOut(rows, many=True, context={"assignment": assignment})
        return Response(made.data, status=status.HTTP_201_CREATED)

"""API of grading: the items of an assignment and their judgments."""

from __future__ import annotations

from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.assignments import access
from assess.assignments.queries.work_items import handle_of
from assess.campaigns.queries import stage_of
from assess.items.models import Item
from assess.judging.models import Judgment
from assess.judging.queries.bench import items_in_order, own_order
from assess.judging.queries.current import current_judgments_of
from assess.judging.queries.known_answers import compared_answers_at
from assess.kinds.grade.record import JudgmentInput, add_judgment
from assess.ledger.models import How
from assess.web.api import SeatViewSet, checked
from assess.web.batches import AnswerOut, answer_each
from assess.web.scopes import JUDGE
from assess.web.shapes import RowSerializer
from assess.work.api import ItemNumber


class ItemOut(RowSerializer[Item]):
    """An item to judge. It never says which run returned it.

    `id` is the number by which the assessor knows the item; it is valid only in this assignment.
    """

    id = ItemNumber(source="pk")

    class Meta:
        model = Item
        fields = ["id", "kind", "text", "docno", "fields"]


class JudgmentOut(RowSerializer[Judgment]):
    """One row of the judgment ledger. `given` is an answer without a grade, or null."""

    item = ItemNumber(source="item_id")

    class Meta:
        model = Judgment
        fields = ["id", "item", "criterion", "value", "given", "note", "evidence", "client_key", "created_at"]


class JudgedOut(JudgmentOut):
    """A judgment as it was recorded. `known` gives the correct answers of a gold item, if the stage reveals them."""

    known = serializers.SerializerMethodField()

    class Meta(JudgmentOut.Meta):
        fields = [*JudgmentOut.Meta.fields, "known"]

    def get_known(self, row: Judgment) -> str:
        """Return the correct answers as text, or "" if they are not revealed."""
        return str(self.context["known"])


class SnippetIn(serializers.Serializer[Any]):
    """A snippet of the item's document, word for word.

    `start` counts code points; if it is -1, the site looks the snippet up. `value` is the snippet's own grade; null
    means the judgment's grade. `label` is one of the labels that the criterion names.
    """

    quote = serializers.CharField(trim_whitespace=False)
    start = serializers.IntegerField(required=False, default=-1)
    digest = serializers.CharField(required=False)
    value = serializers.IntegerField(required=False, default=None, allow_null=True)
    label = serializers.CharField(required=False, default="", allow_blank=True)  # type: ignore[assignment]


class GivenIn(serializers.Serializer[Any]):
    """An answer without a grade: `unsure` is true if the assessor can't tell. Otherwise, give only the field for the
    kind of answer that the question asks for.
    """

    unsure = serializers.BooleanField(required=False)
    text = serializers.CharField(required=False, trim_whitespace=False)
    number = serializers.FloatField(required=False)
    several = serializers.ListField(child=serializers.IntegerField(), required=False)
    rank = serializers.ListField(child=serializers.IntegerField(), required=False)


class JudgmentIn(serializers.Serializer[Any]):
    """A judgment. `value` null withdraws an earlier one, unless `given` holds an answer without a grade.

    `client_key` makes the call safe to repeat.
    """

    item = serializers.IntegerField()
    criterion = serializers.CharField()
    value = serializers.IntegerField(allow_null=True)
    given = GivenIn(required=False, default=None, allow_null=True)
    client_key = serializers.UUIDField()
    note = serializers.CharField(required=False, default="", allow_blank=True)
    evidence = SnippetIn(many=True, required=False, default=None, allow_null=True)
    seconds = serializers.FloatField(required=False, default=None, allow_null=True)


class JudgmentsIn(serializers.Serializer[Any]):
    """From 1 to 500 judgments of one's own assignment. Sending the same entries again returns the same rows."""

    entries = JudgmentIn(many=True)


class JudgmentAnswerOut(AnswerOut):
    """The result for one judgment."""

    saved = JudgedOut(allow_null=True)


@extend_schema_serializer(many=False)
class JudgmentAnswersOut(serializers.Serializer[Any]):
    """One result for each entry, in the order of the entries."""

    answers = JudgmentAnswerOut(many=True)


class GradingViewSet(SeatViewSet):
    """The items and judgments of one's own assignment."""

    serializer_class = JudgmentOut
    scope = (JUDGE,)

    @extend_schema(responses=ItemOut(many=True))
    @action(detail=True)
    def items(self, request: Request, slug: str, pk: int) -> Response:
        """Return the items that the assignment asks for, in its order and without their runs."""
        assignment = access.access_assignment(self.seat(), pk)
        _, stage = stage_of(assignment.campaign, assignment.stage)
        ids, _ = own_order(assignment, stage)
        page = items_in_order(self.paginate_queryset(ids) or ())
        return self.get_paginated_response(ItemOut(page, many=True, context={"assignment": assignment}).data)

    @extend_schema(methods=["get"], responses=JudgmentOut(many=True))
    @extend_schema(methods=["post"], request=JudgmentIn, responses={201: JudgedOut})
    @action(detail=True, methods=["get", "post"])
    def judgments(self, request: Request, slug: str, pk: int) -> Response:
        """Return one's own current judgments, ordered by item number, or add one.

        A repeated `client_key` returns the first row.
        """
        if request.method == "GET":
            assignment = access.access_assignment(self.seat(), pk)
            rows = current_judgments_of(assignment.topic, assessor=self.user).filter(assignment=assignment)
            drawn = sorted(rows, key=lambda row: (handle_of(assignment, row.item_id), row.criterion))
            return self.paged(drawn, JudgmentOut, assignment=assignment)
        with access.reading_click(self.user, slug, pk):
            values = checked(JudgmentIn, request)
        return Response(self._saved(slug, pk, values), status=status.HTTP_201_CREATED)

    @extend_schema(request=JudgmentsIn, responses={200: JudgmentAnswersOut})
    @action(detail=True, methods=["post"], url_path="judgments/batch", url_name="judgments-batch")
    def batch(self, request: Request, slug: str, pk: int) -> Response:
        """Add many judgments, each as if it came alone: a refused entry does not keep others from being saved."""
        access.access_work(self.user, slug, pk)
        return answer_each(request, JudgmentIn, partial(self._saved, slug, pk))

    def _saved(self, slug: str, pk: int, values: dict[str, Any]) -> dict[str, Any]:
        """Add one judgment and return the response for it."""
        handle = values.pop("item")
        with access.held_work(self.user, slug, pk, handle=handle) as held:
            item = access.access_held_item(held, handle)
            judgment = JudgmentInput(item=item, how=How.API, **values)
            row = add_judgment(actor=self.user, held=held, judgment=judgment)
            known = None
            if held.stage.checks.reveals_gold:
                known = compared_answers_at(held.assignment, held.stage, handle_of(held.assignment, item.pk))
        context = {"assignment": held.assignment, "known": known.words if known is not None else ""}
        return dict(JudgedOut(row, context=context).data)

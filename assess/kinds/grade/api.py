"""The items of an assignment and the judgments of them."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.assignments import access
from assess.assignments.queries.work_items import handle_of
from assess.campaigns.queries import stage_of
from assess.judging.queries.bench import items_in_order, own_order
from assess.judging.queries.current import current_judgments_of
from assess.judging.queries.known_answers import known_words_of
from assess.kinds.grade.record import JudgmentInput, add_judgment
from assess.ledger.models import How
from assess.web.api import SeatViewSet, checked
from assess.work.api import ItemOut, JudgedOut, JudgmentIn, JudgmentOut


class GradingViewSet(SeatViewSet):
    """What is graded in a piece of one's own work, beside the calls of the work itself."""

    serializer_class = JudgmentOut

    @extend_schema(responses=ItemOut(many=True))
    @action(detail=True)
    def items(self, request: Request, slug: str, pk: int) -> Response:
        """The items that the work asks, blind, in the order of the work."""
        assignment = access.access_assignment(self.seat(), pk)
        _, stage = stage_of(assignment.campaign, assignment.stage)
        ids, _ = own_order(assignment, stage)
        page = items_in_order(self.paginate_queryset(ids) or ())
        return self.get_paginated_response(ItemOut(page, many=True, context={"assignment": assignment}).data)

    @extend_schema(request=JudgmentIn, responses={200: JudgmentOut(many=True), 201: JudgedOut})
    @action(detail=True, methods=["get", "post"])
    def judgments(self, request: Request, slug: str, pk: int) -> Response:
        """One's own current judgments, by the items' numbers; or add one. The same key again gives the first row."""
        if request.method == "GET":
            assignment = access.access_assignment(self.seat(), pk)
            rows = current_judgments_of(assignment.topic, assessor=self.user).filter(assignment=assignment)
            drawn = sorted(rows, key=lambda row: (handle_of(assignment, row.item_id), row.criterion))
            return self.paged(drawn, JudgmentOut, assignment=assignment)
        with access.reading_click(self.user, slug, pk):
            values = checked(JudgmentIn, request)
            handle = values.pop("item")
        with access.held_work(self.user, slug, pk, handle=handle) as held:
            item = access.access_held_item(held, handle)
            judgment = JudgmentInput(item=item, how=How.API, **values)
            row = add_judgment(actor=self.user, held=held, judgment=judgment)
            known = known_words_of(held.assignment, held.stage, handle_of(held.assignment, item.pk))
        context = {"assignment": held.assignment, "known": known.words if known is not None else ""}
        return Response(JudgedOut(row, context=context).data, status=status.HTTP_201_CREATED)

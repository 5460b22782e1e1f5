"""Questions that assessors asked, for organisers."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.assignments import access
from assess.assignments.domain.help import answer_question
from assess.assignments.models import HelpRequest
from assess.campaigns.models import Role
from assess.web.api import SeatViewSet, checked


class AnswerIn(serializers.Serializer[Any]):
    """The organiser's answer; `excuse` frees the assessor from judging the item."""

    answer = serializers.CharField()
    excuse = serializers.BooleanField(required=False, default=False)


class HelpOut(serializers.ModelSerializer[HelpRequest]):
    """A question and its answer."""

    class Meta:
        model = HelpRequest
        fields = ["id", "assignment", "item", "text", "answer", "excused", "asked_at", "answered_at"]


class HelpViewSet(SeatViewSet):
    """Questions that assessors asked, for organisers."""

    serializer_class = HelpOut

    @extend_schema(responses=HelpOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """All questions, newest first."""
        seat = self.seat(Role.ORGANISER)
        return self.paged(HelpRequest.objects.filter(assignment__campaign=seat.campaign), HelpOut)

    @extend_schema(request=AnswerIn, responses=HelpOut)
    @action(detail=True, methods=["post"])
    def answer(self, request: Request, slug: str, pk: int) -> Response:
        """Answer one."""
        found = access.access_help_request(self.seat(Role.ORGANISER), pk)
        return Response(HelpOut(answer_question(actor=self.user, request=found, **checked(AnswerIn, request))).data)

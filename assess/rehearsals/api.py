"""Rehearsals: asked for, played by the worker, read when they are done. For organisers."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from assess.campaigns.models import Role
from assess.rehearsals.choices import wish_of
from assess.rehearsals.domain import newest_rehearsal, start_rehearsal
from assess.web.api import SeatViewSet, checked


class WishIn(serializers.Serializer[Any]):
    """What is not as the campaign says; all of it may be left out."""

    runs = serializers.IntegerField(required=False, allow_null=True)
    assessors = serializers.IntegerField(required=False, allow_null=True)
    error = serializers.FloatField(required=False)
    seconds_per_item = serializers.FloatField(required=False, allow_null=True)
    double = serializers.FloatField(required=False)
    relevant = serializers.IntegerField(required=False)
    plays = serializers.IntegerField(required=False)
    seed = serializers.IntegerField(required=False)


@extend_schema_serializer(many=False)
class RehearsalOut(serializers.Serializer[Any]):
    """The newest rehearsal that was played to its end; `work` is the job that is under way or ended badly after it."""

    work = serializers.IntegerField(source="under_way.pk", default=None, allow_null=True)
    state = serializers.CharField(source="under_way.state", default=None, allow_null=True)
    result = serializers.JSONField(allow_null=True)


class RehearsalViewSet(SeatViewSet):
    """The campaign played by simulated runs and assessors."""

    serializer_class = RehearsalOut
    pagination_class = None

    @extend_schema(operation_id="rehearsal_retrieve", responses=RehearsalOut)
    def list(self, request: Request, slug: str) -> Response:
        """The newest result, and what is under way."""
        return Response(RehearsalOut(newest_rehearsal(self.seat(Role.ORGANISER).campaign)).data)

    @extend_schema(operation_id="rehearsal_start", request=WishIn, responses={202: RehearsalOut})
    def create(self, request: Request, slug: str) -> Response:
        """Have the campaign played in the background."""
        campaign = self.seat(Role.ORGANISER).campaign
        start_rehearsal(actor=self.user, campaign=campaign, wish=wish_of(checked(WishIn, request)))
        return Response(RehearsalOut(newest_rehearsal(campaign)).data, status=status.HTTP_202_ACCEPTED)

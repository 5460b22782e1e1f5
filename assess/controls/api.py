"""API of control items: add repeats and gold items, and list how consistently people judge."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.campaigns.models import Role
from assess.controls.consistency import Consistency, consistency_by_assessor
from assess.controls.domain import GoldAnswer, make_control_items, remove_control_items
from assess.controls.plan import ControlItemRequest
from assess.web.api import SeatViewSet, checked
from assess.web.shapes import DataSerializer


class GoldIn(serializers.Serializer[Any]):
    """The correct value of one item for one criterion."""

    topic = serializers.CharField()
    kind = serializers.CharField()
    key = serializers.CharField()
    criterion = serializers.CharField()
    value = serializers.IntegerField()


class PlantsIn(serializers.Serializer[Any]):
    """The control items to add to each open assignment of a stage.

    Without `answers`, gold items are those that adjudicators decided.
    """

    stage = serializers.CharField()
    repeats = serializers.IntegerField(required=False, default=0)
    gold = serializers.IntegerField(required=False, default=0)
    gap = serializers.IntegerField(required=False, default=10)
    seed = serializers.IntegerField(required=False, default=1)
    answers = GoldIn(many=True, required=False, default=list)


class PlantStageIn(serializers.Serializer[Any]):
    """The stage from which control items are removed."""

    stage = serializers.CharField()


class ConsistencyOut(DataSerializer):
    """One assessor's consistency on one criterion. Null means undefined, or too few repeats for a kappa."""

    low = serializers.FloatField(source="interval.low", default=None, allow_null=True)
    high = serializers.FloatField(source="interval.high", default=None, allow_null=True)

    class Meta:
        of = Consistency
        fields = ("assessor", "criterion", "repeats", "agreed", "gold", "right", "kappa", "low", "high")
        sources = {"assessor": "name"}


PLANTED = inline_serializer("Planted", {"planted": serializers.IntegerField()})
REMOVED = inline_serializer("PlantsRemoved", {"removed": serializers.IntegerField()})


class ControlItemViewSet(SeatViewSet):
    """Repeats and gold items, for organisers."""

    serializer_class = ConsistencyOut

    @extend_schema(responses=ConsistencyOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """List how consistently each assessor judged control items, by criterion."""
        return self.paged(consistency_by_assessor(self.seat(Role.ORGANISER).campaign), ConsistencyOut)

    @extend_schema(request=PlantsIn, responses={201: PLANTED})
    def create(self, request: Request, slug: str) -> Response:
        """Add control items. The assessors can't recognise them."""
        seat = self.seat(Role.ORGANISER)
        values = checked(PlantsIn, request)
        answers = [
            GoldAnswer(line=line, **{**each, "value": str(each["value"])})
            for line, each in enumerate(values.pop("answers"), start=1)
        ]
        stage = values.pop("stage")
        wish = ControlItemRequest(**values)
        made = make_control_items(actor=self.user, campaign=seat.campaign, stage=stage, wish=wish, answers=answers)
        return Response({"planted": len(made)}, status=status.HTTP_201_CREATED)

    @extend_schema(request=PlantStageIn, responses=REMOVED)
    @action(detail=False, methods=["post"], pagination_class=None)
    def remove(self, request: Request, slug: str) -> Response:
        """Remove from a stage the control items that nobody has judged or asked about. Answer with their number."""
        seat = self.seat(Role.ORGANISER)
        removed = remove_control_items(actor=self.user, campaign=seat.campaign, **checked(PlantStageIn, request))
        return Response({"removed": removed})

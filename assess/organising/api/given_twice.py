"""Topics that files gave twice, and what the organiser chooses of each."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assess.organising.api.campaigns import CampaignOut
from assess.organising.domain.settings import choose_given
from assess.organising.queries.given_twice import list_given_twice
from assess.topics.api import ORGANISER
from assess.web.api import SeatViewSet, checked


class GivenTopicOut(serializers.Serializer[Any]):
    """A topic that was given twice. `which` of its `findings` count: what was `chosen`, else what the setting says."""

    number = serializers.CharField()
    text = serializers.CharField()
    findings = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    chosen = serializers.CharField(allow_blank=True)
    which = serializers.CharField()
    counts = serializers.ListField(child=serializers.CharField())
    judged = serializers.BooleanField(source="is_judged")


class GivenChoicesIn(serializers.Serializer[Any]):
    """Number -> choice (`last`, `first` or `all`); "" for what the campaign's setting says."""

    choices = serializers.DictField(child=serializers.CharField(allow_blank=True))


class GivenTwiceViewSet(SeatViewSet):
    """Topics that files gave twice with other findings, for organisers."""

    serializer_class = GivenTopicOut

    @extend_schema(operation_id="given_twice_list", responses=GivenTopicOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """These topics with all findings and what was chosen."""
        return self.paged(list_given_twice(self.seat(ORGANISER).campaign), GivenTopicOut)

    @extend_schema(operation_id="given_twice_partial_update", request=GivenChoicesIn, responses=CampaignOut)
    def partial_update(self, request: Request, slug: str) -> Response:
        """Choose for single topics; those not named keep their choice. Refused for topics that were judged."""
        campaign = self.seat(ORGANISER).campaign
        changed = choose_given(actor=self.user, campaign=campaign, **checked(GivenChoicesIn, request))
        return Response(CampaignOut(changed).data)

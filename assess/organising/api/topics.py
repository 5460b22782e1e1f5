"""What an organiser chooses of a campaign's topics: which are judged, and what counts of those given twice."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assess.campaigns.models import Role
from assess.organising.api.campaigns import CampaignOut
from assess.organising.domain import choose_given
from assess.organising.judged_topics import JudgedTopics, choose_topics, judged_topics_of
from assess.organising.queries.topics import GivenTopic, list_given_twice
from assess.web.api import SeatViewSet, checked
from assess.web.made_from import BeforeIn
from assess.web.shapes import DataSerializer

ORGANISER = Role.ORGANISER


class GivenTopicOut(DataSerializer):
    """A topic that was given twice. `which` of its `findings` count: what was `chosen`, else what the setting says."""

    chosen = serializers.CharField(allow_blank=True)

    class Meta:
        of = GivenTopic
        fields = ("number", "text", "findings", "chosen", "which", "counts", "judged")
        sources = {"judged": "is_judged"}


class GivenChoicesIn(BeforeIn):
    """Number -> choice (`last`, `first` or `all`); "" for what the campaign's setting says."""

    choices = serializers.DictField(child=serializers.CharField(allow_blank=True))


class JudgedTopicsOut(DataSerializer):
    """Which topics are judged: those `chosen` by number (none: all), and all topics `asked` by that."""

    class Meta:
        of = JudgedTopics
        fields = ("setting", "chosen", "asked", "topics", "judged_outside")


class JudgedTopicsIn(BeforeIn):
    """The numbers of the topics that are judged; a series stands for its topics, an empty list for all."""

    numbers = serializers.ListField(child=serializers.CharField(max_length=100), allow_empty=True)


class JudgedTopicsViewSet(SeatViewSet):
    """Which topics are judged, for organisers."""

    serializer_class = JudgedTopicsOut

    @extend_schema(responses=JudgedTopicsOut)
    def retrieve(self, request: Request, slug: str) -> Response:
        """The choice that holds."""
        return Response(JudgedTopicsOut(judged_topics_of(self.seat(ORGANISER).campaign)).data)

    @extend_schema(request=JudgedTopicsIn, responses={200: JudgedTopicsOut})
    def create(self, request: Request, slug: str) -> Response:
        """Choose the topics that are judged. What is pooled already stays until the pools are built again."""
        campaign = self.seat(ORGANISER).campaign
        changed = choose_topics(actor=self.user, campaign=campaign, **checked(JudgedTopicsIn, request))
        return Response(JudgedTopicsOut(judged_topics_of(changed)).data)


class GivenTwiceViewSet(SeatViewSet):
    """Topics that files gave twice with other findings, for organisers."""

    serializer_class = GivenTopicOut

    @extend_schema(responses=GivenTopicOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """These topics with all findings and what was chosen."""
        return self.paged(list_given_twice(self.seat(ORGANISER).campaign), GivenTopicOut)

    @extend_schema(request=GivenChoicesIn, responses=CampaignOut)
    def partial_update(self, request: Request, slug: str) -> Response:
        """Choose for single topics; those not named keep their choice. Refused for topics that were judged."""
        campaign = self.seat(ORGANISER).campaign
        changed = choose_given(actor=self.user, campaign=campaign, **checked(GivenChoicesIn, request))
        return Response(CampaignOut(changed).data)

"""The organiser's choices about topics: which ones are judged, and which findings of duplicate topics count."""

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
    """A topic that was given twice. `chosen` is the choice for this topic, or "" if the campaign's setting applies.
    `which` is the choice that applies: which of the `findings` count.
    """

    chosen = serializers.CharField(allow_blank=True)

    class Meta:
        of = GivenTopic
        fields = ("number", "text", "findings", "chosen", "which", "counts", "judged")
        sources = {"judged": "is_judged"}


class GivenChoicesIn(BeforeIn):
    """A choice (`last`, `first` or `all`) by topic number; "" follows the campaign's setting."""

    choices = serializers.DictField(child=serializers.CharField(allow_blank=True))


class JudgedTopicsOut(DataSerializer):
    """The topics that are judged: `chosen` are the numbers that were chosen (empty for all topics), and `asked` are all
    topics that this choice includes.
    """

    class Meta:
        of = JudgedTopics
        fields = ("setting", "chosen", "asked", "topics", "judged_outside")


class JudgedTopicsIn(BeforeIn):
    """The numbers of the topics to judge. A series stands for its topics, and an empty list for all topics."""

    numbers = serializers.ListField(child=serializers.CharField(max_length=100), allow_empty=True)


class JudgedTopicsViewSet(SeatViewSet):
    """The topics that are judged, for organisers."""

    serializer_class = JudgedTopicsOut

    @extend_schema(responses=JudgedTopicsOut)
    def retrieve(self, request: Request, slug: str) -> Response:
        """Return the current choice."""
        return Response(JudgedTopicsOut(judged_topics_of(self.seat(ORGANISER).campaign)).data)

    @extend_schema(request=JudgedTopicsIn, responses={200: JudgedTopicsOut})
    def create(self, request: Request, slug: str) -> Response:
        """Choose the topics to judge. Items that are pooled already stay until the pools are built again."""
        campaign = self.seat(ORGANISER).campaign
        changed = choose_topics(actor=self.user, campaign=campaign, **checked(JudgedTopicsIn, request))
        return Response(JudgedTopicsOut(judged_topics_of(changed)).data)


class GivenTwiceViewSet(SeatViewSet):
    """Topics that files gave twice with different findings, for organisers."""

    serializer_class = GivenTopicOut

    @extend_schema(responses=GivenTopicOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """List these topics with all findings and the choice."""
        return self.paged(list_given_twice(self.seat(ORGANISER).campaign), GivenTopicOut)

    @extend_schema(request=GivenChoicesIn, responses=CampaignOut)
    def partial_update(self, request: Request, slug: str) -> Response:
        """Choose for single topics; the others keep their choice. Refused for topics that were judged."""
        campaign = self.seat(ORGANISER).campaign
        changed = choose_given(actor=self.user, campaign=campaign, **checked(GivenChoicesIn, request))
        return Response(CampaignOut(changed).data)

"""API of near-identical documents: list their clusters, and find them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from assess.campaigns.models import Role
from assess.documents.domain.clusters import start_clustering
from assess.documents.models import DocumentCluster
from assess.documents.queries.clusters import clustered
from assess.jobs.api import JobOut
from assess.web.api import SeatViewSet, checked, filter_parameters, narrowed
from assess.web.known_values import require_known


class ClusteredOut(serializers.ModelSerializer[DocumentCluster]):
    """A document in a cluster. Clusters are numbered from 1 in each topic."""

    topic = serializers.CharField(source="topic.number", read_only=True)
    cluster = serializers.IntegerField(source="number", read_only=True)
    docno = serializers.CharField(source="document.docno", read_only=True)

    class Meta:
        model = DocumentCluster
        fields = ["topic", "cluster", "docno"]


class ClusteringIn(serializers.Serializer[Any]):
    """How alike documents must be: the smallest share of five-word sequences that near-identical documents have in
    common.
    """

    likeness = serializers.FloatField(
        required=False, min_value=0.01, max_value=1, help_text="The default is that of the settings."
    )


class ClusterViewSet(SeatViewSet):
    """Near-identical documents in each topic's pool, for organisers."""

    serializer_class = ClusteredOut

    @extend_schema(responses=ClusteredOut(many=True), parameters=filter_parameters("topic"))
    def list(self, request: Request, slug: str) -> Response:
        """List the documents in clusters, by topic, cluster and docno."""
        seat = self.seat(Role.ORGANISER)
        require_known(request, seat, "topic")
        rows = clustered(seat.campaign)
        return self.paged(narrowed(request, rows, {"topic": "topic__number"}), ClusteredOut)

    @extend_schema(request=ClusteringIn, responses={201: JobOut})
    def create(self, request: Request, slug: str) -> Response:
        """Find clusters in the background, as one job; the current clusters stay until it is done."""
        campaign = self.seat(Role.ORGANISER).campaign
        likeness = checked(ClusteringIn, request).get("likeness")
        work = start_clustering(actor=self.user, campaign=campaign, likeness=likeness)
        return Response(JobOut(work).data, status=status.HTTP_201_CREATED)

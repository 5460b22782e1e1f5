"""API of documents whose pages another version of the site made: count them, and prepare them again."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from assess.campaigns.models import Role
from assess.documents.domain.preparing import start_preparing
from assess.documents.queries.documents import with_older_pages
from assess.jobs.api import JobOut
from assess.web.api import SeatViewSet


@extend_schema_serializer(many=False)
class PreparedOut(serializers.Serializer[Any]):
    """How many documents are stored, and how many of them have a page that another version of the site made."""

    documents = serializers.IntegerField(read_only=True)
    older_pages = serializers.IntegerField(read_only=True)


class PreparedViewSet(SeatViewSet):
    """Preparing again, for organisers, the pages that another version of the site made."""

    serializer_class = PreparedOut
    pagination_class = None

    @extend_schema(responses=PreparedOut)
    def list(self, request: Request, slug: str) -> Response:
        """Return how many documents are stored, and how many have a page that another version of the site made."""
        campaign = self.seat(Role.ORGANISER).campaign
        numbers = {"documents": campaign.documents.count(), "older_pages": with_older_pages(campaign).count()}
        return Response(PreparedOut(numbers).data)

    @extend_schema(request=None, responses={201: JobOut})
    def create(self, request: Request, slug: str) -> Response:
        """Prepare, in the background and as one job, all pages that another version of the site made. The texts stay as
        they are.
        """
        work = start_preparing(actor=self.user, campaign=self.seat(Role.ORGANISER).campaign)
        return Response(JobOut(work).data, status=status.HTTP_201_CREATED)

"""API of document lists and of valid docnos."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from assess.base.unpacked import open_upload
from assess.campaigns.models import Part, Role
from assess.documents.domain.lists import empty_docnos, load_document_list, require_may_see_lists
from assess.documents.domain.start_jobs import start_docnos
from assess.documents.queries.documents import list_lines, listed_topics, package_depth, package_of_top_documents
from assess.jobs.api import JobOut
from assess.topics import access as topics_access
from assess.topics.api import ORGANISER, DocumentListIn, ListedOut, LoadedListOut, TopicOut
from assess.user_agreements import access as user_agreements_access
from assess.web.api import SeatViewSet, UploadIn, checked
from assess.web.page import BYTES, download


class DocumentListViewSet(SeatViewSet):
    """Document lists: what a search engine ranked for each target."""

    serializer_class = TopicOut
    parser_classes = [MultiPartParser]

    @extend_schema(responses=TopicOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """List the topics that have a document list."""
        seat = self.seat()
        user_agreements_access.require_open_to(seat, Part.LISTS)
        return self.paged(listed_topics(seat.campaign).select_related("parent"), TopicOut)

    @extend_schema(request=DocumentListIn, responses={201: LoadedListOut})
    def create(self, request: Request, slug: str) -> Response:
        """Load document lists. A target's list is replaced as a whole."""
        campaign = self.seat(ORGANISER).campaign
        file = checked(DocumentListIn, request)["file"]
        with open_upload(file, name=file.name) as opened:
            loaded = load_document_list(actor=self.user, campaign=campaign, stream=opened.stream, name=file.name)
        return Response(LoadedListOut(loaded).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=ListedOut(many=True))
    def retrieve(self, request: Request, slug: str, number: str) -> Response:
        """Return a target's list, best first."""
        seat = self.seat()
        require_may_see_lists(seat)
        topic = topics_access.access_topic(seat, number)
        return self.paged(topic.listed_documents.order_by("rank", "id"), ListedOut)

    @extend_schema(responses={(200, BYTES): OpenApiTypes.BINARY})
    def file(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Return all lists in their own format, `qnum rank docid rsv`, for organisers and participants."""
        seat = self.seat(ORGANISER, Role.PARTICIPANT)
        user_agreements_access.require_open_to(seat, Part.LISTS)
        return download(list_lines(seat.campaign), name=f"{seat.campaign.slug}-document-lists.txt")

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def package(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Return the texts of every target's top documents as one zip, for organisers and participants."""
        seat = self.seat(ORGANISER, Role.PARTICIPANT)
        user_agreements_access.require_open_to(seat, Part.PACKAGE)
        depth = package_depth(seat.campaign)
        pieces = package_of_top_documents(seat.campaign, depth=depth)
        return download(pieces, name=f"{seat.campaign.slug}-top{depth}.zip", content_type="application/zip")


class DocnosIn(UploadIn):
    """A list of docnos. It replaces a list of the same name."""

    name = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=255, help_text="Its file's name, unless given."
    )


class DocnoViewSet(SeatViewSet):
    """The lists of valid docnos, for organisers."""

    serializer_class = JobOut
    parser_classes = [MultiPartParser]

    @extend_schema(request=DocnosIn, responses={201: JobOut})
    def create(self, request: Request, slug: str) -> Response:
        """Store the list, one docno a line; it is loaded in the background."""
        campaign = self.seat(ORGANISER).campaign
        given = checked(DocnosIn, request)
        work = start_docnos(actor=self.user, campaign=campaign, file=given["file"], list_name=given["name"])
        return Response(JobOut(work).data, status=status.HTTP_201_CREATED)

    @extend_schema(
        responses={204: None},
        parameters=[OpenApiParameter("name", OpenApiTypes.STR, description="One list; all of them where left out.")],
    )
    def destroy(self, request: Request, slug: str) -> Response:
        """Remove one list, or all lists. This is refused after an accepted run was checked against them."""
        name = request.query_params.get("name", "")
        empty_docnos(actor=self.user, campaign=self.seat(ORGANISER).campaign, list_name=name)
        return Response(status=status.HTTP_204_NO_CONTENT)

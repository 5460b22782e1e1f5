"""Topics, and the lists of documents that a search engine ranked for them."""

from __future__ import annotations

from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from assess.api.base import ReportOut, SeatViewSet, UploadField, UploadIn, checked, filter_parameters, narrowed
from assess.api.campaigns import CampaignOut
from assess.domain import access
from assess.domain.campaigns.campaigns import choose_given
from assess.domain.documents.lists import load_document_list, require_may_see_lists
from assess.domain.topics import load_topics
from assess.downloads import BYTES, download
from assess.models import ListedDocument, Part, Role, Topic
from assess.queries.documents.documents import list_lines, listed_topics, package_depth, package_of_top_documents
from assess.queries.topics.files import topic_file_lines, topic_files
from assess.queries.topics.given_twice import list_given_twice

ORGANISER = Role.ORGANISER


class TopicOut(serializers.ModelSerializer[Topic]):
    """A topic; `task` is empty for one that only groups others."""

    parent = serializers.CharField(source="parent.number", read_only=True, default=None, allow_null=True)  # type: ignore[assignment]

    class Meta:
        model = Topic
        fields = ["number", "task", "parent", "text"]


class WholeTopicOut(TopicOut):
    """The same with all that its files say of it, released answers included: `fields`, for organisers alone."""

    fields = serializers.JSONField(required=False)  # type: ignore[assignment]

    class Meta(TopicOut.Meta):
        fields = [*TopicOut.Meta.fields, "fields"]


class TopicFileOut(serializers.Serializer[Any]):
    """A kind of file in which the topics can be had: `key` stands in its address."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    name = serializers.CharField()


class TopicsIn(UploadIn):
    """A topic file. Without a `kind`, one of the track's, its content tells it; `task` decides where several fit."""

    kind = serializers.CharField(required=False, default="", allow_blank=True)
    task = serializers.CharField(required=False, default="", allow_blank=True)


class LoadedTopicsOut(serializers.Serializer[Any]):
    """What loading did; `kept` counts topics that the file does not name."""

    added = serializers.IntegerField()
    changed = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    kept = serializers.IntegerField()
    report = ReportOut()


class ListedOut(serializers.ModelSerializer[ListedDocument]):
    """One line of a document list."""

    class Meta:
        model = ListedDocument
        fields = ["rank", "docno", "score"]


class LoadedListOut(serializers.Serializer[Any]):
    """What loading document lists did."""

    targets = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    documents = serializers.IntegerField()
    report = ReportOut()


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


class DocumentListIn(serializers.Serializer[Any]):
    """A file of lines `qnum rank docid rsv`."""

    file = UploadField()


def _out(seat: access.Seat) -> type[TopicOut]:
    """What this person may see of a topic: its fields can hold what judging is to find out."""
    return WholeTopicOut if seat.is_organiser else TopicOut


class TopicViewSet(SeatViewSet):
    """The campaign's topics."""

    serializer_class = TopicOut
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="topics_list", responses=WholeTopicOut(many=True), parameters=filter_parameters("task", "q")
    )
    def list(self, request: Request, slug: str) -> Response:
        """The topics in order; their `fields` for organisers alone."""
        seat = self.seat()
        topics = access.access_topics(seat).select_related("parent")
        return self.paged(narrowed(request, topics, {"task": "task"}, ("number", "text")), _out(seat))

    @extend_schema(request=TopicsIn, responses={201: LoadedTopicsOut})
    def create(self, request: Request, slug: str) -> Response:
        """Load a topic file: all of it, or nothing."""
        campaign = self.seat(ORGANISER).campaign
        values = checked(TopicsIn, request)
        loaded = load_topics(
            actor=self.user,
            campaign=campaign,
            file_key=values["kind"],
            task=values["task"],
            stream=values["file"],
            name=values["file"].name,
        )
        return Response(LoadedTopicsOut(loaded).data, status=status.HTTP_201_CREATED)

    @extend_schema(operation_id="topics_retrieve", responses=WholeTopicOut)
    def retrieve(self, request: Request, slug: str, number: str) -> Response:
        """One topic; its `fields` for organisers alone."""
        seat = self.seat()
        return Response(_out(seat)(access.access_topic(seat, number)).data)


class TopicFileViewSet(SeatViewSet):
    """The topics in the track's own format, for organisers and, once they are released, for participants."""

    serializer_class = TopicFileOut

    @extend_schema(operation_id="topic_files_list", responses=TopicFileOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """The kinds of files that the topics can be had in."""
        seat = self.seat(ORGANISER, Role.PARTICIPANT)
        access.require_open_to(seat, Part.TOPICS)
        return self.paged(topic_files(seat.campaign), TopicFileOut)

    @extend_schema(operation_id="topic_files_retrieve", responses={(200, BYTES): OpenApiTypes.BINARY})
    def retrieve(self, request: Request, slug: str, key: str) -> StreamingHttpResponse:
        """One file, without what judging is to find out."""
        seat = self.seat(ORGANISER, Role.PARTICIPANT)
        found = access.access_topic_file(seat, key)
        return download(topic_file_lines(seat.campaign, found), name=f"{seat.campaign.slug}-{found.name}")


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


class DocumentListViewSet(SeatViewSet):
    """Document lists: what a search engine ranked for each target."""

    serializer_class = TopicOut
    parser_classes = [MultiPartParser]

    @extend_schema(operation_id="document_lists_list", responses=TopicOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """The topics that have a document list."""
        seat = self.seat()
        access.require_open_to(seat, Part.LISTS)
        return self.paged(listed_topics(seat.campaign).select_related("parent"), TopicOut)

    @extend_schema(request=DocumentListIn, responses={201: LoadedListOut})
    def create(self, request: Request, slug: str) -> Response:
        """Load document lists; a target's list is replaced whole."""
        campaign = self.seat(ORGANISER).campaign
        file = checked(DocumentListIn, request)["file"]
        loaded = load_document_list(actor=self.user, campaign=campaign, stream=file, name=file.name)
        return Response(LoadedListOut(loaded).data, status=status.HTTP_201_CREATED)

    @extend_schema(operation_id="document_lists_retrieve", responses=ListedOut(many=True))
    def retrieve(self, request: Request, slug: str, number: str) -> Response:
        """A target's list, best first."""
        seat = self.seat()
        require_may_see_lists(seat)
        topic = access.access_topic(seat, number)
        return self.paged(topic.listed_documents.order_by("rank", "id"), ListedOut)

    @extend_schema(operation_id="document_lists_file", responses={(200, BYTES): OpenApiTypes.BINARY})
    def file(self, request: Request, slug: str) -> StreamingHttpResponse:
        """All lists in their own format, `qnum rank docid rsv`, for organisers and participants."""
        seat = self.seat(ORGANISER, Role.PARTICIPANT)
        access.require_open_to(seat, Part.LISTS)
        return download(list_lines(seat.campaign), name=f"{seat.campaign.slug}-document-lists.txt")

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def package(self, request: Request, slug: str) -> StreamingHttpResponse:
        """The texts of every target's top documents as one zip, for organisers and participants."""
        seat = self.seat(ORGANISER, Role.PARTICIPANT)
        access.require_open_to(seat, Part.PACKAGE)
        depth = package_depth(seat.campaign)
        pieces = package_of_top_documents(seat.campaign, depth=depth)
        return download(pieces, name=f"{seat.campaign.slug}-top{depth}.zip", content_type="application/zip")

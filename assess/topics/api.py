"""Topics of a campaign and their files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from assess.base.unpacked import open_upload
from assess.campaigns import seats as campaigns_seats
from assess.campaigns.models import Part, Role
from assess.protocol.files import TopicFile
from assess.topics import access as topics_access
from assess.topics.domain.amending import amend_topic
from assess.topics.domain.changing import drop_topic, remove_topic, restore_topic
from assess.topics.domain.loading import LoadedTopics, load_topics
from assess.topics.models import ListedDocument, Topic
from assess.topics.queries import topic_file_lines, topic_files
from assess.user_agreements import access as user_agreements_access
from assess.web.api import ReportOut, SeatViewSet, UploadField, UploadIn, checked, filter_parameters, narrowed
from assess.web.known_values import require_known
from assess.web.page import BYTES, download
from assess.web.shapes import DataSerializer

ORGANISER = Role.ORGANISER


class TopicOut(serializers.ModelSerializer[Topic]):
    """A topic. `task` is empty if it only groups others. A `dropped` topic no longer counts anywhere."""

    parent = serializers.CharField(source="parent.number", read_only=True, default=None, allow_null=True)  # type: ignore[assignment]

    class Meta:
        model = Topic
        fields = ["number", "task", "parent", "text", "dropped"]


class WholeTopicOut(TopicOut):
    """A topic with everything in its files, including released answers: `fields`, for organisers only."""

    fields = serializers.JSONField(required=False)  # type: ignore[assignment]

    class Meta(TopicOut.Meta):
        fields = [*TopicOut.Meta.fields, "fields"]


class ReasonIn(serializers.Serializer[Any]):
    """The reason, which is recorded, shown to the topic's assessors and published in the release. It must not name runs
    or teams.
    """

    reason = serializers.CharField(required=False, default="", allow_blank=True)


class AmendmentIn(ReasonIn):
    """New wordings for texts of a topic, by their keys (`text`, `narrative`, …), and the reason.

    The old wordings are recorded, too. Assessors read both and the reason, so it must not name runs or teams.
    """

    wording = serializers.DictField(child=serializers.CharField(allow_blank=True))


class ChangedTopicsOut(serializers.Serializer[Any]):
    """The numbers of the topics that were changed or removed; empty if nothing changed."""

    topics = serializers.ListField(child=serializers.CharField())


class TopicFileOut(DataSerializer):
    """A kind of file in which the topics are available. `key` is part of its address."""

    class Meta:
        of = TopicFile
        fields = ("key", "label", "name")


class TopicsIn(UploadIn):
    """A topic file. If no `kind` of the track is given, the file's content decides; `task` decides if several kinds
    fit.
    """

    kind = serializers.CharField(required=False, default="", allow_blank=True)
    task = serializers.CharField(required=False, default="", allow_blank=True)


class LoadedTopicsOut(DataSerializer):
    """The result of loading topics. `kept` counts topics that the file does not name."""

    report = ReportOut()

    class Meta:
        of = LoadedTopics
        fields = ("added", "changed", "unchanged", "kept", "report")


class ListedOut(serializers.ModelSerializer[ListedDocument]):
    """A line of a document list."""

    class Meta:
        model = ListedDocument
        fields = ["rank", "docno", "score"]


class LoadedListOut(serializers.Serializer[Any]):
    """The result of loading document lists."""

    targets = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    documents = serializers.IntegerField()
    report = ReportOut()


class DocumentListIn(serializers.Serializer[Any]):
    """A file of lines `qnum rank docid rsv`."""

    file = UploadField()


def _out(seat: campaigns_seats.Seat) -> type[TopicOut]:
    """Return the serializer of topics for this person. Only organisers get fields, which can hold what judging is to
    find out.
    """
    return WholeTopicOut if seat.is_organiser else TopicOut


class TopicViewSet(SeatViewSet):
    """The campaign's topics."""

    serializer_class = TopicOut
    parser_classes = [MultiPartParser]

    @extend_schema(responses=WholeTopicOut(many=True), parameters=filter_parameters("task", "q"))
    def list(self, request: Request, slug: str) -> Response:
        """List the topics in order, with their `fields` for organisers only."""
        seat = self.seat()
        require_known(request, seat, "task")
        topics = topics_access.access_topics(seat).select_related("parent")
        return self.paged(narrowed(request, topics, {"task": "task"}, ("number", "text")), _out(seat))

    @extend_schema(request=TopicsIn, responses={201: LoadedTopicsOut})
    def create(self, request: Request, slug: str) -> Response:
        """Load a topic file, the whole file or nothing."""
        campaign = self.seat(ORGANISER).campaign
        values = checked(TopicsIn, request)
        with open_upload(values["file"], name=values["file"].name) as opened:
            loaded = load_topics(
                actor=self.user,
                campaign=campaign,
                file_key=values["kind"],
                task=values["task"],
                stream=opened.stream,
                name=values["file"].name,
            )
        return Response(LoadedTopicsOut(loaded).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=WholeTopicOut)
    def retrieve(self, request: Request, slug: str, number: str) -> Response:
        """Return one topic, with its `fields` for organisers only."""
        seat = self.seat()
        return Response(_out(seat)(topics_access.access_topic(seat, number)).data)


class TopicChangeViewSet(SeatViewSet):
    """Changes of one topic, with a reason."""

    serializer_class = ChangedTopicsOut

    @extend_schema(request=AmendmentIn, responses=ChangedTopicsOut)
    def amend(self, request: Request, slug: str, number: str) -> Response:
        """Give texts of a topic new wordings, whatever has been judged."""
        campaign = self.seat(ORGANISER).campaign
        found = amend_topic(actor=self.user, campaign=campaign, number=number, **checked(AmendmentIn, request))
        return _changed(topic.number for topic in found)

    @extend_schema(request=ReasonIn, responses=ChangedTopicsOut)
    def drop(self, request: Request, slug: str, number: str) -> Response:
        """Drop a topic, so that it is left out of all pools, work, exports and scores. Its judgments are kept."""
        campaign = self.seat(ORGANISER).campaign
        found = drop_topic(actor=self.user, campaign=campaign, number=number, **checked(ReasonIn, request))
        return _changed(topic.number for topic in found)

    @extend_schema(request=ReasonIn, responses=ChangedTopicsOut)
    def restore(self, request: Request, slug: str, number: str) -> Response:
        """Restore a dropped topic with all its judgments."""
        campaign = self.seat(ORGANISER).campaign
        found = restore_topic(actor=self.user, campaign=campaign, number=number, **checked(ReasonIn, request))
        return _changed(topic.number for topic in found)

    @extend_schema(request=ReasonIn, responses=ChangedTopicsOut)
    def remove(self, request: Request, slug: str, number: str) -> Response:
        """Remove a topic that nobody answered or judged. Otherwise refuse, with the counts of records that depend on
        it.
        """
        campaign = self.seat(ORGANISER).campaign
        return _changed(remove_topic(actor=self.user, campaign=campaign, number=number, **checked(ReasonIn, request)))


def _changed(numbers: Iterable[str]) -> Response:
    return Response(ChangedTopicsOut({"topics": list(numbers)}).data)


class TopicFileViewSet(SeatViewSet):
    """The topics in the track's own format, for organisers and, after their release, for participants."""

    serializer_class = TopicFileOut

    @extend_schema(responses=TopicFileOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """List the kinds of files in which the topics are available."""
        seat = self.seat(ORGANISER, Role.PARTICIPANT)
        user_agreements_access.require_open_to(seat, Part.TOPICS)
        return self.paged(topic_files(seat.campaign), TopicFileOut)

    @extend_schema(responses={(200, BYTES): OpenApiTypes.BINARY})
    def retrieve(self, request: Request, slug: str, key: str) -> StreamingHttpResponse:
        """Return one file, without what judging is to find out."""
        seat = self.seat(ORGANISER, Role.PARTICIPANT)
        found = topics_access.access_topic_file(seat, key)
        return download(topic_file_lines(seat.campaign, found), name=f"{seat.campaign.slug}-{found.name}")

"""The tracks that the site has, which belong to no campaign."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, viewsets
from rest_framework.request import Request
from rest_framework.response import Response

from assess.campaigns.queries import registered_tracks
from assess.protocol.files import FormField, Submission
from assess.protocol.judging import Criterion, Grade, Stage, Task
from assess.protocol.track import Track
from assess.web.api import OneNegotiation
from assess.web.shapes import DataSerializer
from assess.web.strict_calls import StrictCalls


class GradeOut(DataSerializer):
    """An allowed value of a criterion."""

    class Meta:
        of = Grade
        fields = ("value", "name", "help")


class CriterionOut(DataSerializer):
    """A question asked about an item."""

    class Meta:
        of = Criterion
        fields = ("key", "question", "grades")


class StageOut(DataSerializer):
    """A step in judging a topic."""

    work = serializers.CharField(source="work.key")

    class Meta:
        of = Stage
        fields = ("key", "label", "work", "after", "criteria")


class TaskOut(DataSerializer):
    """A question type with its stages in order."""

    class Meta:
        of = Task
        fields = ("key", "label", "stages")


class FormFieldOut(DataSerializer):
    """A field of the submission form."""

    class Meta:
        of = FormField
        fields = ("key", "label", "required", "choices")


class SubmissionOut(DataSerializer):
    """A kind of run file."""

    class Meta:
        of = Submission
        fields = ("key", "label", "help", "priorities", "fields")


class KindOut(serializers.Serializer[Any]):
    """A kind of topic file."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    help = serializers.CharField()


class TrackOut(DataSerializer):
    """A track from which campaigns can be made, with its tasks and kinds of files."""

    topic_files = KindOut(many=True)

    class Meta:
        of = Track
        fields = ("key", "label", "source", "topic_files", "submissions", "tasks")


class TrackViewSet(StrictCalls, viewsets.GenericViewSet[Any]):
    """The tracks from which campaigns can be made."""

    queryset = None
    filter_backends: list[Any] = []
    serializer_class = TrackOut
    content_negotiation_class = OneNegotiation

    @extend_schema(responses=TrackOut(many=True))
    def list(self, request: Request) -> Response:
        """List all tracks with their tasks, stages, scales and kinds of files."""
        page = self.paginate_queryset(list(registered_tracks().values()))
        return self.get_paginated_response(TrackOut(page, many=True).data)

"""What belongs to no campaign: the caller's own token, and the tracks that the site knows."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers, status, viewsets
from rest_framework.request import Request
from rest_framework.response import Response

from assess.campaigns.tracks import registered_tracks
from assess.people.domain.accounts import create_token, revoke_token
from assess.web.api import OneNegotiation

TokenOut = inline_serializer("Token", {"token": serializers.CharField()})


class GradeOut(serializers.Serializer[Any]):
    """An allowed value of a criterion."""

    value = serializers.IntegerField()
    name = serializers.CharField()
    help = serializers.CharField()


class CriterionOut(serializers.Serializer[Any]):
    """A question asked of an item."""

    key = serializers.CharField()
    question = serializers.CharField()
    grades = GradeOut(many=True)


class StageOut(serializers.Serializer[Any]):
    """A step of judging a topic."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    work = serializers.CharField()
    after = serializers.CharField(allow_null=True)
    criteria = CriterionOut(many=True)


class TaskOut(serializers.Serializer[Any]):
    """A question type with its stages, in order."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    stages = StageOut(many=True)


class FormFieldOut(serializers.Serializer[Any]):
    """A question of the submission form."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    required = serializers.BooleanField()  # type: ignore[assignment]
    choices = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))


class SubmissionOut(serializers.Serializer[Any]):
    """A kind of run file."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    help = serializers.CharField()
    priorities = serializers.ListField(child=serializers.IntegerField())
    fields = FormFieldOut(many=True)  # type: ignore[assignment]


class KindOut(serializers.Serializer[Any]):
    """A kind of topic file."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    help = serializers.CharField()


class TrackOut(serializers.Serializer[Any]):
    """An evaluation that campaigns can be made of."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    source = serializers.CharField()  # type: ignore[assignment]
    topic_files = KindOut(many=True)
    submissions = SubmissionOut(many=True)
    tasks = TaskOut(many=True)


class TokenViewSet(viewsets.ViewSet):
    """The caller's own token."""

    content_negotiation_class = OneNegotiation

    @extend_schema(operation_id="token_create", request=None, responses={201: TokenOut})
    def create(self, request: Request) -> Response:
        """Make a token; one that there was before stops working. It is shown this once."""
        return Response({"token": create_token(actor=cast(User, request.user))}, status=status.HTTP_201_CREATED)

    @extend_schema(operation_id="token_revoke", request=None, responses={204: None})
    def revoke(self, request: Request) -> Response:
        """Make the token void."""
        revoke_token(actor=cast(User, request.user))
        return Response(status=status.HTTP_204_NO_CONTENT)


class TrackViewSet(viewsets.GenericViewSet[Any]):
    """The tracks that campaigns can be made of."""

    queryset = None
    filter_backends: list[Any] = []
    serializer_class = TrackOut
    content_negotiation_class = OneNegotiation

    @extend_schema(operation_id="tracks_list", responses=TrackOut(many=True))
    def list(self, request: Request) -> Response:
        """All tracks with their tasks, stages, scales and kinds of files."""
        page = self.paginate_queryset(list(registered_tracks().values()))
        return self.get_paginated_response(TrackOut(page, many=True).data)

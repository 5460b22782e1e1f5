"""Topics that assessors make: their drafts, their finds, and the organiser's decision."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.campaigns.models import JUDGES, Role
from assess.protocol import DraftContent, DraftPart
from assess.topic_drafts import access
from assess.topic_drafts.domain.deciding import accept_draft, send_back
from assess.topic_drafts.domain.finding import add_find, judge_document, withdraw_find
from assess.topic_drafts.domain.writing import begin_draft, drop_draft, send_draft, write_draft
from assess.topic_drafts.models import DraftFind, TopicDraft
from assess.topic_drafts.queries import ShownDraft, show_draft, show_drafts
from assess.web.api import SeatViewSet, checked
from assess.web.scopes import JUDGE


class DraftPartShape(serializers.Serializer[Any]):
    """A question of a draft; `key` identifies it forever."""

    key = serializers.IntegerField(min_value=1, max_value=1000)
    task = serializers.CharField(allow_blank=True)
    text = serializers.CharField(allow_blank=True)


class DraftFindOut(serializers.Serializer[Any]):
    """A find: an answer, a nugget, or whether a document is relevant (`grade` 1 or 0)."""

    number = serializers.IntegerField()
    kind = serializers.CharField()
    part = serializers.IntegerField()
    text = serializers.CharField()
    docno = serializers.CharField()
    quote = serializers.CharField()
    span = serializers.JSONField(allow_null=True)
    grade = serializers.IntegerField(allow_null=True)


class DraftOut(serializers.Serializer[Any]):
    """A draft in its current state; `topic` is the number of the topic that it became."""

    number = serializers.IntegerField(source="draft.number")
    author = serializers.CharField(source="draft.author.username")
    state = serializers.CharField()
    version = serializers.IntegerField()
    text = serializers.CharField(source="content.text")
    task = serializers.CharField(source="content.task")
    parts = DraftPartShape(many=True, source="content.parts")
    definition = serializers.CharField(source="content.definition")
    notes = serializers.CharField(source="content.notes")
    query = serializers.CharField(source="content.query")
    word = serializers.CharField()
    estimate = serializers.CharField()
    topic = serializers.CharField(source="draft.topic.number", default=None, allow_null=True)
    finds = DraftFindOut(many=True)


class DraftKeyIn(serializers.Serializer[Any]):
    """A key that makes the call safe to repeat."""

    client_key = serializers.UUIDField()


class DraftIn(DraftKeyIn):
    """The whole content of a draft; `version` is the one on which it is based."""

    text = serializers.CharField(default="", allow_blank=True)
    task = serializers.CharField(default="", allow_blank=True)
    parts = DraftPartShape(many=True, default=list)
    definition = serializers.CharField(default="", allow_blank=True)
    notes = serializers.CharField(default="", allow_blank=True)
    query = serializers.CharField(default="", allow_blank=True)
    version = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)


class DraftFindIn(DraftKeyIn):
    """An answer or a nugget with its document. A nugget needs a quote."""

    kind = serializers.CharField()
    part = serializers.IntegerField(default=0, min_value=0, max_value=1000)
    text = serializers.CharField()
    docno = serializers.CharField()
    quote = serializers.CharField(default="", allow_blank=True, trim_whitespace=False)
    span = serializers.JSONField(default=None, allow_null=True)


class DraftJudgmentIn(DraftKeyIn):
    """Whether a document is relevant."""

    docno = serializers.CharField()
    relevant = serializers.BooleanField()


class DraftWithdrawalIn(DraftKeyIn):
    """The number of the find to withdraw."""

    find = serializers.IntegerField(min_value=1, max_value=2**31 - 1)


class DraftBackIn(DraftKeyIn):
    """What the author should change; `version` is the one that the organiser read."""

    word = serializers.CharField(allow_blank=True)
    version = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)


class DraftAcceptIn(DraftKeyIn):
    """The number for the topic, by default the next free one; `version` is the one that the organiser read."""

    topic = serializers.CharField(default="", allow_blank=True)
    version = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)


class TopicDraftViewSet(SeatViewSet):
    """Drafts of topics, by their numbers in the campaign."""

    serializer_class = DraftOut
    scopes = dict.fromkeys(("create", "write", "find", "judge", "send", "withdraw"), (JUDGE,))

    def _draft(self) -> TopicDraft:
        return access.access_own_draft(self.seat(*JUDGES), int(self.kwargs["pk"]))

    def _out(self, shown: ShownDraft, code: int = status.HTTP_200_OK) -> Response:
        return Response(DraftOut(shown).data, status=code)

    @extend_schema(responses=DraftOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """List the drafts: all for organisers, their own for assessors."""
        seat = self.seat(Role.ORGANISER, *JUDGES)
        page = self.paginate_queryset(access.access_drafts(seat))
        return self.get_paginated_response(DraftOut(show_drafts(page or ()), many=True).data)

    @extend_schema(request=DraftKeyIn, responses={201: DraftOut})
    def create(self, request: Request, slug: str) -> Response:
        """Begin a draft."""
        campaign = self.seat(*JUDGES).campaign
        draft = begin_draft(actor=self.user, campaign=campaign, **checked(DraftKeyIn, request))
        return self._out(show_draft(draft), status.HTTP_201_CREATED)

    def retrieve(self, request: Request, slug: str, pk: str) -> Response:
        """Return a draft."""
        return self._out(show_draft(access.access_draft(self.seat(Role.ORGANISER, *JUDGES), int(pk))))

    @extend_schema(request=DraftIn, responses=DraftOut)
    @action(detail=True, methods=["post"])
    def write(self, request: Request, slug: str, pk: str) -> Response:
        """Save the whole content of the draft."""
        draft, values = self._draft(), checked(DraftIn, request)
        key, version = values.pop("client_key"), values.pop("version", None)
        content = DraftContent(**{**values, "parts": tuple(DraftPart(**part) for part in values["parts"])})
        shown = write_draft(actor=self.user, draft=draft, content=content, client_key=key, version=version)
        return self._out(shown)

    @extend_schema(request=DraftKeyIn, responses=DraftOut)
    @action(detail=True, methods=["post"])
    def send(self, request: Request, slug: str, pk: str) -> Response:
        """Send the draft to the organiser."""
        draft = self._draft()
        return self._out(send_draft(actor=self.user, draft=draft, **checked(DraftKeyIn, request)))

    @extend_schema(request=DraftKeyIn, responses=DraftOut)
    @action(detail=True, methods=["post"])
    def drop(self, request: Request, slug: str, pk: str) -> Response:
        """Drop the draft for good."""
        draft = self._draft()
        return self._out(drop_draft(actor=self.user, draft=draft, **checked(DraftKeyIn, request)))

    @extend_schema(request=DraftFindIn, responses={201: DraftFindOut})
    @action(detail=True, methods=["post"])
    def find(self, request: Request, slug: str, pk: str) -> Response:
        """Store an answer or a nugget."""
        draft = self._draft()
        return self._found(add_find(actor=self.user, draft=draft, **checked(DraftFindIn, request)))

    @extend_schema(request=DraftJudgmentIn, responses={201: DraftFindOut})
    @action(detail=True, methods=["post"])
    def judge(self, request: Request, slug: str, pk: str) -> Response:
        """Record whether a document is relevant."""
        draft, values = self._draft(), checked(DraftJudgmentIn, request)
        relevant = values.pop("relevant")
        return self._found(judge_document(actor=self.user, draft=draft, is_relevant=relevant, **values))

    @extend_schema(request=DraftWithdrawalIn, responses={201: DraftFindOut})
    @action(detail=True, methods=["post"])
    def withdraw(self, request: Request, slug: str, pk: str) -> Response:
        """Withdraw a find."""
        draft, values = self._draft(), checked(DraftWithdrawalIn, request)
        key = values["client_key"]
        return self._found(withdraw_find(actor=self.user, draft=draft, number=values["find"], client_key=key))

    @extend_schema(request=DraftBackIn, responses=DraftOut)
    @action(detail=True, methods=["post"])
    def back(self, request: Request, slug: str, pk: str) -> Response:
        """Send a draft back to its author, as organiser."""
        draft = access.access_draft(self.seat(Role.ORGANISER), int(pk))
        return self._out(send_back(actor=self.user, draft=draft, **checked(DraftBackIn, request)))

    @extend_schema(request=DraftAcceptIn, responses=DraftOut)
    @action(detail=True, methods=["post"])
    def accept(self, request: Request, slug: str, pk: str) -> Response:
        """Turn the draft into topics of the campaign, as organiser."""
        draft, values = access.access_draft(self.seat(Role.ORGANISER), int(pk)), checked(DraftAcceptIn, request)
        values["number"] = values.pop("topic")
        return self._out(accept_draft(actor=self.user, draft=draft, **values))

    def _found(self, find: DraftFind) -> Response:
        return Response(DraftFindOut(find).data, status=status.HTTP_201_CREATED)

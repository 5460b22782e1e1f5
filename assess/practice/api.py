"""Practice before work: the caller's next item, answers to it, and permission to practise again."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.base.errors import NotFound
from assess.campaigns.models import JUDGES, Role
from assess.practice.access import access_practice
from assess.practice.domain import answer_practice, let_practise_again
from assess.practice.queries import PracticeState, practice_of, practised_stages, shown_text
from assess.web.api import SeatViewSet, checked
from assess.web.scopes import JUDGE


class PracticeItemOut(serializers.Serializer[Any]):
    """The next item to answer. `criteria` are its questions."""

    number = serializers.IntegerField()
    item = serializers.IntegerField(source="handle")
    topic = serializers.CharField(source="item.topic.number")
    text = serializers.SerializerMethodField()
    criteria = serializers.ListField(child=serializers.CharField(), source="expected")

    def get_text(self, item: Any) -> str:
        """Return the text that is shown for the item."""
        return shown_text(item)


class PracticeOut(serializers.Serializer[Any]):
    """How far the caller is in the practice of a stage. `reason` is about the item that was answered last."""

    stage = serializers.CharField(source="stage.key")
    passed = serializers.BooleanField(source="is_passed")
    items = serializers.SerializerMethodField()
    needed = serializers.IntegerField()
    answered = serializers.SerializerMethodField()
    right = serializers.IntegerField()
    tries = serializers.IntegerField()
    tries_left = serializers.IntegerField()
    was_right = serializers.SerializerMethodField()
    expected = serializers.SerializerMethodField()
    reason = serializers.SerializerMethodField()
    next = PracticeItemOut(allow_null=True)

    def get_items(self, state: PracticeState) -> int:
        """Return the number of practice items."""
        return len(state.items)

    def get_answered(self, state: PracticeState) -> int:
        """Return how many items are answered in this try."""
        return len(state.answered)

    def get_was_right(self, state: PracticeState) -> bool | None:
        """Return whether the last answer was right; None before the first."""
        return bool(state.answered[-1]["right"]) if state.answered else None

    def get_expected(self, state: PracticeState) -> dict[str, int]:
        """Return the right answers for the item that was answered last, by question."""
        return dict(state.last[0].expected) if state.last is not None else {}

    def get_reason(self, state: PracticeState) -> str:
        """Return why these answers are right."""
        return state.last[0].reason if state.last is not None else ""


class PracticeAnswerIn(serializers.Serializer[Any]):
    """The caller's answers for the next item, by question; null for "can't tell". With `item`, that of the next item,
    the answer is refused if the items were changed meanwhile.
    """

    stage = serializers.CharField(max_length=50)
    number = serializers.IntegerField(min_value=1)
    item = serializers.IntegerField(required=False, min_value=0)
    values = serializers.DictField(child=serializers.IntegerField(allow_null=True))


class PracticeAgainIn(serializers.Serializer[Any]):
    """The person who may practise again."""

    stage = serializers.CharField(max_length=50)
    user = serializers.CharField(max_length=150)


class PracticeViewSet(SeatViewSet):
    """Practice before work, for assessors."""

    serializer_class = PracticeOut
    scopes = {"create": (JUDGE,)}

    @extend_schema(responses=PracticeOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """List how far the caller is, stage by stage, with the next item."""
        seat = self.seat(*JUDGES)
        states = [practice_of(seat.campaign, each, seat.user) for each in practised_stages(seat.campaign)]
        return self.paged(states, PracticeOut)

    @extend_schema(request=PracticeAnswerIn, responses={201: PracticeOut})
    def create(self, request: Request, slug: str) -> Response:
        """Answer the next item."""
        seat = self.seat(*JUDGES)
        values = checked(PracticeAnswerIn, request)
        stage = access_practice(seat, values.pop("stage"))
        state = answer_practice(actor=seat.user, campaign=seat.campaign, stage=stage, **values)
        return Response(PracticeOut(state).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=PracticeAgainIn, responses={204: None})
    @action(detail=False, methods=["post"], pagination_class=None)
    def again(self, request: Request, slug: str) -> Response:
        """Give a person all tries again."""
        seat = self.seat(Role.ORGANISER)
        values = checked(PracticeAgainIn, request)
        stage = access_practice(seat, values["stage"])
        user = User.objects.filter(username=values["user"]).first()
        if user is None:
            raise NotFound(gettext("%(user)s does not judge in this campaign.") % {"user": values["user"][:60]})
        let_practise_again(actor=seat.user, campaign=seat.campaign, stage=stage, user=user)
        return Response(status=status.HTTP_204_NO_CONTENT)

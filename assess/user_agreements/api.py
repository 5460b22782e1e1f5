"""The user agreement: its text, the parts that require it, and the teams that have accepted it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from assess.campaigns.models import Role
from assess.campaigns.seats import Seat
from assess.user_agreements.domain import accept_user_agreement, set_user_agreement
from assess.user_agreements.models import Acceptance
from assess.user_agreements.queries import agreement_in_force, parts_behind_agreement, team_answers
from assess.web.api import SeatViewSet, checked
from assess.web.made_from import BeforeIn
from assess.web.scopes import SUBMIT

MEMBERS = (Role.ORGANISER, Role.PARTICIPANT)


class AcceptanceOut(serializers.ModelSerializer[Acceptance]):
    """A team's acceptance, with person and time. `note` says where a signed paper is."""

    accepted_by = serializers.CharField(source="accepted_by.username", read_only=True)

    class Meta:
        model = Acceptance
        fields = ["team", "accepted_by", "accepted_at", "note"]


class UserAgreementOut(serializers.Serializer[Any]):
    """The version in force, or 0 if there is none. `closed` names the parts that a team gets only after accepting."""

    version = serializers.IntegerField()
    text = serializers.CharField(allow_blank=True)
    closed = serializers.ListField(child=serializers.CharField())
    acceptances = AcceptanceOut(many=True)


class UserAgreementIn(BeforeIn):
    """The text, and the parts that require it: topics, lists, package."""

    text = serializers.CharField(allow_blank=True, trim_whitespace=False)
    parts = serializers.ListField(child=serializers.CharField(), required=False, default=list)


class AcceptIn(serializers.Serializer[Any]):
    """The version that was read. `team` and `note` are for organisers, who record what a team signed on paper."""

    version = serializers.IntegerField()
    team = serializers.CharField(required=False, default="", allow_blank=True)
    note = serializers.CharField(required=False, default="", allow_blank=True)


class UserAgreementViewSet(SeatViewSet):
    """The user agreement of the campaign."""

    serializer_class = UserAgreementOut
    scopes = {"accept": (SUBMIT,)}

    @extend_schema(responses=UserAgreementOut)
    def retrieve(self, request: Request, slug: str) -> Response:
        """Return the version in force. Participants see only the acceptance of their own team."""
        return Response(_out(self.seat(*MEMBERS)))

    @extend_schema(request=UserAgreementIn, responses={201: UserAgreementOut})
    def create(self, request: Request, slug: str) -> Response:
        """Publish the text, and set the parts that require it."""
        seat = self.seat(Role.ORGANISER)
        set_user_agreement(actor=self.user, campaign=seat.campaign, **checked(UserAgreementIn, request))
        return Response(_out(seat), status=status.HTTP_201_CREATED)

    @extend_schema(request=AcceptIn, responses=AcceptanceOut)
    def accept(self, request: Request, slug: str) -> Response:
        """Accept the agreement for one's team."""
        seat = self.seat(*MEMBERS)
        made = accept_user_agreement(actor=self.user, campaign=seat.campaign, **checked(AcceptIn, request))
        return Response(AcceptanceOut(made).data)


def _out(seat: Seat) -> Any:
    newest = agreement_in_force(seat.campaign)
    answers = team_answers(seat.campaign, newest)
    seen = [each.acceptance for each in answers if seat.is_organiser or each.team in seat.teams]
    values = {
        "version": newest.version if newest is not None else 0,
        "text": newest.text if newest is not None else "",
        "closed": [part.value for part in parts_behind_agreement(seat.campaign)],
        "acceptances": [each for each in seen if each is not None],
    }
    return UserAgreementOut(values).data

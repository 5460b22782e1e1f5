"""API of adjudication: disagreements between people who judged the same thing, and decisions on them."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from assess.adjudication.domain import decide, question_named
from assess.adjudication.queries.listing import (
    DisagreementFilter,
    ListedDisagreement,
    inner_name,
    known_questions,
    paged_disagreements,
    settled_questions,
    shown_item,
    shown_name,
)
from assess.base.errors import Invalid, NotFound
from assess.campaigns.models import Campaign
from assess.campaigns.seats import SETTLERS, Seat
from assess.kinds.opinions import Decision
from assess.ledger.models import How
from assess.web.api import SeatViewSet, checked, filter_parameters, query_text
from assess.web.known_values import require_known
from assess.web.scopes import JUDGE

YES_NO = {"": None, "yes": True, "no": False}


class DisagreementOut(serializers.Serializer[Any]):
    """A thing on which judges differ. The order of `values` does not reveal who gave which.

    `thing` names the thing in a decision. `item` is the number of the item that the thing is, or to which it belongs.
    Both are valid for the caller only. `label` and `docno` are what the page lists of it. `number` is the number of the
    nugget, and `nugget` its text on the list that counts. If work is settled as a whole, a value is a number that
    represents its whole content. `values` has one value or none if an earlier decision asks the question.
    """

    stage = serializers.CharField(source="stage.key")
    criterion = serializers.CharField(source="criterion.key")
    thing = serializers.SerializerMethodField()
    topic = serializers.CharField(source="row.topic")
    item = serializers.SerializerMethodField()
    number = serializers.IntegerField(source="row.thing.number", allow_null=True)
    label = serializers.CharField(source="label.label")  # type: ignore[assignment]
    docno = serializers.CharField(source="label.docno")
    nugget = serializers.CharField(allow_null=True)
    values = serializers.ListField(source="row.values", child=serializers.IntegerField())
    size = serializers.IntegerField(source="row.size")
    decided = serializers.IntegerField(source="row.decided", allow_null=True)
    note = serializers.CharField(source="row.note")

    def get_thing(self, listed: ListedDisagreement) -> str:
        """Return the thing's name for the person who settles it."""
        return shown_name(self.context["campaign"], listed.stage, listed.row.thing, self.context["person"])

    def get_item(self, listed: ListedDisagreement) -> int | None:
        """Return the number of the thing's item, or null."""
        return shown_item(self.context["campaign"], listed.stage, listed.row.thing, self.context["person"])


class DecisionIn(serializers.Serializer[Any]):
    """The adjudicator's decision on a thing; `value` null withdraws it. `client_key` makes the call safe to repeat.
    `nugget` is the text of the nugget that the adjudicator read: the decision is refused if the text is another now.
    """

    stage = serializers.CharField()
    criterion = serializers.CharField()
    thing = serializers.CharField()
    value = serializers.IntegerField(allow_null=True)
    client_key = serializers.UUIDField()
    nugget = serializers.CharField(required=False, default=None, allow_null=True, trim_whitespace=False)
    note = serializers.CharField(required=False, default="", allow_blank=True)
    seconds = serializers.FloatField(required=False, default=None, allow_null=True)


class DecisionOut(serializers.Serializer[Any]):
    """A decision as it was recorded; `id` is the number of its row in the ledger."""

    id = serializers.IntegerField()
    stage = serializers.CharField()
    criterion = serializers.CharField()
    thing = serializers.CharField()
    value = serializers.IntegerField(allow_null=True)


class DisagreementViewSet(SeatViewSet):
    """Disagreements between primary and second assessors, for adjudicators and organisers."""

    serializer_class = DisagreementOut
    scope = (JUDGE,)

    @extend_schema(
        responses=DisagreementOut(many=True),
        parameters=filter_parameters("stage", "criterion", "topic", "size", "decided"),
    )
    def list(self, request: Request, slug: str) -> Response:
        """List the disagreements that the caller may settle.

        They can be filtered by stage, criterion and topic, by minimum `size`, and by `decided` (yes or no).
        """
        seat = self._seat()
        wanted = DisagreementFilter(
            stage=query_text(request, "stage"),
            criterion=query_text(request, "criterion"),
            topic=query_text(request, "topic"),
            size=_size(query_text(request, "size")),
            decided=_decided(query_text(request, "decided")),
        )
        _require_known(seat.campaign, wanted)
        require_known(request, seat, "topic")
        found = paged_disagreements(seat.campaign, wanted, self.user)
        return self.paged(found, DisagreementOut, campaign=seat.campaign, person=self.user)

    @extend_schema(request=DecisionIn, responses={201: DecisionOut})
    def create(self, request: Request, slug: str) -> Response:
        """Settle one disagreement. A repeated `client_key` returns the first row."""
        seat = self._seat()
        values = checked(DecisionIn, request)
        stage, criterion = question_named(seat.campaign, values["stage"], values["criterion"])
        decision = Decision(
            thing=inner_name(seat.campaign, stage, values["thing"], self.user),
            criterion=criterion.key,
            value=values["value"],
            client_key=values["client_key"],
            note=values["note"],
            how=How.API,
            seconds=values["seconds"],
            about=values["nugget"],
        )
        row = decide(actor=self.user, campaign=seat.campaign, stage=stage, decision=decision)
        return Response(DecisionOut({**values, "id": row.pk}).data, status=status.HTTP_201_CREATED)

    def _seat(self) -> Seat:
        return self.seat(*SETTLERS)


def _require_known(campaign: Campaign, wanted: DisagreementFilter) -> None:
    """Raise `NotFound` for a stage or criterion that does not exist; the message lists those that do."""
    is_narrow = wanted.stage or wanted.criterion
    if is_narrow and not settled_questions(campaign, wanted):
        message = gettext("Name a stage and one of its criteria: %(known_questions)s.")
        raise NotFound(message % {"known_questions": known_questions(campaign)})


def _size(text: str) -> int:
    if text and not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise Invalid(gettext("“size” is a whole number: the least steps between the values."))
    return int(text or 0)


def _decided(text: str) -> bool | None:
    if text not in YES_NO:
        raise Invalid(gettext("“decided” is yes or no."))
    return YES_NO[text]

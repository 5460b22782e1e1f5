"""Disagreements and their settling; machine judges; when assessors see what machines say."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.parsers import FormParser, JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from assess.api.base import IssueOut, SeatViewSet, UploadField, asked, checked, filter_parameters
from assess.api.work import JudgmentOut
from assess.domain.access import Seat, access_item
from assess.domain.errors import NotFound
from assess.domain.judging.adjudication import Decision, decide
from assess.domain.judging.drafts import change_drafts
from assess.domain.judging.machine_files import named_copies
from assess.domain.judging.machine_judges import import_machine_judge
from assess.models import Assignment, Drafts, How, Role
from assess.protocol import Criterion, Stage
from assess.queries.analysis.machines import machines_of
from assess.queries.judging.disagreements import adjudicated_stages, disagreements

IDS_END = 1 << 63
"""What no id of a row reaches; a database refuses to compare with it."""


class DisagreementOut(serializers.Serializer[Any]):
    """An item on which judges differ. `values` stand in an order that says nothing of who gave which."""

    item = serializers.IntegerField(source="item_id")
    topic = serializers.CharField()
    values = serializers.ListField(child=serializers.IntegerField())
    size = serializers.IntegerField()
    decided = serializers.IntegerField(allow_null=True)
    note = serializers.CharField()


class DecisionIn(serializers.Serializer[Any]):
    """What the adjudicator says of an item; `value` null takes it back. `client_key` makes the call safe to repeat."""

    stage = serializers.CharField()
    criterion = serializers.CharField()
    item = serializers.IntegerField()
    value = serializers.IntegerField(allow_null=True)
    client_key = serializers.UUIDField()
    note = serializers.CharField(required=False, default="", allow_blank=True)
    seconds = serializers.FloatField(required=False, default=None, allow_null=True)


class MachineOut(serializers.Serializer[Any]):
    """A machine judge: `key` names it in comparisons and exports."""

    key = serializers.CharField()
    name = serializers.CharField()
    items = serializers.IntegerField()
    topics = serializers.DictField(child=serializers.IntegerField())


class MachineIn(serializers.Serializer[Any]):
    """A file of a machine judge's labels, as `multipart/form-data`. The same `name` is the same judge."""

    name = serializers.CharField()
    file = UploadField()
    kind = serializers.CharField(required=False, default="", allow_blank=True)
    criterion = serializers.CharField(required=False, default="", allow_blank=True)


class ImportOut(serializers.Serializer[Any]):
    """What an import did: lines read, rows added, and by reason how many were passed over, with the first of them."""

    machine = serializers.CharField(source="machine.first_name")
    lines = serializers.IntegerField()
    added = serializers.IntegerField()
    passed_over = serializers.DictField(child=serializers.IntegerField())
    issues = IssueOut(many=True)


class DraftsIn(serializers.Serializer[Any]):
    """When assessors see machine judgments: `sealed` never, `after` their own, `open` at once."""

    drafts = serializers.ChoiceField(choices=Drafts.choices)


class DisagreementViewSet(SeatViewSet):
    """Disagreements between authors and other assessors, for adjudicators and organisers."""

    serializer_class = DisagreementOut

    @extend_schema(responses=DisagreementOut(many=True), parameters=filter_parameters("stage", "criterion", "topic"))
    def list(self, request: Request, slug: str) -> Response:
        """Those of one criterion of a stage that the caller may settle."""
        seat = self._seat()
        stage, criterion = _criterion(seat, asked(request, "stage"), asked(request, "criterion"))
        rows = disagreements(seat.campaign, stage, criterion, person=self.user)
        topic = asked(request, "topic")
        return self.paged([row for row in rows if topic in ("", row.topic)], DisagreementOut)

    @extend_schema(request=DecisionIn, responses={201: JudgmentOut})
    def create(self, request: Request, slug: str) -> Response:
        """Settle one. The same key again answers with the first row."""
        seat = self._seat()
        values = checked(DecisionIn, request)
        stage, criterion = _criterion(seat, values["stage"], values["criterion"])
        is_id = 0 < values["item"] < IDS_END
        rows = disagreements(seat.campaign, stage, criterion, items=[values["item"]]) if is_id else []
        if not rows:
            raise NotFound
        item = access_item(Assignment(campaign=seat.campaign, topic_id=rows[0].topic_id), values["item"])
        decision = Decision(
            item=item,
            criterion=criterion.key,
            value=values["value"],
            client_key=values["client_key"],
            note=values["note"],
            how=How.API,
            seconds=values["seconds"],
        )
        row = decide(actor=self.user, campaign=seat.campaign, stage=stage, decision=decision)
        return Response(JudgmentOut(row).data, status=status.HTTP_201_CREATED)

    def _seat(self) -> Seat:
        return self.seat(Role.ADJUDICATOR, Role.ORGANISER)


class MachineViewSet(SeatViewSet):
    """Machine judges, for organisers."""

    serializer_class = MachineOut
    parser_classes = [MultiPartParser, FormParser, JSONParser]

    @extend_schema(responses=MachineOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """Those that there are."""
        return self.paged(machines_of(self.seat(Role.ORGANISER).campaign), MachineOut)

    @extend_schema(request=MachineIn, responses={201: ImportOut})
    def create(self, request: Request, slug: str) -> Response:
        """Import labels. What is not known here is counted and passed over; the same again adds nothing."""
        seat = self.seat(Role.ORGANISER)
        values = checked(MachineIn, request)
        with named_copies([(values["file"].name or "file", values["file"])]) as paths:
            done = import_machine_judge(
                actor=self.user,
                campaign=seat.campaign,
                name=values["name"],
                paths=paths,
                kind=values["kind"],
                criterion=values["criterion"],
            )
        return Response(ImportOut(done).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=DraftsIn, responses=DraftsIn)
    @action(detail=False, methods=["post"], pagination_class=None)
    def drafts(self, request: Request, slug: str) -> Response:
        """Set when assessors see machine judgments."""
        seat = self.seat(Role.ORGANISER)
        change_drafts(actor=self.user, campaign=seat.campaign, drafts=checked(DraftsIn, request)["drafts"])
        return Response(DraftsIn(seat.campaign).data)


def _criterion(seat: Seat, stage: str, criterion: str) -> tuple[Stage, Criterion]:
    """The criterion of a stage that is graded item by item."""
    found = next((each for _, each in adjudicated_stages(seat.campaign) if each.key == stage), None)
    named = found.criterion(criterion) if found is not None else None
    if found is None or named is None:
        known = ", ".join(
            f"{each.key} {one.key}" for _, each in adjudicated_stages(seat.campaign) for one in each.criteria
        )
        raise NotFound(f"Name a stage and one of its criteria: {known or 'none is graded here'}.")
    return found, named

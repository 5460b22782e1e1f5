"""Machine judges, and when assessors see their judgments."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

from assess.campaigns.models import Drafts, Role
from assess.campaigns.queries import LATELY
from assess.jobs.api import JobOut
from assess.jobs.models import Job
from assess.machines.domain import change_drafts
from assess.machines.importing import take_files
from assess.machines.kept_drafts import drafts_at_hand
from assess.machines.queries import DraftLine, Machine, machines_of
from assess.web.api import IssueOut, SeatViewSet, UploadField, checked
from assess.web.shapes import DataSerializer


class MachineOut(DataSerializer):
    """A machine judge: `key` names it in comparisons and exports."""

    class Meta:
        of = Machine
        fields = ("key", "name", "items", "topics")


class MachineIn(serializers.Serializer[Any]):
    """A file of a machine judge's labels, as `multipart/form-data`. Files with the same `name` are of the same
    judge.
    """

    name = serializers.CharField()
    file = UploadField()
    kind = serializers.CharField(required=False, default="", allow_blank=True)
    criterion = serializers.CharField(required=False, default="", allow_blank=True)


class ImportOut(serializers.Serializer[Any]):
    """The result of an import: the lines read, the rows added, and how many entries were skipped for each reason.

    `issues` are notes on the files, and then the first entries that were skipped.
    """

    machine = serializers.CharField(source="machine.first_name")
    lines = serializers.IntegerField()
    added = serializers.IntegerField()
    passed_over = serializers.DictField(child=serializers.IntegerField())
    issues = IssueOut(many=True)


class DraftsIn(serializers.Serializer[Any]):
    """When assessors see machine judgments: `sealed` never, `after` their own, `open` at once.

    In a `share` of the topics, drawn with `seed`, nobody sees them. Values that are left out stay as they are.
    """

    drafts = serializers.ChoiceField(choices=Drafts.choices)
    share = serializers.FloatField(source="draftless_share", required=False)
    seed = serializers.IntegerField(source="draftless_seed", required=False)


class DraftLineOut(DataSerializer):
    """What happened to the drafts of machines in one assignment."""

    class Meta:
        of = DraftLine
        fields = (
            *("stage", "topic", "by", "is_draftless", "offered", "original", "edited", "refused", "left", "new"),
            "minutes",
        )


class MachineViewSet(SeatViewSet):
    """Machine judges, for organisers."""

    serializer_class = MachineOut
    parser_classes = [MultiPartParser]

    @extend_schema(responses=MachineOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """List the machine judges."""
        return self.paged(machines_of(self.seat(Role.ORGANISER).campaign), MachineOut)

    @extend_schema(request=MachineIn, responses={201: ImportOut, 202: JobOut})
    def create(self, request: Request, slug: str) -> Response:
        """Import labels. Labels for unknown items are counted and skipped; importing the same file again adds
        nothing. A file of more than 200,000 bytes is imported in the background: the answer is then the job.
        """
        seat = self.seat(Role.ORGANISER)
        values = checked(MachineIn, request)
        done = take_files(
            actor=self.user,
            campaign=seat.campaign,
            name=values["name"],
            files=[(values["file"].name or "file", values["file"])],
            kind=values["kind"],
            criterion=values["criterion"],
        )
        if isinstance(done, Job):
            return Response(JobOut(done).data, status=status.HTTP_202_ACCEPTED)
        return Response(ImportOut(done).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=DraftsIn, responses=DraftsIn)
    @action(detail=False, methods=["post"], pagination_class=None, parser_classes=api_settings.DEFAULT_PARSER_CLASSES)
    def drafts(self, request: Request, slug: str) -> Response:
        """Set when assessors see machine judgments, and in how many topics never."""
        seat = self.seat(Role.ORGANISER)
        values = checked(DraftsIn, request)
        change_drafts(
            actor=self.user,
            campaign=seat.campaign,
            drafts=values["drafts"],
            share=values.get("draftless_share"),
            seed=values.get("draftless_seed"),
        )
        return Response(DraftsIn(seat.campaign).data)

    @extend_schema(responses=DraftLineOut(many=True))
    @action(detail=False)
    def offered(self, request: Request, slug: str) -> Response:
        """List what happened to drafts in each assignment: how many were kept, edited, refused or left, and how many
        marks are new.
        """
        seat = self.seat(Role.ORGANISER)
        uses = drafts_at_hand(seat.campaign, actor=seat.user, within=LATELY)
        return self.paged(uses.lines, DraftLineOut)

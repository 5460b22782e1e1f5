"""Runs: all of them for organisers, their team's for participants."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.fields import empty
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

from assess.base.errors import NotFound
from assess.base.files import open_file
from assess.base.unpacked import open_unpacked
from assess.campaigns.models import Part, Role
from assess.protocol import RunForm
from assess.runs import access as runs_access
from assess.runs.domain.checking import AT_ONCE, check_while_waiting, size_limit, submission_of
from assess.runs.domain.deciding import withdraw_run
from assess.runs.domain.several import SentFile, submit_several
from assess.runs.domain.submitting import check_again, submit_repaired, submit_while_waiting
from assess.runs.models import Run
from assess.runs.queries import run_check, run_replacing, runs_with_sizes
from assess.user_agreements import access as user_agreements_access
from assess.web.api import IssueOut, ReportOut, SeatViewSet, UploadField, UploadIn, checked, filter_parameters, narrowed
from assess.web.known_values import require_known
from assess.web.scopes import SUBMIT
from assess.web.shapes import DataSerializer
from scoring.reading.json_reading import BadJson, read_json
from scoring.reading.repairs import Repair

# The bodies and answers of calls about runs.


class RunOut(serializers.ModelSerializer[Run]):
    """A run with the counts of what it returned. `file` is the sha256 of the stored file."""

    submitted_by = serializers.CharField(source="submitted_by.username", read_only=True)
    answered = serializers.IntegerField(read_only=True)
    strings = serializers.IntegerField(read_only=True)

    class Meta:
        model = Run
        fields = [
            "id",
            "tag",
            "team",
            "priority",
            "automatic",
            "description",
            "fields",
            "submission",
            "file",
            "file_name",
            "size",
            "state",
            "errors",
            "warnings",
            "notes",
            "answered",
            "strings",
            "submitted_by",
            "submitted_at",
        ]


class RepairOut(DataSerializer):
    """What was repaired in the repaired file. The last row, `left`, counts the remaining errors."""

    class Meta:
        of = Repair
        fields = ("code", "count", "message")


class RunReportOut(RunOut):
    """A run with the first issues that the checker found and the repairs of its file.

    `repaired` is the sha256 of the repaired file ("" if there is none). While the run is being checked, `check` says
    how far that is.
    """

    report = IssueOut(many=True, read_only=True)
    repairs = RepairOut(many=True, read_only=True)
    check = serializers.SerializerMethodField()
    replaces = serializers.IntegerField(
        source="replaces_id",
        read_only=True,
        allow_null=True,
        help_text="The run whose place it took; while it is being checked, the one that it may replace.",
    )
    replaced_by = serializers.SerializerMethodField()

    def get_replaced_by(self, run: Run) -> int | None:
        """Return the id of the run that replaced this one, or None."""
        replacement = run_replacing(run)
        return replacement.pk if replacement is not None else None

    def get_check(self, run: Run) -> str:
        """Return in a sentence what the worker is doing; "" when it is done."""
        return run_check(run, now=timezone.now()).sentence if run.state == Run.State.CHECKING else ""

    class Meta(RunOut.Meta):
        fields = [*RunOut.Meta.fields, "report", "repaired", "repairs", "check", "replaces", "replaced_by"]


class AnswersField(serializers.DictField):
    """Answers by the keys of their questions: a form part with a JSON object, or a part `fields.KEY` for each
    answer.
    """

    def get_value(self, dictionary: Any) -> Any:
        """Return the answers that the form contains. Some may be in the JSON object and others in parts of their
        own.
        """
        parts = super().get_value(dictionary)
        written = dictionary.get(self.field_name)
        if not written or not isinstance(written, str):
            return parts
        try:
            whole = read_json(written)
        except BadJson:
            return written  # it is refused because it is no dictionary
        return {**whole, **parts} if isinstance(whole, dict) and isinstance(parts, dict) else whole


class YesField(serializers.BooleanField):
    """Yes or no. A part that a form leaves out means the default; for a check box it would mean no."""

    default_empty_html = empty


class RunIn(UploadIn):
    """A run file with its form. `fields` is a part with a JSON object that answers the track's own questions by their
    keys.

    If that is hard to write, as with curl, a part `fields.KEY` for each answer does the same.
    """

    submission = serializers.CharField(required=False, default="", allow_blank=True)
    tag = serializers.CharField(required=False, default="", allow_blank=True)
    team = serializers.CharField(required=False, default="", allow_blank=True)
    priority = serializers.IntegerField(required=False, default=None, allow_null=True)
    automatic = YesField(required=False, default=True, help_text="False for a run that was made with human help.")
    description = serializers.CharField(required=False, default="", allow_blank=True)
    published = serializers.BooleanField(required=False, default=False)
    replace = serializers.BooleanField(
        required=False, default=False, help_text="This file replaces the team's run with the same tag and another file."
    )
    fields = AnswersField(  # type: ignore[assignment]
        child=serializers.CharField(allow_blank=True), required=False, default=dict
    )


class SeveralRunsIn(RunIn):
    """Several run files, each in a part `file`, or one zip of them, with one form for all.

    The tag is read from the file if its kind has one; otherwise it is the file's name without its extension. The first
    run has the priority that the form gives, and each further run has the next number.
    """

    file = serializers.ListField(child=UploadField(), allow_empty=False)  # type: ignore[assignment]
    tag = None  # type: ignore[assignment]
    replace = serializers.BooleanField(
        required=False, default=False, help_text="Each file may replace the team's run with its tag and another file."
    )


class RepairedIn(serializers.Serializer[Any]):
    """Whether the repaired file may replace another run of the team with the same tag."""

    replace = serializers.BooleanField(required=False, default=False)


class PreviewRowOut(serializers.Serializer[Any]):
    """A row of how a file was read."""

    topic = serializers.CharField()
    what = serializers.CharField()
    text = serializers.CharField()


class CheckOut(ReportOut):
    """The checker's report, and a preview: the first rows as they were read, or none if there are errors."""

    preview = PreviewRowOut(many=True)


# The calls.

BYTES = "application/octet-stream"
ORGANISER = Role.ORGANISER
MEMBERS = (ORGANISER, Role.PARTICIPANT)


class RunViewSet(SeatViewSet):
    """The runs that the caller may see."""

    serializer_class = RunOut
    scope = (SUBMIT,)
    parser_classes = [MultiPartParser]

    @extend_schema(
        responses=RunOut(many=True),
        parameters=filter_parameters("state", "team", "tag", "q"),
    )
    def list(self, request: Request, slug: str) -> Response:
        """List the runs, by tag."""
        seat = self.seat(*MEMBERS)
        require_known(request, seat, "team")
        rows = runs_with_sizes(runs_access.access_runs(seat))
        fields = {"state": "state", "team": "team", "tag": "tag"}
        return self.paged(narrowed(request, rows, fields, ("tag", "team")), RunOut)

    @extend_schema(request=RunIn, responses={201: RunReportOut, 202: RunReportOut})
    def create(self, request: Request, slug: str) -> Response:
        """Submit a run. A file with errors is stored as a rejected run: see `state` and `report`.

        A file is checked in the background if it is larger than 8 MB, takes longer than a moment, or arrives while
        another one of yours is being checked. Then the answer is 202, and the run is `checking`: ask for it again until
        its state changes. If the team has another file under the tag, the answer is 409 with the code `replaces-run`,
        unless `replace` says that this file replaces it. Values that are left out are then kept from the earlier run.
        """
        seat = self.seat(*MEMBERS)
        values = checked(RunIn, request)
        file = values["file"]
        limit = size_limit(submission_of(seat.campaign, values["submission"]))
        with open_unpacked(file, name=file.name, limit=limit, person=self.user) as opened:
            run = submit_while_waiting(
                actor=self.user,
                campaign=seat.campaign,
                form=_form(values),
                file=opened.stream,
                file_name=opened.name,
                submission=values["submission"],
                published=values["published"],
                replace=values["replace"],
            )
        return Response(self._out(run.pk), status=_submitted(run))

    @extend_schema(request=SeveralRunsIn, responses={202: RunReportOut(many=True)})
    @action(detail=False, methods=["post"], pagination_class=None)
    def several(self, request: Request, slug: str) -> Response:
        """Submit several runs, or a zip of them: all or none. They are checked in the background."""
        seat = self.seat(*MEMBERS)
        values = checked(SeveralRunsIn, request)
        runs = submit_several(
            actor=self.user,
            campaign=seat.campaign,
            form=_form({**values, "tag": ""}),
            files=[SentFile(name=each.name, stream=each.file) for each in values["file"]],
            submission=values["submission"],
            published=values["published"],
            replace=values["replace"],
        )
        return Response([self._out(run.pk) for run in runs], status=status.HTTP_202_ACCEPTED)

    @extend_schema(request=RunIn, responses=CheckOut)
    @action(detail=False, methods=["post"])
    def check(self, request: Request, slug: str) -> Response:
        """Check a run file without storing anything. `preview` shows how it was read, if its kind supports that."""
        seat = self.seat(*MEMBERS)
        user_agreements_access.require_open_to(seat, Part.TOPICS)  # the report reveals something about the topics
        campaign, values = seat.campaign, checked(RunIn, request)
        said = any(values[name] for name in ("tag", "team", "priority", "fields")) or not values["automatic"]
        form = _form(values) if said else None
        kind, file = values["submission"], values["file"]
        published = values["published"] and seat.is_organiser
        with open_unpacked(file, name=file.name, limit=AT_ONCE, person=self.user) as opened:
            report, preview = check_while_waiting(
                actor=self.user,
                campaign=campaign,
                stream=opened.stream,
                submission=kind,
                form=form,
                published=published,
            )
        rows = preview.rows if preview is not None else ()
        shown = [{"topic": topic, "what": what, "text": text} for topic, what, text in rows]
        return Response({**ReportOut(report).data, "preview": shown})

    @extend_schema(responses=RunReportOut)
    def retrieve(self, request: Request, slug: str, pk: int) -> Response:
        """Return a run with the checker's report."""
        return Response(self._out(self._run(pk).pk))

    @extend_schema(responses={(200, BYTES): OpenApiTypes.BINARY})
    @action(detail=True)
    def file(self, request: Request, slug: str, pk: int) -> FileResponse:
        """Return the file as it was submitted, byte for byte."""
        found = self._run(pk)
        return FileResponse(open_file(found.file), as_attachment=True, filename=found.file_name, content_type=BYTES)

    @extend_schema(request=None, responses=RunReportOut)
    @action(detail=True, methods=["post"])
    def withdraw(self, request: Request, slug: str, pk: int) -> Response:
        """Withdraw a run that is accepted or being checked."""
        return Response(self._out(withdraw_run(actor=self.user, run=self._run(pk)).pk))

    @extend_schema(responses={(200, BYTES): OpenApiTypes.BINARY})
    @action(detail=True)
    def repaired(self, request: Request, slug: str, pk: int) -> FileResponse:
        """Return the file with all safe repairs; 404 if there is none."""
        found = self._run(pk)
        if not found.repaired:
            raise NotFound
        name = f"repaired-{found.file_name}"
        return FileResponse(open_file(found.repaired), as_attachment=True, filename=name, content_type=BYTES)

    @extend_schema(request=RepairedIn, responses={202: RunReportOut})
    @action(
        detail=True, methods=["post"], url_path="submit-repaired", parser_classes=api_settings.DEFAULT_PARSER_CLASSES
    )
    def submit_repaired(self, request: Request, slug: str, pk: int) -> Response:
        """Submit the repaired file as a new run, which is checked in the background."""
        found = self._run(pk)
        run = submit_repaired(actor=self.user, run=found, replace=checked(RepairedIn, request)["replace"])
        return Response(self._out(run.pk), status=_submitted(run))

    @extend_schema(request=None, responses=RunReportOut)
    @action(detail=True, methods=["post"], url_path="check-again")
    def check_again(self, request: Request, slug: str, pk: int) -> Response:
        """Restart a check that was stopped, failed, or lost its worker."""
        run = self._run(pk)
        check_again(actor=self.user, run=run)
        return Response(self._out(run.pk))

    def _run(self, pk: int) -> Run:
        return runs_access.access_run(self.seat(*MEMBERS), pk)

    def _out(self, pk: int) -> Any:
        run = runs_with_sizes(runs_access.access_runs(self.seat(*MEMBERS))).get(pk=pk)
        return RunReportOut(run).data


def _submitted(run: Run) -> int:
    """Return the HTTP status for an accepted submission."""
    return status.HTTP_202_ACCEPTED if run.state == Run.State.CHECKING else status.HTTP_201_CREATED


def _form(values: dict[str, Any]) -> RunForm:
    names = ("tag", "team", "priority", "automatic", "description", "fields")
    return RunForm(**{name: values[name] for name in names})

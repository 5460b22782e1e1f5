"""Runs: for organisers all of them, for participants their team's."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

from assess.base.errors import NotFound
from assess.base.files import open_file
from assess.campaigns.models import Part, Role
from assess.protocol import RunForm
from assess.runs import access as runs_access
from assess.runs.api_shapes import CheckOut, RepairedIn, RunIn, RunOut, RunReportOut
from assess.runs.domain.checking import AT_ONCE, check_run
from assess.runs.domain.content import preview_run
from assess.runs.domain.deciding import withdraw_run
from assess.runs.domain.submitting import check_again, submit_repaired, submit_run
from assess.runs.models import Run
from assess.runs.queries.listing import runs_with_sizes
from assess.user_agreements import access as user_agreements_access
from assess.web.api import ReportOut, SeatViewSet, checked, filter_parameters, narrowed

BYTES = "application/octet-stream"
ORGANISER = Role.ORGANISER
MEMBERS = (ORGANISER, Role.PARTICIPANT)


class RunViewSet(SeatViewSet):
    """The runs that the caller may see."""

    serializer_class = RunOut
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="runs_list",
        responses=RunOut(many=True),
        parameters=filter_parameters("state", "team", "tag", "q"),
    )
    def list(self, request: Request, slug: str) -> Response:
        """The runs, by tag."""
        rows = runs_with_sizes(runs_access.access_runs(self.seat(*MEMBERS)))
        fields = {"state": "state", "team": "team", "tag": "tag"}
        return self.paged(narrowed(request, rows, fields, ("tag", "team")), RunOut)

    @extend_schema(request=RunIn, responses={201: RunReportOut, 202: RunReportOut})
    def create(self, request: Request, slug: str) -> Response:
        """Submit a run. A file with errors is kept as a rejected run: look at `state` and `report`.

        Files beyond 8 MB are checked in the background: the answer is 202, and the run is `checking` until that is
        done. Ask for it again until it is not. Where another file of the team stands under the tag, the answer is 409
        with the code `replaces-run`, unless `replace` says that this one takes its place; what is left out is kept.
        """
        seat = self.seat(*MEMBERS)
        values = checked(RunIn, request)
        file = values["file"]
        run = submit_run(
            actor=self.user,
            campaign=seat.campaign,
            form=_form(values),
            file=file,
            file_name=file.name,
            submission=values["submission"],
            published=values["published"],
            replace=values["replace"],
            in_place=file.size <= AT_ONCE,
        )
        return Response(self._out(run.pk), status=_submitted(run))

    @extend_schema(request=RunIn, responses=CheckOut)
    @action(detail=False, methods=["post"])
    def check(self, request: Request, slug: str) -> Response:
        """Check a run file without storing anything; `preview` is how it was read, where its kind shows that."""
        seat = self.seat(*MEMBERS)
        user_agreements_access.require_open_to(seat, Part.TOPICS)  # what is wrong with a run tells of the topics
        campaign, values = seat.campaign, checked(RunIn, request)
        said = any(values[name] for name in ("tag", "team", "priority", "fields"))
        form = _form(values) if said else None
        kind, file = values["submission"], values["file"]
        published = values["published"] and seat.is_organiser
        report = check_run(
            campaign=campaign, stream=file, submission=kind, form=form, at_once=True, published=published
        )
        file.seek(0)
        preview = preview_run(campaign=campaign, stream=file, report=report, submission=kind, form=form)
        rows = preview.rows if preview is not None else ()
        shown = [{"topic": topic, "what": what, "text": text} for topic, what, text in rows]
        return Response({**ReportOut(report).data, "preview": shown})

    @extend_schema(operation_id="runs_retrieve", responses=RunReportOut)
    def retrieve(self, request: Request, slug: str, pk: int) -> Response:
        """One run with the checker's report."""
        return Response(self._out(self._run(pk).pk))

    @extend_schema(responses={(200, BYTES): OpenApiTypes.BINARY})
    @action(detail=True)
    def file(self, request: Request, slug: str, pk: int) -> FileResponse:
        """The file as it was submitted, byte for byte."""
        found = self._run(pk)
        return FileResponse(open_file(found.file), as_attachment=True, filename=found.file_name, content_type=BYTES)

    @extend_schema(request=None, responses=RunReportOut)
    @action(detail=True, methods=["post"])
    def withdraw(self, request: Request, slug: str, pk: int) -> Response:
        """Take an accepted run back."""
        return Response(self._out(withdraw_run(actor=self.user, run=self._run(pk)).pk))

    @extend_schema(responses={(200, BYTES): OpenApiTypes.BINARY})
    @action(detail=True)
    def repaired(self, request: Request, slug: str, pk: int) -> FileResponse:
        """The file in which what can be mended safely is mended; 404 where there is none."""
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
        """Start a check again that was stopped, failed, or lost its worker."""
        run = self._run(pk)
        check_again(actor=self.user, run=run)
        return Response(self._out(run.pk))

    def _run(self, pk: int) -> Run:
        return runs_access.access_run(self.seat(*MEMBERS), pk)

    def _out(self, pk: int) -> Any:
        run = runs_with_sizes(runs_access.access_runs(self.seat(*MEMBERS))).get(pk=pk)
        return RunReportOut(run).data


def _submitted(run: Run) -> int:
    """The status of a submission that was taken."""
    return status.HTTP_202_ACCEPTED if run.state == Run.State.CHECKING else status.HTTP_201_CREATED


def _form(values: dict[str, Any]) -> RunForm:
    names = ("tag", "team", "priority", "description", "fields")
    return RunForm(automatic=values["made"] == "automatic", **{name: values[name] for name in names})

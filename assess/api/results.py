"""What comes out: progress, exported files, scores and their reasons. For organisers."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.api.base import SeatViewSet, asked, filter_parameters
from assess.domain.errors import NotFound
from assess.domain.exports import export_zip, point_named
from assess.domain.scores import explain_score, score_campaign
from assess.models import Role
from assess.queries.exports import export_lines, find_export
from assess.queries.progress import Piece, pieces_of
from assess.queries.tracks import track_of
from scoring.records import Explanation

ORGANISER = Role.ORGANISER
AS_OF = OpenApiParameter("as_of", OpenApiTypes.STR, description="A ledger point; by default now.")
ALL = "all"


class PieceOut(serializers.Serializer[Any]):
    """A piece of work with how far it is; `pace` is active seconds a judgment."""

    assignment = serializers.IntegerField(source="assignment.pk")
    topic = serializers.CharField(source="assignment.topic.number")
    stage = serializers.CharField(source="assignment.stage")
    assessor = serializers.CharField(source="assignment.assessor.username")
    role = serializers.CharField(source="assignment.role")
    state = serializers.CharField(source="assignment.state")
    done = serializers.IntegerField(source="tally.done")
    total = serializers.IntegerField(source="tally.total")
    unit = serializers.CharField(source="tally.unit")
    seconds = serializers.FloatField()
    pace = serializers.FloatField(allow_null=True)


class ExportOut(serializers.Serializer[Any]):
    """A file that can be exported."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]


class MeasureOut(serializers.Serializer[Any]):
    """A measure of the track; the official one decides."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    help = serializers.CharField()
    official = serializers.BooleanField()


class ScoreOut(serializers.Serializer[Any]):
    """One value; null where it is undefined. `topics` counts those that a mean was taken over."""

    run = serializers.CharField()
    topic = serializers.CharField()
    measure = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    topics = serializers.IntegerField(allow_null=True)


class StepOut(serializers.Serializer[Any]):
    """A line of an explanation, with the rows behind it."""

    label = serializers.CharField()  # type: ignore[assignment]
    value = serializers.CharField()
    header = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))


class ExplanationOut(serializers.Serializer[Explanation]):
    """How one value came about, with the formula filled in."""

    run = serializers.CharField()
    topic = serializers.CharField()
    measure = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    formula = serializers.CharField()
    steps = StepOut(many=True)


class ProgressViewSet(SeatViewSet):
    """How far judging is."""

    serializer_class = PieceOut

    @extend_schema(
        operation_id="progress_list",
        responses=PieceOut(many=True),
        parameters=filter_parameters("stage", "assessor", "state", "topic"),
    )
    def list(self, request: Request, slug: str) -> Response:
        """Every piece of work that was not given back."""
        pieces = pieces_of(self.seat(ORGANISER).campaign)
        return self.paged([piece for piece in pieces if _is_asked(request, piece)], PieceOut)


class ExportViewSet(SeatViewSet):
    """Exported files; the same ledger point gives the same bytes."""

    serializer_class = ExportOut
    lookup_field = "name"
    lookup_value_regex = "[A-Za-z0-9._-]+"

    @extend_schema(operation_id="exports_list", responses=ExportOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """The files that the campaign's track writes."""
        return self.paged(track_of(self.seat(ORGANISER).campaign).exports, ExportOut)

    @extend_schema(
        operation_id="exports_zip", parameters=[AS_OF], responses={(200, "application/zip"): OpenApiTypes.BINARY}
    )
    @action(detail=False, url_path="all")
    def all_files(self, request: Request, slug: str) -> FileResponse:
        """All files and their manifest as one zip."""
        campaign = self.seat(ORGANISER).campaign
        point = point_named(asked(request, "as_of"))
        package = export_zip(actor=self.user, campaign=campaign, as_of=point)
        return FileResponse(
            package, as_attachment=True, filename=f"{campaign.slug}-{point}.zip", content_type="application/zip"
        )

    @extend_schema(
        operation_id="exports_retrieve", parameters=[AS_OF], responses={(200, "text/plain"): OpenApiTypes.STR}
    )
    def retrieve(self, request: Request, slug: str, name: str) -> StreamingHttpResponse:
        """One file, line by line."""
        campaign = self.seat(ORGANISER).campaign
        export = find_export(campaign, name)
        if export is None:
            raise NotFound
        lines = export_lines(campaign, export, as_of=point_named(asked(request, "as_of")))
        response = StreamingHttpResponse((line.encode() for line in lines), content_type="text/plain; charset=utf-8")
        response["Content-Disposition"] = content_disposition_header(True, export.name) or "attachment"
        return response


class ScoreViewSet(SeatViewSet):
    """Scores of the accepted runs."""

    serializer_class = ScoreOut

    @extend_schema(
        operation_id="scores_list",
        responses=ScoreOut(many=True),
        parameters=[
            OpenApiParameter("run", OpenApiTypes.STR, description="One run, on all topics."),
            OpenApiParameter("topic", OpenApiTypes.STR, description="A topic or series; “all” unless a run is named."),
            OpenApiParameter("measure", OpenApiTypes.STR),
            AS_OF,
        ],
    )
    def list(self, request: Request, slug: str) -> Response:
        """Values by run, topic and measure."""
        run, measure = asked(request, "run"), asked(request, "measure")
        topic = asked(request, "topic") or ("" if run else ALL)
        found = score_campaign(self.seat(ORGANISER).campaign, point_named(asked(request, "as_of")))
        rows = [
            score
            for score in found.scores
            if run in ("", score.run) and topic in ("", score.topic) and measure in ("", score.measure)
        ]
        return self.paged(rows, ScoreOut)

    @extend_schema(operation_id="scores_measures", responses=MeasureOut(many=True))
    @action(detail=False)
    def measures(self, request: Request, slug: str) -> Response:
        """The measures of the track."""
        return self.paged(track_of(self.seat(ORGANISER).campaign).scoring.measures, MeasureOut)

    @extend_schema(
        operation_id="scores_explain",
        responses=ExplanationOut,
        parameters=[*filter_parameters("run", "topic", "measure"), AS_OF],
    )
    @action(detail=False)
    def explain(self, request: Request, slug: str) -> Response:
        """The rows behind one value of one run."""
        run, topic, measure = (asked(request, name) for name in ("run", "topic", "measure"))
        campaign = self.seat(ORGANISER).campaign
        found = explain_score(campaign, run, topic, measure, point_named(asked(request, "as_of")))
        return Response(ExplanationOut(found).data)


def _is_asked(request: Request, piece: Piece) -> bool:
    work = piece.assignment
    values = {
        "stage": work.stage,
        "assessor": work.assessor.username,
        "state": work.state,
        "topic": work.topic.number,
    }
    return all(asked(request, name) in ("", value) for name, value in values.items())

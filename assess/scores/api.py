"""The results of a campaign: exported files, scores and their reasons. For organisers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import FileResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.base.errors import NotFound
from assess.campaigns.models import Role
from assess.campaigns.queries import LATELY, track_of
from assess.campaigns.seats import Seat
from assess.exports.domain import export_zip, zip_name
from assess.exports.kept import exports_point, file_pieces
from assess.exports.parts import part_of
from assess.exports.writing import find_export
from assess.judging.snapshots import Snapshot
from assess.kinds.trace import JudgmentTrace, Quote, TracedAct, TracedOpinion
from assess.protocol.results import Export, MeasureColumn
from assess.scores.access import access_report_team, access_scored_run, access_scores_point
from assess.scores.at_hand import scores_at_hand
from assess.scores.domain import ScoreCampaign, explain_score
from assess.scores.reports import MeasureReport, ReportLine, ScoreReport, score_report
from assess.scores.trace import judgments_behind
from assess.topics.queries import judged_topics
from assess.web.api import SeatViewSet, filter_parameters, query_text
from assess.web.as_of import AS_OF, SAID, query_point, with_point
from assess.web.known_values import require_among
from assess.web.shapes import DataSerializer
from scoring.records import Score
from scoring.release.explained import About, Explanation, Step
from scoring.release.tables import ALL, MeasureStanding

ORGANISER = Role.ORGANISER
PART = (
    OpenApiParameter("topic", OpenApiTypes.STR, description="Only these topics: numbers with commas between them."),
    OpenApiParameter(
        "judges",
        OpenApiTypes.STR,
        description="As if only these judged: “primary”, “second”, “adjudicated”, “assessor-1”, “machine-A”; only the "
        "topics in which they have work. By default “official”, what counts.",
    ),
)


class ExportOut(DataSerializer):
    """A file that can be exported. `singles` is the name of its files of single topics, in which "<n>" stands for the
    topic's number ("author.<n>"); "" if there are none.
    """

    class Meta:
        of = Export
        fields = ("name", "label", "singles")


class MeasureOut(DataSerializer):
    """A measure of the track. The `official` ones come first."""

    class Meta:
        of = MeasureColumn
        fields = ("key", "label", "help", "official")


class ScoreOut(DataSerializer):
    """A value, or null if it is undefined. `topics` is the number of topics in a mean."""

    class Meta:
        of = Score
        fields = ("run", "topic", "measure", "value", "topics")


class AboutOut(DataSerializer):
    """What a row refers to; null if it refers to nothing that was judged."""

    class Meta:
        of = About
        fields = ("kind", "topic", "name", "key")


class StepOut(DataSerializer):
    """A line of an explanation, with the rows from which it was computed."""

    class Meta:
        of = Step
        fields = ("label", "value", "header", "rows", "about")


class ExplanationOut(DataSerializer):
    """How a value was computed, with the formula filled in."""

    class Meta:
        of = Explanation
        fields = ("run", "topic", "measure", "value", "formula", "arithmetic", "steps")


class QuoteOut(DataSerializer):
    """A passage selected in a document."""

    class Meta:
        of = Quote
        fields = ("quote", "docno", "value")


class TracedActOut(DataSerializer):
    """A ledger row; `was` is the value that it changed. Only organisers see the note."""

    note = serializers.SerializerMethodField()

    class Meta:
        of = TracedAct
        fields = ("number", "value", "was", "at", "how", "seconds", "guideline", "note", "quotes")

    def get_note(self, act: TracedAct) -> str:
        """Return the note for organisers, and "" for others."""
        return act.note if self.context["with_names"] else ""


class OpinionsOut(DataSerializer):
    """One person's opinions on one question. Only organisers see the person."""

    assessor = serializers.SerializerMethodField()

    class Meta:
        of = TracedOpinion
        fields = ("question", "role", "assessor", "counts", "deeds")
        sources = {"deeds": "acts"}

    def get_assessor(self, said: TracedOpinion) -> str:
        """Return the name for organisers, and "" for others."""
        return said.assessor if self.context["with_names"] else ""


class JudgmentTraceOut(DataSerializer):
    """What a row of an explanation refers to."""

    class Meta:
        of = JudgmentTrace
        fields = ("title", "text", "docno", "said")


class RunStandingOut(DataSerializer):
    """A run of the team, compared with all runs."""

    sharing = serializers.IntegerField(allow_null=True, help_text="Runs with this very value, this one among them.")

    class Meta:
        of = MeasureStanding
        fields = ("run", "value", "difference", "rank", "sharing")


class ReportLineOut(DataSerializer):
    """A topic, or "all"."""

    class Meta:
        of = ReportLine
        fields = ("topic", "runs", "median", "best", "count")

    def to_representation(self, line: ReportLine) -> dict[str, Any]:
        """Return the values of the line as they are. A report has some ten thousand lines, and each value passed
        through its field took half of the call's time.
        """
        runs = [{name: getattr(each, name) for name in RunStandingOut.Meta.fields} for each in line.runs]
        return {"topic": line.topic, "runs": runs, "median": line.median, "best": line.best, "count": line.count}


class MeasureReportOut(DataSerializer):
    """A measure over all topics, and by topic."""

    class Meta:
        of = MeasureReport
        fields = ("measure", "official", "help", "overall", "topics")
        sources = {"measure": "column.key", "official": "column.official", "help": "column.help"}


BY_TOPIC = "Besides official measures, the one whose values on each topic are wanted (default: those of all measures)."


class ScoreReportOut(DataSerializer):
    """A team's score report."""

    class Meta:
        of = ScoreReport
        fields = ("team", "as_of", "scored", "measures")


class ExportViewSet(SeatViewSet):
    """Exported files. The same ledger point gives the same bytes."""

    serializer_class = ExportOut
    lookup_field = "name"
    lookup_value_regex = "[A-Za-z0-9._-]+"

    @extend_schema(responses=ExportOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """List the files that the campaign's track writes."""
        return self.paged(track_of(self.seat(ORGANISER).campaign).exports, ExportOut)

    @extend_schema(parameters=[*PART, *AS_OF], responses={(200, "application/zip"): OpenApiTypes.BINARY})
    @action(detail=False, url_path="all")
    def all_files(self, request: Request, slug: str) -> FileResponse:
        """Return all files and their manifest as one zip, or those of some topics or of one judge.

        Those of a large campaign are first made in the background. Until then the call is refused as `still-exporting`,
        with the ledger point at which to ask again.
        """
        snapshot, point = self._requested(request)
        package = export_zip(actor=self.user, snapshot=snapshot)
        answer = FileResponse(package, as_attachment=True, filename=zip_name(snapshot), content_type="application/zip")
        return with_point(answer, point)

    @extend_schema(parameters=[*PART, *AS_OF], responses={(200, "text/plain"): OpenApiTypes.STR})
    def retrieve(self, request: Request, slug: str, name: str) -> StreamingHttpResponse:
        """Return one file, line by line. For a large campaign, it is first made in the background, as for all files."""
        snapshot, point = self._requested(request)
        export = find_export(snapshot.campaign, name)
        if export is None:
            raise NotFound
        pieces = file_pieces(actor=self.user, snapshot=snapshot, export=export)
        response = StreamingHttpResponse(pieces, content_type="text/plain; charset=utf-8")
        response["Content-Disposition"] = content_disposition_header(True, export.name) or "attachment"
        return with_point(response, point)

    def _requested(self, request: Request) -> tuple[Snapshot, int]:
        campaign = self.seat(ORGANISER).campaign
        part = part_of(campaign, topics=query_text(request, "topic"), judges=query_text(request, "judges"))
        point = exports_point(part, query_text(request, "as_of"), made_will_do=True)
        return replace(part, as_of=point), point


class ScoreViewSet(SeatViewSet):
    """Scores of the accepted runs."""

    serializer_class = ScoreOut

    @extend_schema(
        responses=ScoreOut(many=True),
        parameters=[
            OpenApiParameter("run", OpenApiTypes.STR, description="One run, on all topics."),
            OpenApiParameter("topic", OpenApiTypes.STR, description="A topic or series; “all” unless a run is named."),
            OpenApiParameter("measure", OpenApiTypes.STR),
            *AS_OF,
        ],
    )
    def list(self, request: Request, slug: str) -> Response:
        """List values by run, topic and measure."""
        run, measure = query_text(request, "run"), query_text(request, "measure")
        topic = query_text(request, "topic") or ("" if run else ALL)
        seat = self.seat(ORGANISER)
        campaign = seat.campaign
        snapshot = Snapshot(campaign, query_point(request, campaign))
        found = scores_at_hand(seat.user, within=LATELY)(snapshot, None)
        known = {
            "run": lambda: found.runs,
            "topic": lambda: {
                ALL,
                *found.columns.topics,
                *campaign.topics.values_list("number", flat=True),
            },
            "measure": lambda: {each.key for each in found.measures},
        }
        require_among(request, known)
        rows = list(found.columns.where(run=run, topic=topic, measure=measure))
        return with_point(self.paged(rows, ScoreOut), found.as_of)

    @extend_schema(responses=MeasureOut(many=True))
    @action(detail=False)
    def measures(self, request: Request, slug: str) -> Response:
        """List the measures of the track."""
        return self.paged(track_of(self.seat(ORGANISER).campaign).scoring.measures, MeasureOut)

    @extend_schema(
        responses=ExplanationOut,
        parameters=[*filter_parameters("run", "topic", "measure"), *AS_OF],
    )
    @action(detail=False)
    def explain(self, request: Request, slug: str) -> Response:
        """Return the rows from which one value of a run was computed."""
        run, topic, measure = (query_text(request, name) for name in ("run", "topic", "measure"))
        seat = self.seat(ORGANISER, Role.PARTICIPANT)
        access_scored_run(seat, run)
        point, score = _explained_at(seat, request, topic)
        found = explain_score(Snapshot(seat.campaign, point), run, topic, measure, score=score)
        return with_point(Response(ExplanationOut(found).data), point)

    @extend_schema(
        responses=JudgmentTraceOut,
        parameters=[
            *filter_parameters("run", "topic", "measure"),
            OpenApiParameter("row", OpenApiTypes.STR, description="A row of the explanation: “2.5”, step 2, row 5."),
            *AS_OF,
        ],
    )
    @action(detail=False, url_path="explain/judgments")
    def judgments(self, request: Request, slug: str) -> Response:
        """Return people's judgments of what a row of an explanation refers to."""
        seat = self.seat(ORGANISER, Role.PARTICIPANT)
        run, topic, measure, row = (query_text(request, name) for name in ("run", "topic", "measure", "row"))
        access_scored_run(seat, run)
        point, score = _explained_at(seat, request, topic)
        found = judgments_behind(
            Snapshot(seat.campaign, point),
            run=run,
            topic=topic,
            measure=measure,
            row=row,
            with_machines=seat.is_organiser,
            score=score,
        )
        thing = found.thing or JudgmentTrace(title="")
        return with_point(Response(JudgmentTraceOut(thing, context={"with_names": seat.is_organiser}).data), point)

    @extend_schema(
        responses=ScoreReportOut,
        parameters=[
            OpenApiParameter("team", OpenApiTypes.STR, description="For organisers: whose report."),
            OpenApiParameter("measure", OpenApiTypes.STR, description=BY_TOPIC),
            SAID,
        ],
    )
    @action(detail=False)
    def report(self, request: Request, slug: str) -> Response:
        """Return a team's runs compared with the median and the best of all. Participants get theirs after the
        release.
        """
        seat = self.seat(ORGANISER, Role.PARTICIPANT)
        point, team = access_scores_point(seat), access_report_team(seat, query_text(request, "team"))
        score = scores_at_hand(seat.user, within=LATELY)
        measure = query_text(request, "measure")
        by_topic = [measure] if measure else None
        found = score_report(Snapshot(seat.campaign, point), team=team, score=score, by_topic=by_topic)
        return with_point(Response(ScoreReportOut(found).data), found.as_of)


def _explained_at(seat: Seat, request: Request, topic: str) -> tuple[int, ScoreCampaign]:
    """Return the ledger point at which a value is explained, and the function that gives the scores there.

    A value that is not of a single judged topic is computed from the values of topics, so it is explained as it was
    scored.
    """
    score = scores_at_hand(seat.user, within=LATELY)
    snapshot = Snapshot(seat.campaign, access_scores_point(seat, query_point(request, seat.campaign)))
    if judged_topics(seat.campaign).filter(number=topic).exists():
        return snapshot.reached(), score
    found = score(snapshot, None)
    return found.as_of, lambda *_: found

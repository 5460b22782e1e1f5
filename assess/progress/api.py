"""How far judging is: every assignment, and summaries. For organisers."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.assignments.models import Assignment
from assess.campaigns.models import Role
from assess.progress.domain import counts_for_a_call
from assess.progress.forecast import Forecast
from assess.progress.queries.assignment_progress import AssignmentProgress, progress_of_assignments
from assess.progress.queries.pace import Day
from assess.progress.queries.progress_report import WaitingQuestions, report_from_counts, summary_of
from assess.web.api import SeatViewSet, filter_parameters, query_choice, query_text
from assess.web.known_values import require_known
from assess.web.shapes import DataSerializer
from assess.web.strict_calls import query_number

USUAL_ROWS, MOST_ROWS = 200, 500


class AssignmentProgressOut(serializers.Serializer[Any]):
    """An assignment and its progress. `pace` is in active seconds per judgment; `last_at` is the time of the last
    recorded act.
    """

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
    last_at = serializers.DateTimeField(allow_null=True)


class ProgressShareOut(serializers.Serializer[Any]):
    """A group of assignments. `pace` is in active seconds per judgment."""

    name = serializers.CharField()
    pieces = serializers.IntegerField()
    finished = serializers.IntegerField()
    done = serializers.IntegerField()
    left = serializers.IntegerField()
    pace = serializers.FloatField(allow_null=True)


class AssessorProgressOut(ProgressShareOut):
    """One assessor's assignments, with recent work, and the median and last of their daily paces."""

    today = serializers.FloatField()
    seven_days = serializers.FloatField()
    hours = serializers.FloatField()
    median_pace = serializers.FloatField(allow_null=True)
    last_pace = serializers.FloatField(allow_null=True)


class ForecastOut(DataSerializer):
    """When the work may be finished: the middle of 400 simulations, and the range of eight in ten of them."""

    without = serializers.ListField(child=serializers.CharField(), help_text="Stages in which nothing was done yet.")

    class Meta:
        of = Forecast
        fields = ("early", "middle", "late", "without")


class WaitingQuestionsOut(DataSerializer):
    """How many questions assessors have asked, how many wait for an answer, and since when the oldest does."""

    class Meta:
        of = WaitingQuestions
        fields = ("waiting", "all", "oldest")


class WorkDayOut(DataSerializer):
    """A day: the number of items done on it and up to its end, and active hours."""

    class Meta:
        of = Day
        fields = ("day", "done", "so_far", "hours")


class WorkAlertOut(serializers.Serializer[Any]):
    """A reason to look at somebody's work: lease, question, idle, untouched or slow."""

    kind = serializers.CharField()
    assessor = serializers.CharField()
    topic = serializers.CharField()
    stage = serializers.CharField()
    text = serializers.CharField()


class SummaryCountsOut(serializers.Serializer[Any]):
    """How many rows the lists of the summary have altogether."""

    assessors = serializers.IntegerField()
    topics = serializers.IntegerField()
    stuck = serializers.IntegerField()


class ProgressSummaryOut(serializers.Serializer[Any]):
    """How far a campaign is as of a ledger point. `forecast` is null if there is too little data. `assessors`, `topics`
    and `stuck` hold the rows that `limit` and `offset` ask for; `counts` says how many each has.
    """

    as_of = serializers.IntegerField()
    time_zone = serializers.CharField(help_text="The campaign's zone, in which all days are meant.")
    today = serializers.DateField()
    all = ProgressShareOut(allow_null=True)
    done_today = serializers.FloatField()
    done_in_seven_days = serializers.FloatField()
    forecast = ForecastOut(allow_null=True)
    questions = WaitingQuestionsOut()
    counts = SummaryCountsOut()
    stages = ProgressShareOut(many=True)
    roles = ProgressShareOut(many=True)
    assessors = AssessorProgressOut(many=True)
    topics = ProgressShareOut(many=True)
    days = WorkDayOut(many=True)
    stuck = WorkAlertOut(many=True)


class ProgressViewSet(SeatViewSet):
    """How far judging is."""

    serializer_class = AssignmentProgressOut

    @extend_schema(
        responses=AssignmentProgressOut(many=True),
        parameters=filter_parameters("stage", "assessor", "state", "topic"),
    )
    def list(self, request: Request, slug: str) -> Response:
        """List every assignment that was not given back, without those of machine judges and of dropped topics. Refused
        (`still-counting`) while much that was recorded at once is not counted yet.
        """
        seat = self.seat(Role.ORGANISER)
        campaign = seat.campaign
        require_known(request, seat, "stage", "topic", "assessor")
        query_choice(request, "state", Assignment.State.values)
        pieces = progress_of_assignments(campaign, counts=counts_for_a_call(campaign))
        return self.paged([piece for piece in pieces if _is_asked(request, piece)], AssignmentProgressOut)

    @extend_schema(
        responses=ProgressSummaryOut,
        parameters=[
            OpenApiParameter(
                "limit",
                OpenApiTypes.INT,
                description=f"Rows of each list, from 1 to {MOST_ROWS}; {USUAL_ROWS} by default.",
            ),
            OpenApiParameter("offset", OpenApiTypes.INT, description="How many rows of each list are skipped."),
        ],
    )
    @action(detail=False)
    def summary(self, request: Request, slug: str) -> Response:
        """Return sums by stage, role, assessor, topic and day, with the forecast and what is stuck.

        Assessors, topics and what is stuck are given some rows at a time. Refused (`still-counting`) while much that
        was recorded at once is not counted yet.
        """
        campaign = self.seat(Role.ORGANISER).campaign
        begin = query_number(request, "offset", 0)
        rows = slice(begin, begin + query_number(request, "limit", USUAL_ROWS, least=1, most=MOST_ROWS))
        return Response(summary_of(report_from_counts(campaign, counts_for_a_call(campaign), timezone.now()), rows))


def _is_asked(request: Request, piece: AssignmentProgress) -> bool:
    work = piece.assignment
    values = {
        "stage": work.stage,
        "assessor": work.assessor.username,
        "state": work.state,
        "topic": work.topic.number,
    }
    return all(query_text(request, name) in ("", value) for name, value in values.items())

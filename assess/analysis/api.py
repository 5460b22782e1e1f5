"""API of analyses, for organisers: agreement between judges, stability of rankings, significance of differences."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from assess.analysis.domain.agreement import ask_comparison
from assess.analysis.domain.first_choice import first_choice
from assess.analysis.domain.kept_agreement import compare_at_hand
from assess.analysis.domain.rankings import SideChoice, Sides, distinct_sides, measures_of, ranking_measures
from assess.analysis.domain.significance import Significance, compare_campaign_runs, named_test, pair_effects
from assess.analysis.domain.stability import compare_rankings
from assess.base.errors import Invalid
from assess.campaigns.models import Campaign, Role
from assess.campaigns.queries import LATELY
from assess.judging.queries.judges import OFFICIAL
from assess.judging.snapshots import Snapshot
from assess.scores.at_hand import scores_at_hand
from assess.web.api import SeatViewSet, filter_parameters, query_choice, query_number, query_text
from assess.web.as_of import AS_OF, query_point, with_point
from scoring.statistics.agreement_report import AgreementReport
from scoring.statistics.intervals import Estimate
from scoring.statistics.multiple_comparisons import ALPHA


class AgreementOut(serializers.Serializer[Any]):
    """A measure of agreement; `value` is null if it is undefined. `low` and `high` are a 95 % interval over topics."""

    topic = serializers.CharField()
    measure = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    items = serializers.IntegerField()


class CorrelationOut(serializers.Serializer[Any]):
    """How similar two rankings are by one measure; `value` is null if it is undefined."""

    measure = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    topics = serializers.IntegerField()


class PairOut(serializers.Serializer[Any]):
    """Two runs under one test, the better run first. Numbers that are undefined are null."""

    run_a = serializers.CharField()
    run_b = serializers.CharField()
    test = serializers.CharField()
    topics = serializers.IntegerField()
    statistic = serializers.FloatField(allow_null=True)
    p = serializers.FloatField(allow_null=True)
    corrected = serializers.FloatField(allow_null=True)
    difference = serializers.FloatField(allow_null=True)
    d_paired = serializers.FloatField(allow_null=True)
    g_paired = serializers.FloatField(allow_null=True)
    superiority = serializers.FloatField(allow_null=True)


class AgreementViewSet(SeatViewSet):
    """Agreement between judges."""

    serializer_class = AgreementOut

    @extend_schema(
        responses=AgreementOut(many=True),
        parameters=[
            *filter_parameters("stage", "criterion"),
            OpenApiParameter("judges", OpenApiTypes.STR, description="Keys with commas between: primary,second."),
            OpenApiParameter("relevant", OpenApiTypes.STR, description="What counts as relevant in overlaps."),
            OpenApiParameter("per_topic", OpenApiTypes.STR, description="“yes”: every topic, without intervals."),
            *AS_OF,
        ],
    )
    def list(self, request: Request, slug: str) -> Response:
        """List all measures of agreement between two or more judges.

        Without stage and criterion, the comparison is the one that the page shows first.
        """
        seat = self.seat(Role.ORGANISER)
        campaign = seat.campaign
        is_by_topic = query_choice(request, "per_topic", ("yes", "no")) == "yes"
        chosen = _chosen(campaign, request)
        if chosen is None:
            return self.paged([], AgreementOut)
        stage, criterion, judges = chosen
        comparison = ask_comparison(
            Snapshot(campaign, query_point(request, campaign)),
            stage=stage,
            criterion=criterion,
            judges=judges,
            relevant=_number(request, "relevant"),
        )
        found = compare_at_hand(comparison, actor=seat.user, within=LATELY)
        reports = (*(found.by_topic if is_by_topic else ()), found.report)
        return with_point(self.paged([row for report in reports for row in _rows(report)], AgreementOut), found.as_of)


class StabilityViewSet(SeatViewSet):
    """Rankings under two sets of judgments."""

    serializer_class = CorrelationOut

    @extend_schema(
        responses=CorrelationOut(many=True),
        parameters=[
            OpenApiParameter("first", OpenApiTypes.STR, description="Whose judgments count: official, second …"),
            OpenApiParameter("second", OpenApiTypes.STR),
            *filter_parameters("first_measure", "second_measure"),
            *AS_OF,
        ],
    )
    def list(self, request: Request, slug: str) -> Response:
        """List all rank correlations of the two rankings, with intervals over topics. The list is empty while no run
        has a value.

        If neither side is named, the official judgments are compared with those of somebody else who judged the same;
        the list is empty if nobody did.
        """
        seat = self.seat(Role.ORGANISER)
        campaign = seat.campaign
        snapshot = Snapshot(campaign, query_point(request, campaign))
        sides = Sides(snapshot, scores_at_hand(seat.user, within=LATELY))
        if not measures_of(sides, SideChoice()):
            return self.paged([], CorrelationOut)
        first, second = (
            SideChoice(judge=query_text(request, side) or OFFICIAL, measure=query_text(request, f"{side}_measure"))
            for side in ("first", "second")
        )
        if not (query_text(request, "first") or query_text(request, "second")):
            first, second = distinct_sides(sides, first, second)
            if first == second:
                return self.paged([], CorrelationOut)
        found = compare_rankings(sides, first=first, second=second)
        rows = [{**_ends(each), "topics": len(found.topics)} for each in found.estimates]
        return with_point(self.paged(rows, CorrelationOut), sides.as_of)


class SignificanceViewSet(SeatViewSet):
    """Pairs of runs under one test."""

    serializer_class = PairOut

    @extend_schema(
        responses=PairOut(many=True),
        parameters=[*filter_parameters("measure", "test", "correction", "seed"), *AS_OF],
    )
    def list(self, request: Request, slug: str) -> Response:
        """List all pairs of runs in the order of their means, with effect sizes. The list is empty while no run has a
        value.
        """
        seat = self.seat(Role.ORGANISER)
        campaign = seat.campaign
        seed = query_number(request, "seed", 0)
        snapshot = Snapshot(campaign, query_point(request, campaign))
        scores = scores_at_hand(seat.user, within=LATELY)(snapshot, None)
        if not ranking_measures(scores):
            return self.paged([], PairOut)
        chosen = named_test(
            query_text(request, "test") or "tukey", query_text(request, "correction") or "holm", alpha=ALPHA, seed=seed
        )
        found = compare_campaign_runs(campaign, scores, asked=chosen, measure=query_text(request, "measure"))
        return with_point(self.paged(PairRows(found), PairOut), scores.as_of)


@dataclass(frozen=True, slots=True)
class PairRows:
    """All pairs of runs with their effect sizes, of which only those on the requested page are computed."""

    found: Significance

    def __len__(self) -> int:
        return len(self.found.pairs)

    def __getitem__(self, place: slice) -> list[dict[str, Any]]:
        pairs = self.found.pairs[place]
        sizes = pair_effects(self.found, pairs, with_intervals=False)
        return [{**asdict(size), **asdict(pair)} for pair, size in zip(pairs, sizes, strict=True)]


def _chosen(campaign: Campaign, request: Request) -> tuple[str, str, list[str]] | None:
    """Return (stage, criterion, judges) as the call names them, or those that the page shows first if it names none of
    them.

    Return None if the call names none and there is nothing to compare.
    """
    stage, criterion = query_text(request, "stage"), query_text(request, "criterion")
    judges = [key for each in query_text(request, "judges").split(",") if (key := each.strip())]
    if stage or criterion or judges:
        return stage, criterion, judges
    choice = first_choice(campaign)
    return None if choice is None else (choice.question.stage, choice.question.criterion, list(choice.judges))


def _number(request: Request, name: str) -> float | None:
    text = query_text(request, name)
    try:
        return float(text) if text else None
    except ValueError:
        message = gettext("“%(text)s” is no number. Give a value of the scale, such as 1.")
        raise Invalid(message % {"text": text[:40]}) from None


def _rows(report: AgreementReport) -> list[dict[str, Any]]:
    return [{"topic": report.topic, **_ends(each), "items": report.items} for each in report.estimates]


def _ends(each: Estimate) -> dict[str, Any]:
    low, high = (None, None) if each.interval is None else (each.interval.low, each.interval.high)
    return {"measure": each.measure, "value": each.value, "low": low, "high": high}

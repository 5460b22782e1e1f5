"""The page of agreement, for organisers: all measures with intervals, a confusion matrix, and topics one by one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from assess.analysis.domain.agreement import (
    TOPIC_RESAMPLES,
    Comparison,
    ask_comparison,
    by_condition,
    matrix_of,
    pairs_in,
    topic_intervals,
    with_texts,
)
from assess.analysis.domain.first_choice import first_choice
from assess.analysis.domain.kept_agreement import compare_at_hand
from assess.analysis.plots import dots_svg
from assess.analysis.views.agreement_tables import (
    MEASURES,
    SHORT,
    dot_of,
    matrix_csv,
    matrix_rows,
    measures_csv,
    named_pair,
    reason_of,
    shown_estimates,
    thresholds,
    topic_rows,
    topic_table,
    topics_csv,
)
from assess.base.errors import Invalid
from assess.base.plotting import svg_response
from assess.campaigns.queries import ANY_AGE, newest_point, stage_of
from assess.campaigns.seats import Seat, access_as_organiser
from assess.jobs.waiting import waits_for_job
from assess.judging.queries.judges import JudgeSet, judges_of
from assess.judging.snapshots import Snapshot
from assess.kinds.agreement_questions import Question, questions_of
from assess.protocol import StageChecks
from assess.web.page import render_page
from assess.web.requests import requested_point
from assess.web.table import Listing, rows_response
from assess.web.turns import takes_turns

ITEMS_A_PAGE = 25


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedComparison:
    """The comparison that the address asks for, without its invalid parts.

    ``question`` is None if there is nothing to compare. ``questions`` and ``sets`` are the possible choices.
    """

    questions: tuple[Question, ...]
    sets: tuple[JudgeSet, ...]
    question: Question | None
    judges: tuple[str, ...]
    relevant: float | None
    as_of: int | None
    measure: str
    pair: tuple[int, int]


@login_required
@require_safe
@waits_for_job
def agreement(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show judges compared on one question; or return one of the page's tables as CSV, as ``format`` says."""
    seat = access_as_organiser(request.user, slug)
    asked = _comparison_in_address(request, seat)
    shown: dict[str, Any] = {
        "questions": [(each, _key(each), each == asked.question) for each in asked.questions],
        "judge_sets": [(each, each.key in asked.judges) for each in asked.sets],
        "asked": asked,
        "newest": newest_point(seat.campaign),
    }
    if asked.question is None or len(asked.judges) < 2:
        return render_page(request, "assess/analysis/agreement.html", seat, comparison=None, **shown)
    comparison = _compared(seat, asked)
    checks = stage_of(seat.campaign, comparison.question.stage)[1].checks
    measure = _measure(asked, comparison, checks)
    table = topic_table(request, comparison)
    if table.wants_csv:
        return topics_csv(comparison)
    if request.GET.get("format") == "measures":
        return measures_csv(comparison)
    matrix = matrix_of(comparison, *asked.pair)
    if request.GET.get("format") == "matrix":
        return matrix_csv(comparison, matrix)
    on_page = [report.topic for report in table.rows]
    topics = topic_rows(table.rows, topic_intervals(comparison, on_page, measure))
    return render_page(
        request,
        "assess/analysis/agreement.html",
        seat,
        comparison=comparison,
        floor=checks.floor,
        below=[
            each.measure
            for each in shown_estimates(comparison)
            if checks.asks_for(each.measure) and each.value is not None and each.value < (checks.floor or 0)
        ],
        measure=measure,
        estimates=[
            (*MEASURES[each.measure], each, reason_of(each, comparison.report)) for each in shown_estimates(comparison)
        ],
        conditions=[
            (name, topics, report, [each for each in report.estimates if each.measure in SHORT])
            for name, topics, report in by_condition(comparison)
        ],
        condition_heads=[SHORT[each.measure] for each in shown_estimates(comparison) if each.measure in SHORT],
        measures=[(each.measure, MEASURES[each.measure][0]) for each in shown_estimates(comparison)],
        alone=[pair for pair in zip(comparison.judges, comparison.alone, strict=True) if pair[1]],
        thresholds=list(thresholds(comparison)),
        pairs=[
            (f"{a}-{b}", comparison.judges[a], comparison.judges[b], (a, b) == asked.pair)
            for a, b in combinations(range(len(comparison.judges)), 2)
        ],
        measure_label=MEASURES[measure][0],
        measure_short=SHORT.get(measure, MEASURES[measure][0]),
        topic_resamples=TOPIC_RESAMPLES,
        column_totals=[matrix.column(value) for value in matrix.scale],
        matrix=matrix,
        rows=list(matrix_rows(comparison.question, matrix)),
        table=table,
        topics=topics,
        undefined=sorted({reason for _, _, cells in topics for *_, reason in cells if reason}),
        **shown,
    )


@login_required
@require_safe
@waits_for_job
def agreement_items(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show what two judges said of the same things: one cell of their matrix, or all on which they differ.

    With ``format`` "csv", return the list as CSV.
    """
    seat = access_as_organiser(request.user, slug)
    asked = _comparison_in_address(request, seat)
    if asked.question is None or len(asked.judges) < 2:
        return render_page(request, "assess/analysis/agreement_items.html", seat, comparison=None)
    comparison = _compared(seat, asked)
    cell = _cell(request)
    topic = request.GET.get("topic", "").replace("\0", "")[:100]
    found = pairs_in(comparison, *asked.pair, values=cell, topic=topic)
    first, second = (comparison.judges[place] for place in asked.pair)
    if request.GET.get("format") == "csv":
        rows = (pair[:4] for pair in found)
        return rows_response(header=("topic", "item", first.key, second.key), rows=rows, name="judged-by-both.csv")
    page = Paginator(found, ITEMS_A_PAGE).get_page(request.GET.get("page"))
    pairs = with_texts(seat.campaign, comparison, list(page.object_list))
    return render_page(
        request,
        "assess/analysis/agreement_items.html",
        seat,
        comparison=comparison,
        first=first,
        second=second,
        cell=[comparison.question.name(value) for value in cell] if cell else None,
        topic=topic,
        listing=Listing(page, "", ""),
        pairs=[named_pair(comparison.question, pair) for pair in pairs],
        adjudication=_adjudication(seat),
    )


@login_required
@require_safe
@takes_turns
def agreement_plot(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the measure for the topics on the page, with intervals, as an SVG image."""
    seat = access_as_organiser(request.user, slug)
    asked = _comparison_in_address(request, seat)
    if asked.question is None or len(asked.judges) < 2:
        return svg_response(dots_svg([], title=gettext("Nothing is compared")))
    comparison = _compared(seat, asked)
    measure = _measure(asked, comparison, stage_of(seat.campaign, comparison.question.stage)[1].checks)
    topics = [report.topic for report in topic_table(request, comparison).rows]
    found = topic_intervals(comparison, topics, measure)
    overall = next((each for each in comparison.report.estimates if each.measure == measure), None)
    dots = [dot_of(topic, found.get(topic)) for topic in topics]
    svg = dots_svg(
        [*dots, dot_of(gettext("all topics"), overall)],
        title=str(MEASURES[measure][0]),
        dark=request.GET.get("theme") == "dark",
    )
    return svg_response(svg)


def _comparison_in_address(request: HttpRequest, seat: Seat) -> AskedComparison:
    wanted, judges = request.GET.get("question", ""), tuple(dict.fromkeys(request.GET.getlist("judge")))
    questions = {_key(each): each for each in questions_of(seat.campaign)}
    question = questions.get(wanted)
    if question is None:
        choice = first_choice(seat.campaign)
        if choice is not None:
            question, judges = choice.question, judges or choice.judges
        else:
            question = next(iter(questions.values()), None)
    sets = judges_of(seat.campaign)
    known = {each.key for each in sets}
    judges = tuple(key for key in judges if key in known)
    return AskedComparison(
        questions=tuple(questions.values()),
        sets=sets,
        question=question,
        judges=judges,
        relevant=_number(request.GET.get("relevant", "")),
        as_of=requested_point(request, seat.campaign),
        measure=request.GET.get("measure", ""),
        pair=_pair(request.GET.get("pair", ""), len(judges)),
    )


def _compared(seat: Seat, asked: AskedComparison) -> Comparison:
    if asked.question is None:
        raise Invalid(gettext("Nothing is compared here."))
    scale = {value for value, _ in asked.question.scale}
    comparison = ask_comparison(
        Snapshot(seat.campaign, asked.as_of),
        stage=asked.question.stage,
        criterion=asked.question.criterion,
        judges=asked.judges,
        relevant=asked.relevant if asked.relevant in scale else None,
    )
    return compare_at_hand(comparison, actor=seat.user, within=ANY_AGE)


def _key(question: Question) -> str:
    return f"{question.stage}/{question.criterion}"


def _number(text: str) -> float | None:
    try:
        return float(text[:20]) if text else None
    except ValueError:
        return None


def _pair(text: str, judges: int) -> tuple[int, int]:
    """Return two places among the judges, written as "0-1"."""
    known = {f"{a}-{b}": (a, b) for a, b in combinations(range(judges), 2)}
    return known.get(text, (0, 1))


def _cell(request: HttpRequest) -> tuple[float, float] | None:
    """Return the two values that the address names, or None unless it names both."""
    first, second = (_number(request.GET.get(name, "")) for name in ("first", "second"))
    return None if first is None or second is None else (first, second)


def _measure(asked: AskedComparison, comparison: Comparison, checks: StageChecks) -> str:
    """Return the measure to plot.

    It is the one asked for, or else the first that the stage's track names, or else the weighted kappa for ordered
    values, or else Cohen's kappa, or else alpha.
    """
    known = [each.measure for each in comparison.report.estimates]
    named = [each for beginning in checks.agreement for each in known if each.startswith(beginning)]
    wanted = (asked.measure, *named, "cohen_kappa_quadratic", "cohen_kappa", *known)
    return next(each for each in wanted if each in known and each in MEASURES)


def _adjudication(seat: Seat) -> str:
    """Return the address of the page of disagreements, or "" if the person may not see it."""
    if not (seat.is_organiser or seat.is_judge):
        return ""
    try:
        return reverse("adjudication", args=[seat.campaign.slug])
    except NoReverseMatch:
        return ""

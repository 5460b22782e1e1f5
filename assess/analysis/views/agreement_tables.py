"""The tables of the page of agreement, for measures, topics and pairs of values, and the same tables as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.http import HttpRequest, HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from assess.analysis.domain.agreement import Comparison, Matrix, why_undefined
from assess.analysis.domain.judged_things import Pair
from assess.analysis.plots import Dot
from assess.base.wording import natural
from assess.kinds.agreement_questions import Question
from assess.web.table import Column, Table, make_table, rows_response
from scoring.statistics.agreement_report import AgreementReport
from scoring.statistics.intervals import Estimate

TOPICS_A_PAGE = 25
MEASURES = {
    "agreement": (
        gettext_lazy("Raw agreement"),
        gettext_lazy("Share of the items about which all who judged them gave the same answer."),
    ),
    "cohen_kappa": (
        gettext_lazy("Cohen's kappa"),
        gettext_lazy("Agreement of two judges above what their own shares of values give by chance."),
    ),
    "cohen_kappa_linear": (
        gettext_lazy("Weighted kappa, linear"),
        gettext_lazy("A miss counts by its distance on the scale."),
    ),
    "cohen_kappa_quadratic": (
        gettext_lazy("Weighted kappa, quadratic"),
        gettext_lazy("A miss counts by its squared distance on the scale."),
    ),
    "fleiss_kappa": (
        gettext_lazy("Fleiss' kappa"),
        gettext_lazy("As Cohen's for any number of judges, of what all of them judged."),
    ),
    "krippendorff_alpha_nominal": (
        gettext_lazy("Krippendorff's alpha"),
        gettext_lazy("Any number of judges; any two values differ alike."),
    ),
    "krippendorff_alpha_ordinal": (
        gettext_lazy("Krippendorff's alpha, ordinal"),
        gettext_lazy("Any number of judges; values have an order."),
    ),
    "krippendorff_alpha_interval": (
        gettext_lazy("Krippendorff's alpha, interval"),
        gettext_lazy("Any number of judges; values have distances."),
    ),
    "ac1": (
        gettext_lazy("Gwet's AC1"),
        gettext_lazy("Does not fall where nearly everything has one value, as kappas do."),
    ),
    "overlap": (
        gettext_lazy("Overlap, mean of topics"),
        gettext_lazy("Relevant to both / relevant to either, mean over topics."),
    ),
    "overlap_pooled": (
        gettext_lazy("Overlap, of all"),
        gettext_lazy("Relevant to both / relevant to either, of all topics at once."),
    ),
}

SHORT: dict[str, str | Promise] = {
    "agreement": gettext_lazy("Raw"),
    "cohen_kappa": "Cohen",
    "cohen_kappa_linear": gettext_lazy("Linear"),
    "cohen_kappa_quadratic": gettext_lazy("Quadratic"),
    "fleiss_kappa": "Fleiss",
    "krippendorff_alpha_nominal": gettext_lazy("Alpha"),
    "krippendorff_alpha_ordinal": gettext_lazy("Alpha"),
    "krippendorff_alpha_interval": gettext_lazy("Alpha"),
    "ac1": "AC1",
    "overlap": gettext_lazy("Overlap"),
}
"""Short names of measures for column headings; the long names are shown above."""


def shown_estimates(comparison: Comparison) -> list[Estimate]:
    """Return the measures over all topics. Measures for which the pages have no name are left out."""
    return [each for each in comparison.report.estimates if each.measure in MEASURES]


def reason_of(estimate: Estimate, report: AgreementReport) -> str:
    """Return why a measure is undefined, or "" if it is defined."""
    return why_undefined(estimate.measure, report) if estimate.value is None else ""


def topic_table(request: HttpRequest, comparison: Comparison) -> Table:
    """Return a table with a column for each measure, and a row for each topic in which two judges judged one thing."""
    measures = [each.measure for each in shown_estimates(comparison) if each.measure != "overlap_pooled"]
    columns = [
        Column(key="topic", label=gettext_lazy("Topic"), rank=lambda report: natural(report.topic)),
        Column(key="items", label=gettext_lazy("Items"), number=True),
        *(
            Column(key=each, label=SHORT[each], value=lambda report, each=each: report.value(each), number=True)  # type: ignore[misc]
            for each in measures
        ),
    ]
    return make_table(request, list(comparison.by_topic), columns=columns, order="topic", per_page=TOPICS_A_PAGE)


def topic_rows(
    reports: Sequence[AgreementReport], intervals: dict[str, Estimate]
) -> list[tuple[AgreementReport, Estimate | None, list[tuple[str, float | None, str]]]]:
    """Return (report, the plotted measure with its interval, cells) for each topic.

    The estimate is None if the plot has none of the topic. Each cell is (measure, value, reason): an undefined value is
    None, with the reason in words.
    """
    rows = []
    for report in reports:
        cells = [
            (each.measure, each.value, reason_of(each, report))
            for each in report.estimates
            if each.measure in MEASURES and each.measure != "overlap_pooled"
        ]
        rows.append((report, intervals.get(report.topic), cells))
    return rows


def thresholds(comparison: Comparison) -> Iterator[tuple[str, str, bool]]:
    """Yield (value, name, whether chosen) of each value that can count as relevant.

    If values are ordered, the lowest can't. Nothing is yielded if no value of the question counts as relevant.
    """
    question = comparison.question
    scale = question.scale if question.level == "nominal" else question.scale[1:]
    for value, name in scale if question.relevant is not None else ():
        yield f"{value:g}", name, value == comparison.relevant


def matrix_rows(question: Question, matrix: Matrix) -> Iterator[tuple[str, list[tuple[str, str, str, int, int]], int]]:
    """Yield (first judge's value, cells, number of things in the row) for each row of the matrix.

    Each cell is (second judge's value, both values as numbers, count, shade from 0 to 5).
    """
    most = max(matrix.cells.values(), default=0)
    for first in matrix.scale:
        cells = []
        for second in matrix.scale:
            count = matrix.cells.get((first, second), 0)
            shade = -(-5 * count // most) if most else 0
            cells.append((question.name(second), f"{first:g}", f"{second:g}", count, shade))
        yield question.name(first), cells, matrix.row(first)


def named_pair(question: Question, pair: Pair) -> dict[str, object]:
    """Return what the list of disagreements shows of one thing."""
    shown = pair.shown
    return {
        "topic": pair.thing[0],
        "name": pair.thing[1],
        "text": shown.text if shown else pair.thing[1],
        "docno": shown.docno if shown else "",
        "about": shown.about if shown else "",
        "first": question.name(pair.first),
        "second": question.name(pair.second),
    }


def dot_of(label: str, estimate: Estimate | None) -> Dot:
    """Return a measure as a plot shows it."""
    interval = estimate.interval if estimate else None
    return Dot(
        label=label,
        value=estimate.value if estimate else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
    )


def topics_csv(comparison: Comparison) -> HttpResponseBase:
    """Return CSV with a line for each topic and measure."""
    reports = (comparison.report, *comparison.by_topic)
    rows = ((report.topic, each.measure, each.value, report.items) for report in reports for each in report.estimates)
    return rows_response(header=("topic", "measure", "value", "items"), rows=rows, name="agreement-by-topic.csv")


def measures_csv(comparison: Comparison) -> HttpResponseBase:
    """Return CSV with a line for each measure over all topics."""
    rows = (
        (
            each.measure,
            each.value,
            each.interval and each.interval.low,
            each.interval and each.interval.high,
            comparison.report.items,
            comparison.topics,
        )
        for each in comparison.report.estimates
    )
    return rows_response(header=("measure", "value", "low", "high", "items", "topics"), rows=rows, name="agreement.csv")


def matrix_csv(comparison: Comparison, matrix: Matrix) -> HttpResponseBase:
    """Return the confusion matrix with its sums as CSV."""
    name = comparison.question.name
    header = (f"{matrix.first.key} \\ {matrix.second.key}", *(name(value) for value in matrix.scale), "all")
    rows: list[tuple[object, ...]] = [
        (name(a), *(matrix.cells.get((a, b), 0) for b in matrix.scale), matrix.row(a)) for a in matrix.scale
    ]
    rows.append(("all", *(matrix.column(value) for value in matrix.scale), matrix.total))
    return rows_response(header=header, rows=rows, name="confusion.csv")

"""The page of significance, for organisers: the order of runs with its top group, every pair, and effect sizes."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_safe

from assess.analysis.domain.rankings import measure_title, ranking_measures
from assess.analysis.domain.significance import (
    Significance,
    TestRequest,
    compare_campaign_runs,
    named_test,
    pair_effects,
)
from assess.analysis.plots import pairs_svg
from assess.base.errors import Invalid
from assess.base.numbers import TwoNumbers, grouped, typed_number
from assess.base.plotting import svg_response
from assess.campaigns.queries import newest_point
from assess.campaigns.seats import Seat, access_as_organiser
from assess.campaigns.track_texts import in_language
from assess.jobs.waiting import waits_for_job
from assess.scores.at_hand import page_scores
from assess.scores.states import CampaignScores
from assess.web.page import render_page
from assess.web.requests import requested_point
from assess.web.table import Column, Filter, Option, Table, make_table, rows_response
from scoring.statistics.multiple_comparisons import PairTest

TESTS = {
    "tukey": gettext_lazy("Tukey HSD, randomised"),
    "t": gettext_lazy("Paired t"),
    "randomisation": gettext_lazy("Randomisation"),
    "wilcoxon": gettext_lazy("Wilcoxon signed ranks"),
    "sign": gettext_lazy("Sign"),
}
WHAT_IT_SAYS = {
    "tukey": gettext_lazy(
        "Each topic's values are dealt anew among all runs; p is how often the largest "
        "difference of two means is as large as this pair's. It holds for all pairs together, so "
        "no further correction is needed."
    ),
    "t": gettext_lazy("The mean difference against its spread over topics, taking the differences to be about normal."),
    "randomisation": gettext_lazy(
        "The two runs' values are exchanged at random, topic by topic; p is how often the mean "
        "difference is as large as it was."
    ),
    "wilcoxon": gettext_lazy(
        "The ranks of the differences; it asks whether one run is better on most topics, large ones more."
    ),
    "sign": gettext_lazy("On how many topics each run is better; by how much does not matter."),
}
CORRECTIONS = {
    "none": gettext_lazy("none"),
    "holm": gettext_lazy("Holm: of any false difference"),
    "bonferroni": gettext_lazy("Bonferroni: of any false difference"),
    "bh": gettext_lazy("Benjamini and Hochberg: of the share of false ones"),
}
PAIRS_A_PAGE = 25
DEFAULT = TestRequest()


@login_required
@require_safe
@waits_for_job
def significance(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show every pair of runs under one test; or return one of the page's tables as CSV, as ``format`` says."""
    seat = access_as_organiser(request.user, slug)
    as_of = requested_point(request, seat.campaign)
    scores = page_scores(seat, as_of)
    measures = ranking_measures(scores)
    without = request.GET.getlist("without")
    runs = [(run, run in without) for run in scores.runs]
    if not measures:
        return render_page(
            request, "assess/analysis/significance.html", seat, found=None, newest=newest_point(seat.campaign)
        )
    found = _compared(request, seat, scores)
    wanted = request.GET.get("format")
    if wanted == "runs":
        return _runs_csv(found)
    table = _table(request, found)
    if table.wants_csv:
        return _pairs_csv(found)
    return render_page(
        request,
        "assess/analysis/significance.html",
        seat,
        found=found,
        measures=[(each.key, measure_title(each), each.key == found.level.measure.key) for each in measures],
        tests=[(key, label, key == found.asked.test) for key, label in TESTS.items()],
        corrections=[(key, label, key == found.asked.correction) for key, label in CORRECTIONS.items()],
        test_label=TESTS[found.asked.test],
        says=WHAT_IT_SAYS[found.asked.test],
        order=[
            (place, run, found.means[run], _p_text(found.top.p[run]), run in found.top.top)
            for place, run in _places(found)
        ],
        table=table,
        pairs=[
            (pair, sizes, _p_text(pair.p), _p_text(pair.corrected), _is_apart(found, pair))
            for pair, sizes in zip(table.rows, pair_effects(found, table.rows), strict=True)
        ],
        runs=runs,
        as_of=as_of,
        newest=newest_point(seat.campaign),
        problem=_problem(request),
    )


@login_required
@require_safe
def significance_plot(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the corrected p of every pair as squares, the top group first, as an SVG image."""
    seat = access_as_organiser(request.user, slug)
    dark = request.GET.get("theme") == "dark"
    scores = page_scores(seat, requested_point(request, seat.campaign))
    if not ranking_measures(scores):
        return svg_response(pairs_svg([], [], title=gettext("Nothing to compare"), dark=dark))
    found = _compared(request, seat, scores)
    p = {(pair.run_a, pair.run_b): pair.corrected for pair in found.pairs}
    order = sorted(found.top.order, key=lambda run: run not in found.top.top)
    values = [[p.get((one, other), p.get((other, one))) for other in order] for one in order]
    title = gettext("p of %(measure)s: strongest colour below .001, then .01, .05; none above") % {
        "measure": in_language(found.level.measure.label)
    }
    return svg_response(pairs_svg(order, values, title=title, dark=dark, group=len(found.top.top)))


def _compared(request: HttpRequest, seat: Seat, scores: CampaignScores) -> Significance:
    """Return the comparison that the address asks for; invalid parts are ignored."""
    try:
        asked = _requested_test(request)
    except (ValueError, Invalid):
        asked = DEFAULT
    known = {each.key for each in ranking_measures(scores)}
    measure = request.GET.get("measure", "")
    return compare_campaign_runs(
        seat.campaign,
        scores,
        asked=asked,
        measure=measure if measure in known else "",
        without=request.GET.getlist("without"),
    )


def _requested_test(request: HttpRequest) -> TestRequest:
    return named_test(
        request.GET.get("test", DEFAULT.test),
        request.GET.get("correction", DEFAULT.correction),
        alpha=float(typed_number(request.GET.get("alpha", "")) or DEFAULT.alpha),
        seed=int(request.GET.get("seed", "")[:12] or DEFAULT.seed),
    )


def _problem(request: HttpRequest) -> str:
    """Return why the default values are used instead of those in the address, or "" if the address's values are
    used.
    """
    try:
        _requested_test(request)
    except Invalid as error:
        return error.message
    except TwoNumbers as error:
        return str(error)
    except ValueError:
        return gettext("Alpha and seed must be numbers, such as 0.05 and 7.")
    return ""


def _places(found: Significance) -> Iterator[tuple[float, str]]:
    """Yield (place, run); runs with the same mean share a place."""
    for run in found.top.order:
        yield sum(value > found.means[run] for value in found.means.values()) + 1, run


def _p_text(p: float | None) -> str:
    """Return a p value as text: never 0, and "" if it is undefined."""
    if p is None:
        return ""
    return f"< {grouped(0.0001, 4)}" if p < 0.0001 else grouped(p, 4)


def _is_apart(found: Significance, pair: PairTest) -> bool:
    return pair.corrected is not None and pair.corrected < found.asked.alpha


def _table(request: HttpRequest, found: Significance) -> Table:
    filters = (
        Filter(
            key="show",
            label=gettext_lazy("Pairs"),
            options=(
                Option(value="apart", label=gettext_lazy("told apart"), holds=lambda pair: _is_apart(found, pair)),
                Option(
                    value="alike", label=gettext_lazy("not told apart"), holds=lambda pair: not _is_apart(found, pair)
                ),
            ),
        ),
        Filter(
            key="run",
            label=gettext_lazy("Of run"),
            options=tuple(
                Option(value=run, label=run, holds=lambda pair, run=run: run in (pair.run_a, pair.run_b))  # type: ignore[misc]
                for run in found.top.order
            ),
        ),
    )
    columns = [
        Column(key="better", label=gettext_lazy("Better run"), value=lambda pair: pair.run_a),
        Column(key="other", label=gettext_lazy("Other run"), value=lambda pair: pair.run_b),
        Column(key="topics", label=gettext_lazy("Topics"), number=True),
        Column(key="statistic", label=gettext_lazy("Statistic"), number=True),
        Column(key="p", label="p", number=True),
        Column(key="corrected", label=gettext_lazy("p, corrected"), number=True),
    ]
    return make_table(
        request, list(found.pairs), columns=columns, order="corrected", filters=filters, per_page=PAIRS_A_PAGE
    )


def _runs_csv(found: Significance) -> HttpResponseBase:
    rows = (
        (place, run, found.means[run], found.top.p[run], "yes" if run in found.top.top else "no")
        for place, run in _places(found)
    )
    header = ("place", "run", "mean", "p_against_best", "top_group")
    return rows_response(header=header, rows=rows, name="top-group.csv")


def _pairs_csv(found: Significance) -> HttpResponseBase:
    """Return CSV with a line for each pair and its effect sizes."""
    sizes = ("difference", "d_paired", "d_average", "g_paired", "superiority")
    numbers = ("run_a", "run_b", "test", "topics", "statistic", "p", "corrected")
    rows = (
        (*(getattr(pair, name) for name in numbers), *(getattr(effects, name) for name in sizes))
        for pair, effects in zip(found.pairs, pair_effects(found, found.pairs, with_intervals=False), strict=True)
    )
    return rows_response(header=(*numbers, *sizes), rows=rows, name="pairs.csv")

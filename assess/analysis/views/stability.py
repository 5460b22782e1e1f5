"""The page of stability, for organisers: two rankings of the same runs with other judgments, settings or measures."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_safe

from assess.analysis.domain.rankings import (
    SideChoice,
    Sides,
    measure_title,
    measures_of,
    ranking_measures,
    shared_measure,
    usual_sides,
)
from assess.analysis.domain.stability import ALIKE, MovedRun, Stability, compare_rankings
from assess.analysis.plots import bump_svg
from assess.analysis.views.rankings import Slider, sliders, tried_settings
from assess.base.errors import Invalid
from assess.base.plotting import svg_response
from assess.base.sentences import told
from assess.campaigns.queries import ANY_AGE, newest_point
from assess.campaigns.seats import access_as_organiser
from assess.campaigns.track_texts import in_language
from assess.jobs.waiting import waits_for_job
from assess.judging.queries.judges import OFFICIAL
from assess.judging.snapshots import Snapshot
from assess.protocol import MeasureColumn
from assess.scores.at_hand import scores_at_hand
from assess.web.page import render_page
from assess.web.requests import requested_point
from assess.web.table import CHOSEN_FROM, Column, make_table, rows_response

CORRELATIONS = {
    "tau": (
        gettext_lazy("Kendall's tau"),
        gettext_lazy("Pairs in the same order minus pairs in the other, of all pairs; tied pairs are neither."),
    ),
    "tau_b": (gettext_lazy("Kendall's tau-b"), gettext_lazy("The same, corrected for ties.")),
    "tau_ap": (
        gettext_lazy("tau AP"),
        gettext_lazy("Differences at the top count more; the second ranking is the true one; none with ties."),
    ),
    "tau_ap_b": (gettext_lazy("tau AP, both ways"), gettext_lazy("The mean of both directions, corrected for ties.")),
    "rbo": ("RBO", gettext_lazy("Rank-biased overlap, p = 0.9: how much of the upper ranks both share.")),
}
SIDES = (("a", gettext_lazy("First ranking")), ("b", gettext_lazy("Second ranking")))


@dataclass(frozen=True, kw_only=True, slots=True)
class SideForm:
    """One column of the form: the choices made for a side, and the options to choose from.

    ``problems`` maps the names of settings to what is wrong with their values.
    """

    key: str
    label: str | Promise
    asked: SideChoice
    judges: list[tuple[str, str, bool]]
    measures: list[tuple[str, list[tuple[str, str, bool]]]]
    sliders: list[Slider]
    problems: dict[str, str]

    @property
    def is_typed(self) -> bool:
        """Whether the judges are typed into a field, since a list of all of them would be too long."""
        return len(self.judges) > CHOSEN_FROM


@login_required
@require_safe
@waits_for_job
def stability(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show two rankings, their similarity, and the runs that move most.

    With ``format``, return one of the page's tables as CSV.
    """
    seat = access_as_organiser(request.user, slug)
    as_of, without = requested_point(request, seat.campaign), tuple(request.GET.getlist("without"))
    sides = Sides(Snapshot(seat.campaign, as_of), scores_at_hand(seat.user, within=ANY_AGE))
    usual = sides.scores(SideChoice())
    measures = ranking_measures(usual)
    forms = _forms(request, sides, measures)
    shown: dict[str, Any] = {"sides": sides, "forms": forms, "as_of": as_of, "newest": newest_point(seat.campaign)}
    runs = [(run, run in without) for run in usual.runs]
    if not measures:
        return render_page(request, "assess/analysis/stability.html", seat, found=None, runs=runs, **shown)
    if forms[0].asked == forms[1].asked:
        return render_page(request, "assess/analysis/stability.html", seat, found=None, alike=ALIKE, runs=runs, **shown)
    try:
        found = _compared(sides, forms, without)
    except Invalid as refusal:
        return render_page(
            request, "assess/analysis/stability.html", seat, status=422, found=None, refusal=refusal, runs=runs, **shown
        )
    wanted = request.GET.get("format")
    if wanted == "correlations":
        return _correlations_csv(found)
    table = make_table(request, list(found.runs), columns=_columns(found), order="first")
    if table.wants_csv:
        return _runs_csv(found)
    return render_page(
        request,
        "assess/analysis/stability.html",
        seat,
        found=found,
        runs=runs,
        estimates=[(*CORRELATIONS[each.measure], each) for each in found.estimates],
        table=table,
        movers=_movers(found.runs),
        issues=[
            (form.label, side.scores.problems) for form, side in zip(forms, (found.first, found.second), strict=True)
        ],
        **shown,
    )


@login_required
@require_safe
def stability_plot(request: HttpRequest, slug: str) -> HttpResponse:
    """Return an SVG image with a line for each run from its place in the first ranking to that in the second."""
    seat = access_as_organiser(request.user, slug)
    dark = request.GET.get("theme") == "dark"
    snapshot = Snapshot(seat.campaign, requested_point(request, seat.campaign))
    sides = Sides(snapshot, scores_at_hand(seat.user, within=ANY_AGE))
    measures = measures_of(sides, SideChoice())
    forms = _forms(request, sides, measures)
    if not measures or forms[0].asked == forms[1].asked:
        return svg_response(bump_svg([], dark=dark))
    found = _compared(sides, forms, tuple(request.GET.getlist("without")))
    ways = [
        (f"{told(side.judge.label)}: {in_language(side.measure.label)}", side.ranking.places)
        for side in (found.first, found.second)
    ]
    return svg_response(bump_svg(ways, dark=dark))


def _forms(request: HttpRequest, sides: Sides, measures: list[MeasureColumn]) -> list[SideForm]:
    """Return the forms of both sides, each with its measures; the default is a measure that both have."""
    is_chosen = not measures or any(f"{key}{what}" in request.GET for key, _ in SIDES for what in ("", "_measure"))
    usual = (None if is_chosen else usual_sides(sides)) or (SideChoice(), SideChoice())
    chosen = []
    for (key, _), unasked in zip(SIDES, usual, strict=True):
        judge = request.GET.get(key, unasked.judge).strip()
        settings, problems = tried_settings(request, sides.campaign, prefix=f"{key}_set_")
        if judge not in sides.judges and len(sides.judges) > CHOSEN_FROM:
            problems[gettext("Judgments that count")] = gettext("There is no judge “%(name)s”.") % {"name": judge[:60]}
        chosen.append((SideChoice(judge=judge if judge in sides.judges else OFFICIAL, settings=settings), problems))
    own = [measures_of(sides, asked) if measures else [] for asked, _ in chosen]
    shared = {each.key for each in own[0]} & {each.key for each in own[1]}
    first = shared_measure(sides, chosen[0][0], chosen[1][0]) if is_chosen and measures else ""
    titles = {each.key for each in measures}
    forms = []
    for (key, label), (asked, problems), found, unasked in zip(SIDES, chosen, own, usual, strict=True):
        measure = request.GET.get(f"{key}_measure", "")
        if measure not in titles | {each.key for each in found}:
            measure = unasked.measure or first or next((each.key for each in found), "")
        forms.append(
            SideForm(
                key=key,
                label=label,
                asked=replace(asked, measure=measure),
                judges=[(each.key, each.label, each.key == asked.judge) for each in sides.judges.values()],
                measures=_grouped(found, shared, measure),
                sliders=list(sliders(sides.campaign, asked.settings, prefix=f"{key}_set_")),
                problems=problems,
            )
        )
    return forms


def _grouped(
    found: Collection[MeasureColumn], shared: Collection[str], chosen: str
) -> list[tuple[str, list[tuple[str, str, bool]]]]:
    """Return the measures to choose from under two headings, those of both rankings first: (heading, measures), where
    each measure is (key, title, whether chosen).
    """
    parts = (
        (gettext("Of both rankings"), [each for each in found if each.key in shared]),
        (gettext("Of this ranking alone"), [each for each in found if each.key not in shared]),
    )
    return [
        (heading, [(each.key, measure_title(each), each.key == chosen) for each in part])
        for heading, part in parts
        if part
    ]


def _compared(sides: Sides, forms: list[SideForm], without: Collection[str]) -> Stability:
    first, second = (form.asked for form in forms)
    return compare_rankings(sides, first=first, second=second, without=without)


def _columns(found: Stability) -> list[Column]:
    first, second = (
        gettext("First: %(measure)s") % {"measure": in_language(found.first.measure.label)},
        gettext("Second: %(measure)s") % {"measure": in_language(found.second.measure.label)},
    )
    return [
        Column(key="run", label=gettext_lazy("Run")),
        Column(key="first", label=gettext_lazy("First: place"), value=lambda row: row.first_place, number=True),
        Column(key="first_value", label=first, value=lambda row: row.first, number=True),
        Column(key="second", label=gettext_lazy("Second: place"), value=lambda row: row.second_place, number=True),
        Column(key="second_value", label=second, value=lambda row: row.second, number=True),
        Column(key="moved", label=gettext_lazy("Places moved"), number=True, rank=_distance),
    ]


def _distance(row: MovedRun) -> float:
    return abs(row.moved or 0)


def _movers(runs: Collection[MovedRun]) -> list[MovedRun]:
    """Return the five runs that move furthest, or fewer; runs that keep their place are left out."""
    return sorted((row for row in runs if row.moved), key=lambda row: (-_distance(row), row.run))[:5]


def _correlations_csv(found: Stability) -> HttpResponseBase:
    rows = [
        (
            each.measure,
            each.value,
            *((each.interval.low, each.interval.high) if each.interval else ("", "")),
            len(found.topics),
        )
        for each in found.estimates
    ]
    return rows_response(header=("measure", "value", "low", "high", "topics"), rows=rows, name="stability.csv")


def _runs_csv(found: Stability) -> HttpResponseBase:
    rows = ((row.run, row.first_place, row.first, row.second_place, row.second, row.moved) for row in found.runs)
    header = ("run", "first_place", "first_value", "second_place", "second_value", "moved")
    return rows_response(header=header, rows=rows, name="rankings-compared.csv")

"""The page of rankings, for organisers: rankings of runs, taus of all pairs, and plots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, groupby
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.formats import get_format
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from assess.analysis.domain.rankings import CONTROLS, SHOWN, Analysis, analyse_campaign
from assess.analysis.plots import bump_svg, heat_svg
from assess.base.numbers import TwoNumbers, grouped, typed_number
from assess.base.plotting import svg_response
from assess.base.track_settings import SettingsError, TrackSettings
from assess.campaigns.models import Campaign
from assess.campaigns.queries import ANY_AGE, newest_point, settings_of, track_of
from assess.campaigns.seats import Seat, access_as_organiser
from assess.jobs.waiting import waits_for_job
from assess.judging.snapshots import Snapshot
from assess.protocol import MeasureColumn
from assess.scores.at_hand import scores_at_hand
from assess.web.page import render_page
from assess.web.requests import requested_point
from assess.web.table import Listing, rows_response
from assess.web.turns import takes_turns
from scoring.release.tables import Cell

# Settings other than the campaign's, tried out by an address: numbers as sliders, yes and no, text.

TEXT_LIMIT = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class Slider:
    """A setting that can be tried out. ``name`` is that of its field in the form.

    ``typed`` is the value in the language of the page. ``kind`` is "number", "yes-no" or "text"; a number has a range
    worth trying.
    """

    name: str
    label: str
    help: str
    value: str
    typed: str
    is_changed: bool
    kind: str = "number"
    low: float = 0
    high: float = 10
    step: float = 1


def tried_settings(
    request: HttpRequest, campaign: Campaign, *, prefix: str
) -> tuple[TrackSettings | None, dict[str, str]]:
    """Return the settings in the address under names with this prefix, and the problems of invalid ones by name.

    The settings are None if they equal the campaign's own.
    """
    own = settings_of(campaign)
    given: dict[str, Any] = {}
    for name in track_of(campaign).scoring.explore:
        usual = getattr(own, name)
        text = request.GET.get(prefix + name, "").strip()[:TEXT_LIMIT]
        try:
            plain = typed_number(text, is_whole=isinstance(usual, int)) if _is_number(usual) else text
        except TwoNumbers as error:
            return None, {name: str(error)}
        if plain and plain != shown_setting(usual):
            given[name] = plain
    if not given:
        return None, {}
    try:
        settings = type(own).from_mapping({**own.as_mapping(), **given})
    except SettingsError as error:
        return None, error.problems
    return None if settings == own else settings, {}


def sliders(campaign: Campaign, tried: TrackSettings | None, *, prefix: str) -> Iterator[Slider]:
    """Yield the settings that can be tried out in this track, with their current values."""
    own = settings_of(campaign)
    shown = tried or own
    for name in track_of(campaign).scoring.explore:
        about = type(own).__dataclass_fields__[name].metadata
        usual, value = getattr(own, name), getattr(shown, name)
        said = {
            "name": prefix + name,
            "label": gettext(str(about.get("label", name))),
            "help": gettext(str(about.get("help", ""))),
            "value": shown_setting(value),
            "typed": shown_setting(value).replace(".", get_format("DECIMAL_SEPARATOR")),
            "is_changed": value != usual,
        }
        if isinstance(usual, bool):
            yield Slider(**said, kind="yes-no")
        elif _is_number(usual):
            is_whole = isinstance(usual, int)
            low, high = (1, max(10, 2 * usual, value)) if is_whole else (0, max(10, 2 * usual, value))
            yield Slider(**said, low=low, high=high, step=1 if is_whole else 0.5)
        else:
            yield Slider(**said, kind="text")


def shown_setting(value: Any) -> str:
    """Return a setting as it stands in addresses: 5 and not 5.0, yes and not True."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.15g}" if _is_number(value) else str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# The pages.

PREFIX = "set_"
BEST = 25  # runs of a ranking that the page names; files name all
MEANS = 25  # runs in a page of the table of means


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedRankings:
    """The rankings that the address asks for.

    ``settings`` is None if no setting is changed; ``problems`` lists the invalid settings.
    """

    measures: tuple[str, ...]
    without: tuple[str, ...]
    seed: int
    as_of: int | None
    settings: TrackSettings | None
    problems: dict[str, str] = field(default_factory=dict)


@login_required
@require_safe
@waits_for_job
def analysis(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show rankings, their taus as a table and plots, and the means from which they come.

    With ``format``, return one of the page's tables as CSV.
    """
    seat = access_as_organiser(request.user, slug)
    asked = _rankings_in_address(request, seat)
    found = _analysed(seat, asked)
    wanted = request.GET.get("format")
    if wanted == "csv":
        return _taus_csv(found)
    if wanted == "rankings":
        return _rankings_csv(found)
    if wanted == "means":
        return _means_csv(found)
    chosen = {ranking.key for ranking in found.rankings}
    return render_page(
        request,
        "assess/analysis/analysis.html",
        seat,
        analysis=found,
        groups=list(_groups(found, chosen)),
        controls=[(key, key in chosen) for key in CONTROLS],
        runs=[(run, run in found.left_out) for run in found.scores.runs],
        sliders=list(sliders(seat.campaign, asked.settings, prefix=PREFIX)),
        asked=asked,
        matrix=[
            (ranking, [_cell(found, ranking.key, other.key) for other in found.rankings]) for ranking in found.rankings
        ],
        orders=[
            (ranking, order[:BEST], len(order[BEST:])) for ranking in found.rankings for order in [_order(ranking)]
        ],
        means=Listing(Paginator(_means(found), MEANS).get_page(request.GET.get("page")), "", ""),
        averages=found.averages,
        is_cut=not asked.measures and len(found.choices) > SHOWN,
        newest=newest_point(seat.campaign),
    )


@login_required
@require_safe
@takes_turns
def analysis_plot(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the taus of all pairs of rankings as squares ("heat"), or else the places of runs as lines, as an SVG
    image.
    """
    seat = access_as_organiser(request.user, slug)
    found = _analysed(seat, _rankings_in_address(request, seat))
    dark = request.GET.get("theme") == "dark"
    if request.GET.get("plot") == "heat":
        values = [
            [1.0 if one.key == other.key else found.likenesses[one.key, other.key].tau for other in found.rankings]
            for one in found.rankings
        ]
        svg = heat_svg([ranking.label for ranking in found.rankings], values, dark=dark)
    else:
        svg = bump_svg([(ranking.label, ranking.places) for ranking in found.rankings], dark=dark)
    return svg_response(svg)


def _analysed(seat: Seat, asked: AskedRankings) -> Analysis:
    return analyse_campaign(
        Snapshot(seat.campaign, asked.as_of),
        measures=asked.measures,
        without=asked.without,
        seed=asked.seed,
        settings=asked.settings,
        score=scores_at_hand(seat.user, within=ANY_AGE),
    )


def _rankings_in_address(request: HttpRequest, seat: Seat) -> AskedRankings:
    """Return what the address asks for; invalid parts are ignored, and settings out of range are reported."""
    settings, problems = tried_settings(request, seat.campaign, prefix=PREFIX)
    try:
        seed = typed_number(request.GET.get("seed", ""), is_whole=True)
    except TwoNumbers as error:
        seed, problems = "", {**problems, "seed": str(error)}
    if seed and not (seed.isascii() and seed.isdecimal() and len(seed) < 10):
        problems = {**problems, "seed": gettext("A seed is a whole number from 0 to 999999999.")}
    return AskedRankings(
        measures=tuple(request.GET.getlist("measure")),
        without=tuple(request.GET.getlist("without")),
        seed=int(seed) if seed and "seed" not in problems else 1,
        as_of=requested_point(request, seat.campaign),
        settings=settings,
        problems=problems,
    )


def _groups(found: Analysis, chosen: set[str]) -> Iterator[tuple[str, list[tuple[MeasureColumn, bool]]]]:
    """Yield the measures to choose from, under their headings."""
    for heading, columns in groupby(found.choices, key=lambda each: each.group):
        yield heading, [(column, column.key in chosen) for column in columns]


def _cell(found: Analysis, first: str, second: str) -> dict[str, object]:
    """Return one cell of the table of taus: the value, its text and how it was computed."""
    if first == second:
        return {"is_same": True}
    alike = found.likenesses[first, second]
    kept = len(found.kept)
    shown = gettext("undefined") if alike.tau is None else grouped(alike.tau, 2)
    return {"shown": shown, "exact": alike.tau, "runs": alike.runs, "tied": alike.tied, "is_partial": alike.runs < kept}


def _order(ranking: Any) -> list[tuple[str, float, bool]]:
    """Return (run, value, whether it is tied with the run before), best first."""
    values = [ranking.values[run] for run in ranking.order]
    before = [None, *values]
    return [(run, value, value == last) for run, value, last in zip(ranking.order, values, before, strict=False)]


def _means(found: Analysis) -> list[tuple[str, bool, list[tuple[MeasureColumn, Cell | None]]]]:
    return [
        (row.name, row.name in found.left_out, [(column, row.cells.get(column.key)) for column in found.columns])
        for row in found.means.rows()
    ]


def _means_csv(found: Analysis) -> HttpResponseBase:
    """Return CSV with a line for each run and its means, including runs that are left out."""
    rows = [
        (run, "yes" if is_out else "no", *("" if cell is None else cell.value for _, cell in values))
        for run, is_out, values in _means(found)
    ]
    header = ("run", "left out", *(column.key for column in found.columns))
    return rows_response(header=header, rows=rows, name="means.csv")


def _taus_csv(found: Analysis) -> HttpResponseBase:
    """Return CSV with a line for each pair of rankings."""
    alike = [found.likenesses[one.key, other.key] for one, other in combinations(found.rankings, 2)]
    rows = [(each.first, each.second, each.tau, each.runs, "yes" if each.tied else "no") for each in alike]
    return rows_response(header=("first", "second", "tau_b", "runs", "ties"), rows=rows, name="taus.csv")


def _rankings_csv(found: Analysis) -> HttpResponseBase:
    """Return CSV with a line for each run of each ranking: its place (the mean place of tied runs) and its value."""
    rows = []
    for ranking in found.rankings:
        places = ranking.places
        rows += [
            (ranking.key, places[run], run, "" if ranking.key in CONTROLS else ranking.values[run])
            for run in ranking.order
        ]
    return rows_response(header=("ranking", "place", "run", "value"), rows=rows, name="rankings.csv")

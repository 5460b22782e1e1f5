"""Score reports: a team's runs beside the median and the best of all. Participants see theirs after the release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from assess.base.errors import Conflict, NotFound
from assess.base.plotting import svg_response
from assess.campaigns.models import Campaign, Role
from assess.campaigns.queries import ANY_AGE, scores_are_out
from assess.campaigns.seats import Seat, access_seat
from assess.jobs.waiting import waits_for_job
from assess.judging.snapshots import Snapshot
from assess.scores.access import access_scores_point
from assess.scores.at_hand import scores_at_hand
from assess.scores.reports import (
    HEADER,
    MeasureReport,
    ReportPlot,
    ScoreReport,
    TopicsPage,
    plot_of,
    plots_of,
    report_rows,
    teams_with_runs,
)
from assess.scores.reports import score_report as report_of
from assess.web.page import render_page
from assess.web.table import rows_response

READERS = (Role.ORGANISER, Role.PARTICIPANT)
ROWS = 300
"""The number of topics up to which a measure has plots, and that are shown together."""
WAITING: dict[str, str | Promise] = {
    Campaign.State.SETUP: gettext_lazy("Judging has not begun."),
    Campaign.State.JUDGING: gettext_lazy("Your runs are being judged, or wait to be."),
    Campaign.State.FROZEN: gettext_lazy("Judging is over, and the campaign is not released yet."),
}
"""What a participant is waiting for, by the campaign's state; nothing after the release."""
THEN = gettext_lazy(
    "Scores come out with the release of the campaign; then this page shows the values of "
    "your runs beside the median and the best of all runs."
)


@login_required
@require_safe
@waits_for_job
def score_report(
    request: HttpRequest, slug: str, released: Callable[[Campaign], Mapping[str, str]]
) -> HttpResponseBase:
    """Show the report of the person's team, or of the team that an organiser names, as a page or as CSV.

    Before the release, participants see what they are waiting for. ``released`` returns the names of runs in the
    published release, by tag.
    """
    seat = access_seat(request.user, slug, *READERS)
    teams = _teams(seat)
    team = _team(request, teams)
    if not team or not (seat.is_organiser or scores_are_out(seat.campaign)):
        waiting = f"{WAITING.get(seat.campaign.state, '')} {THEN}"
        return render_page(request, "assess/scores/report.html", seat, report=None, team=team, waiting=waiting)
    try:
        point = access_scores_point(seat)
    except Conflict as corrected:
        waiting = corrected.message
        return render_page(request, "assess/scores/report.html", seat, report=None, team=team, waiting=waiting)
    snapshot, score = Snapshot(seat.campaign, point), scores_at_hand(seat.user, within=ANY_AGE)
    if request.GET.get("format") == "csv":
        rows = report_rows(report_of(snapshot, team=team, score=score), released(seat.campaign))
        return rows_response(header=HEADER, rows=rows, name=f"scores-{seat.campaign.slug}.csv")
    measure = request.GET.get("measure", "")
    report = report_of(snapshot, team=team, score=score, by_topic=[measure])
    asked = report.measure(measure)
    shown = [*report.official, *([asked] if asked is not None and not asked.column.official else [])]
    return render_page(
        request,
        "assess/scores/report.html",
        seat,
        report=report,
        teams=teams,
        team=team,
        asked=asked,
        measures=[_by_topic(request, seat, report, each) for each in shown],
        explain=reverse("score-explain", args=[slug]),
    )


@login_required
@require_safe
def score_report_plot(request: HttpRequest, slug: str) -> HttpResponse:
    """Return a plot of a report as an SVG image. Answers "not found" for a plot that the report does not have."""
    seat = access_seat(request.user, slug, *READERS)
    point = access_scores_point(seat)
    team, score = _team(request, _teams(seat)), scores_at_hand(seat.user, within=ANY_AGE)
    key = request.GET.get("measure", "")
    report = report_of(Snapshot(seat.campaign, point), team=team, score=score, by_topic=[key])
    measure = report.measure(key)
    part = request.GET.get("part", "1")
    kind, run = request.GET.get("plot", ""), request.GET.get("run", "")
    known = {(each.kind, each.run, str(each.part)) for each in plots_of(report, measure)} if measure else set()
    if measure is None or (kind, run, part) not in known:
        raise NotFound
    svg = plot_of(report, measure, kind, run=run, part=int(part), dark=request.GET.get("theme") == "dark")
    return svg_response(svg)


def _teams(seat: Seat) -> list[str]:
    """Return the teams with runs whose report this person may open: all for organisers, or else their own."""
    teams = teams_with_runs(seat.campaign)
    return teams if seat.is_organiser else [team for team in teams if team in seat.teams]


def _team(request: HttpRequest, teams: list[str]) -> str:
    """Return the team that the address names, or else the first; "" if there are none. Raise NotFound for any other
    team.
    """
    wanted = request.GET.get("team", "")
    if wanted and wanted not in teams:
        raise NotFound
    return wanted or next(iter(teams), "")


def _by_topic(
    request: HttpRequest, seat: Seat, report: ScoreReport, measure: MeasureReport
) -> tuple[MeasureReport, list[ReportPlot], TopicsPage]:
    """Return a measure, its plots, and its topics: the parameter of their pages, and the page that is asked for. With
    more than `ROWS` topics there are no plots, since there would be hundreds.
    """
    name = f"topics-{measure.column.key}"
    lines = Paginator(measure.topics, ROWS).get_page(request.GET.get(name))
    return measure, [] if lines.has_other_pages() else _plots(seat, report, measure), (name, lines)


def _plots(seat: Seat, report: ScoreReport, measure: MeasureReport) -> list[ReportPlot]:
    base = reverse("score-report-plot", args=[seat.campaign.slug])
    found = []
    for each in plots_of(report, measure):
        query = {"team": report.team, "measure": measure.column.key, "plot": each.kind, "run": each.run}
        address = f"{base}?{urlencode({**query, 'part': each.part})}"
        found.append(ReportPlot(each.label, address, f"{address}&theme=dark"))
    return found

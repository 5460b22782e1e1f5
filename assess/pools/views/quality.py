"""The page that shows how well a pool serves its runs while judging continues."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from assess.base.plotting import svg_response
from assess.campaigns.queries import ANY_AGE, track_of
from assess.campaigns.seats import Seat, access_as_organiser
from assess.jobs.models import Job
from assess.jobs.waiting import waits_for_job
from assess.pools.domain.planning import AT_ONCE, unread_bytes
from assess.pools.domain.quality import KS, QualityInput, quality_at_hand, quality_input, thinned
from assess.pools.domain.ranking_checks import checks_at_hand
from assess.pools.domain.start_jobs import CHECKING, start_checks
from assess.pools.plots import lines_svg
from assess.pools.views.plan import task_of
from assess.protocol import Task, ranked_recipe
from assess.web.page import render_page
from assess.web.table import Column, csv_response, make_table, rows_response
from assess.web.turns import takes_turns
from scoring.pooling.analysis import LeftOut

GROWTH_ROWS = 10
"""The number of points of the growth curve in the table beside it."""
Row = tuple[str, str, tuple[float | None, ...], LeftOut | None]
"""A run, its team, its unjudged shares at `KS`, and its values without its team's unique finds."""


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@takes_turns
@waits_for_job
def quality(request: HttpRequest, slug: str, task: str) -> HttpResponseBase:
    """Show the quality of a task's newest pool. A POST starts a job that scores the runs again."""
    seat = access_as_organiser(request.user, slug)
    found = task_of(seat, task)
    if request.method == "POST":
        start_checks(actor=seat.user, campaign=seat.campaign, task=found.key)
        messages.success(request, gettext("The runs are being scored. This page shows it as soon as that is done."))
        return redirect("pool-quality", slug, task)
    stand = _stand(seat, found)
    if stand is None:
        unread = unread_bytes(seat.campaign, found)
        return render_page(
            request,
            "assess/pools/quality.html",
            seat,
            task=found,
            stand=None,
            is_unread=unread > AT_ONCE,
            is_ranked=ranked_recipe(track_of(seat.campaign), found) is not None,
        )
    seen = quality_at_hand(stand, actor=seat.user, within=ANY_AGE)
    checks = checks_at_hand(stand, now=timezone.now()) if seen.judged else None
    left_out = {each.run: each for each in checks.left_out} if checks is not None else {}
    rows = [(run, stand.teams.get(run, ""), shares, left_out.get(run)) for run, shares in sorted(seen.unjudged.items())]
    table = make_table(request, rows, columns=COLUMNS, order="run")
    if table.wants_csv:
        return csv_response(table, name="pool-quality.csv")
    if request.GET.get("format") == "teams":
        teams = ((t.name, t.documents, t.alone, t.relevant, t.relevant_alone) for t in seen.teams)
        header = ("team", "pooled", "only this team", "relevant", "relevant and only this team")
        return rows_response(header=header, rows=teams, name="pool-teams.csv")
    jobs = seat.campaign.jobs.filter(kind=CHECKING, state__in=Job.UNDER_WAY).select_related("started_by")[:1]
    return render_page(
        request,
        "assess/pools/quality.html",
        seat,
        task=found,
        stand=stand,
        quality=seen,
        teams=sorted(seen.teams, key=lambda team: (-team.relevant_alone, team.name))[:50],
        hidden_teams=max(0, len(seen.teams) - 50),
        table=table,
        ks=KS,
        checks=checks,
        waits=checks is None or checks.as_of != seen.as_of,
        jobs=jobs,
        busy=any(job.is_busy for job in jobs),
        share=seen.relevant / seen.judged if seen.judged else None,
        curve=thinned(seen.growth, GROWTH_ROWS),
    )


@login_required
@require_safe
def quality_plot(request: HttpRequest, slug: str, task: str) -> HttpResponse:
    """Return the growth curve as an SVG image."""
    seat = access_as_organiser(request.user, slug)
    found = task_of(seat, task)
    stand = _stand(seat, found)
    growth = quality_at_hand(stand, actor=seat.user, within=ANY_AGE).growth if stand is not None else ()
    points = [(0.0, 0.0), *((float(judged), float(relevant)) for judged, relevant in growth)]
    dark = request.GET.get("theme") == "dark"
    return svg_response(
        lines_svg([(gettext("relevant"), points)], across=gettext("judged"), up=gettext("relevant found"), dark=dark)
    )


def _share(place: int) -> Callable[[Row], float | None]:
    return lambda row: row[2][place]


def _moved(name: str) -> Callable[[Row], float | None]:
    """Return a function that gives a value of a run with or without its team's finds; None if not computed or
    undefined.
    """
    return lambda row: getattr(row[3], name) if row[3] is not None else None


COLUMNS = [
    Column(key="run", label=gettext_lazy("Run"), value=lambda row: row[0]),
    Column(key="team", label=gettext_lazy("Team"), value=lambda row: row[1]),
    *(
        Column(key=f"k{k}", label=format_lazy(gettext_lazy("Unjudged@{k}"), k=k), value=_share(place), number=True)
        for place, k in enumerate(KS)
    ),
    Column(key="value", label=gettext_lazy("Score"), value=_moved("value"), number=True),
    Column(key="without", label=gettext_lazy("Without team"), value=_moved("value_without"), number=True),
    Column(key="place", label=gettext_lazy("Rank"), value=_moved("place"), number=True),
    Column(key="moved", label=gettext_lazy("Rank without"), value=_moved("place_without"), number=True),
]


def _stand(seat: Seat, task: Task) -> QualityInput | None:
    if unread_bytes(seat.campaign, task) > AT_ONCE:
        return None
    return quality_input(seat.campaign, task)

"""The page that plans a pool: sizes by depth, overlap of runs, unique contributions, hours of work."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from assess.analysis.plots import heat_svg
from assess.base.errors import NotFound
from assess.base.numbers import grouped_lazy, typed_number
from assess.base.plotting import svg_response
from assess.campaigns.queries import settings_of, track_of
from assess.campaigns.seats import Seat, access_as_organiser
from assess.jobs.models import Job
from assess.pools.domain.planning import (
    AT_ONCE,
    DEPTHS,
    Pace,
    PlanNumbers,
    TopicSizes,
    contributing,
    counted_depth,
    measured_pace,
    plan_numbers,
    task_rankings,
    unread_bytes,
)
from assess.pools.domain.start_jobs import READING, start_reading
from assess.pools.plots import lines_svg
from assess.protocol import PoolRecipe, Task, ranked_recipe
from assess.runs.queries import order_warnings
from assess.web.page import render_page
from assess.web.table import Column, csv_response, make_table, rows_response

RUNS_SHOWN, PAIRS_SHOWN, HEAT_RUNS = 50, 20, 30
SECONDS_LIMIT = 3600.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Planned:
    """What the page shows: the numbers to a depth, and the pace from which hours are computed."""

    numbers: PlanNumbers
    pace: Pace
    seconds: float

    def hours(self, documents: int) -> float:
        """Return the hours that one assessor needs to judge this many documents."""
        return documents * self.seconds / 3600


def task_of(seat: Seat, key: str) -> Task:
    """Return the task with this key. Raise NotFound if there is none."""
    task = track_of(seat.campaign).task(key)
    if task is None:
        raise NotFound
    return task


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pool_planning(request: HttpRequest, slug: str, task: str) -> HttpResponseBase:
    """Show the plan of a task's pool or, if the runs are too large to be read now, how to start reading them.

    A POST starts reading them in the background.
    """
    seat = access_as_organiser(request.user, slug)
    found = task_of(seat, task)
    if request.method == "POST":
        start_reading(actor=seat.user, campaign=seat.campaign, task=found.key)
        messages.success(request, gettext("The runs are being read. This page counts as soon as that is done."))
        return redirect("pool-plan", slug, task)
    unread = unread_bytes(seat.campaign, found)
    planned = _planned(request, seat, found) if unread <= AT_ONCE else None
    if planned is None:
        jobs = seat.campaign.jobs.filter(kind=READING, state__in=Job.UNDER_WAY).select_related("started_by")[:1]
        return render_page(
            request,
            "assess/pools/plan.html",
            seat,
            task=found,
            planned=None,
            unread=unread,
            jobs=jobs,
            busy=any(job.is_busy for job in jobs),
            is_ranked=ranked_recipe(track_of(seat.campaign), found) is not None,
        )
    numbers = planned.numbers
    if request.GET.get("format") == "runs":
        rows = ((run.name, run.documents, run.alone) for run in numbers.runs)
        return rows_response(header=("run", "documents", "only this run"), rows=rows, name="pool-runs.csv")
    if request.GET.get("format") == "overlaps":
        pairs = ((each.first, each.second, each.both, each.either, each.share) for each in numbers.overlaps)
        return rows_response(header=("run", "run", "both", "either", "share"), rows=pairs, name="pool-overlaps.csv")
    table = make_table(request, list(numbers.topics), columns=_columns(numbers), order="place")
    if table.wants_csv:
        return csv_response(table, name="pool-sizes.csv")
    depths = [
        (depth, total, total / len(numbers.topics), planned.hours(total), depth == numbers.depth)
        for depth, total in zip(DEPTHS, numbers.totals, strict=True)
    ]
    runs = sorted(numbers.runs, key=lambda run: (-run.alone, run.name))
    pairs_by_share = sorted(numbers.overlaps, key=lambda pair: (-(pair.share or 0), pair.first, pair.second))
    return render_page(
        request,
        "assess/pools/plan.html",
        seat,
        task=found,
        planned=planned,
        table=table,
        rows=[(topic, list(topic.sizes)) for topic in table.rows],
        depths=depths,
        total=next(total for depth, total, *_ in depths if depth == numbers.depth) if depths else 0,
        runs=runs[:RUNS_SHOWN],
        hidden_runs=max(0, len(runs) - RUNS_SHOWN),
        most=max((run.documents for run in runs), default=1),
        pairs=pairs_by_share[:PAIRS_SHOWN],
        hidden_pairs=max(0, len(pairs_by_share) - PAIRS_SHOWN),
        shows_heat=2 <= len(runs) <= HEAT_RUNS,
        choices=DEPTHS,
        unread=0,
        order=order_warnings(seat.campaign, contributing(seat.campaign, found)),
    )


@login_required
@require_safe
def pool_plan_plot(request: HttpRequest, slug: str, task: str) -> HttpResponse:
    """Return the plot of sizes by depth as lines, or of the overlaps of runs as squares."""
    seat = access_as_organiser(request.user, slug)
    found = task_of(seat, task)
    planned = _planned(request, seat, found) if unread_bytes(seat.campaign, found) <= AT_ONCE else None
    dark = request.GET.get("theme") == "dark"
    if planned is None:
        return svg_response(lines_svg([], across=gettext("depth"), up=gettext("documents of a topic"), dark=dark))
    numbers = planned.numbers
    if request.GET.get("plot") == "overlap":
        shares = {(pair.first, pair.second): pair.share for pair in numbers.overlaps}
        names = [run.name for run in numbers.runs][:HEAT_RUNS]
        values = [
            [1.0 if one == other else shares.get((min(one, other), max(one, other))) for other in names]
            for one in names
        ]
        return svg_response(heat_svg(names, values, dark=dark))
    columns = list(zip(*(topic.sizes for topic in numbers.topics), strict=True))
    lines = [
        (label, [(depth, of(column)) for depth, column in zip(DEPTHS, columns, strict=True)])
        for label, of in ((gettext("largest topic"), max), (gettext("median"), median), (gettext("smallest"), min))
    ]
    return svg_response(
        lines_svg(lines, across=gettext("depth"), up=gettext("documents of a topic"), log=True, dark=dark)
    )


def _planned(request: HttpRequest, seat: Seat, task: Task) -> Planned | None:
    """Return the numbers that the address asks for; None if no run ranks anything for the task's topics."""
    recipe = ranked_recipe(track_of(seat.campaign), task)
    rankings = task_rankings(seat.campaign, task)
    if recipe is None or rankings is None:
        return None
    topics = list(seat.campaign.topics.filter(task=task.key).values_list("number", flat=True))
    numbers = plan_numbers(rankings, sorted(topics), _depth(request, seat, recipe))
    if not numbers.topics:
        return None
    pace = measured_pace(seat.campaign, task, recipe.kind)
    return Planned(numbers=numbers, pace=pace, seconds=_seconds(request) or pace.seconds)


def _depth(request: HttpRequest, seat: Seat, recipe: PoolRecipe) -> int:
    """Return the depth that the address asks for, or else that of the campaign's setting; in either case the nearest
    depth that is counted (`DEPTHS`).
    """
    text = request.GET.get("depth", "")
    usual = int(getattr(settings_of(seat.campaign), recipe.depth_setting))
    wanted = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else usual
    return counted_depth(wanted)


def _seconds(request: HttpRequest) -> float | None:
    try:
        value = float(typed_number(request.GET.get("seconds", "")))
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 < value <= SECONDS_LIMIT else None


def _columns(numbers: PlanNumbers) -> list[Column]:
    order = {topic.number: place for place, topic in enumerate(numbers.topics)}

    def size(place: int) -> Column:
        return Column(
            key=f"d{DEPTHS[place]}",
            label=format_lazy(gettext_lazy("to {depth}"), depth=grouped_lazy(DEPTHS[place])),
            value=lambda topic: topic.sizes[place],
            number=True,
        )

    def rank(topic: TopicSizes) -> int:
        return order[topic.number]

    first = Column(key="place", label=gettext_lazy("Topic"), value=lambda topic: topic.number, rank=rank)
    return [first, *(size(place) for place in range(len(DEPTHS)))]

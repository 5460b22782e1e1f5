"""The pool: what is judged, how much of it each topic and run brought, and building it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from assess.domain.access import access_as_organiser
from assess.domain.errors import NotFound
from assess.domain.pool_plan import pool_plan
from assess.domain.pools import build_pool
from assess.queries.pool_sizes import PoolSummary, pool_summary
from assess.queries.pools import current_pools
from assess.queries.tracks import track_of
from assess.views.page import render_page
from assess.views.table import rows_response


@login_required
@require_safe
def pool(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The present pool of each task, by topic and by run."""
    seat = access_as_organiser(request.user, slug)
    pools = {each.task: each for each in current_pools(seat.campaign)}
    summaries = [
        (task, pool_summary(pools[task.key]) if task.key in pools else None) for task in track_of(seat.campaign).tasks
    ]
    if request.GET.get("format") == "csv":
        rows = (
            (task.label, kind, label, items)
            for task, summary in summaries
            if summary is not None
            for kind, label, items in [
                *(("kind", each.kind, each.items) for each in summary.kinds),
                *(("topic", topic.number, topic.items) for topic in summary.topics),
                *(("run", run.tag, run.items) for run in summary.runs),
            ]
        )
        return rows_response(header=("task", "kind", "name", "items"), rows=rows, name="pool.csv")
    shown = [(task, summary, _largest(summary)) for task, summary in summaries]
    return render_page(request, "assess/pool.html", seat, summaries=shown)


def _largest(summary: PoolSummary | None) -> int:
    """The items of the largest topic: the length of the longest bar."""
    return max((topic.items for topic in summary.topics), default=1) if summary is not None else 1


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pool_build(request: HttpRequest, slug: str, task: str) -> HttpResponse:
    """Say what building does, with counts; then do it."""
    seat = access_as_organiser(request.user, slug)
    found = track_of(seat.campaign).task(task)
    if found is None:
        raise NotFound
    if request.method == "POST":
        built = build_pool(
            actor=seat.user, campaign=seat.campaign, task=task, drop_judged=request.POST.get("drop_judged") == "yes"
        )
        messages.success(request, f"The pool of {found.label} has {built.pool_items.count():,} items.")
        return redirect("pool", slug)
    return render_page(request, "assess/pool_build.html", seat, task=found, plan=pool_plan(seat.campaign, found))

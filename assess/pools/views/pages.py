"""The page of pools: what is judged, how much each topic and run contributed, and building a pool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_safe

from assess.assignments.queries.waiting import unit_of
from assess.base.numbers import grouped
from assess.campaigns.changed_since import ChangedSince
from assess.campaigns.queries import track_of
from assess.campaigns.seats import Seat, access_as_organiser
from assess.campaigns.track_texts import in_language
from assess.items.queries import current_pools
from assess.jobs.models import Job
from assess.jobs.waiting import waits_for_job
from assess.pools.domain.building import PoolPlan, pool_plan, pool_values
from assess.pools.domain.growth import can_grow
from assess.pools.domain.planning import AT_ONCE, ranked_bytes
from assess.pools.domain.start_jobs import BUILDING, start_pool
from assess.pools.domain.strategy import FIELDS, Selection
from assess.pools.domain.summaries import summary_at_hand
from assess.pools.forms import LABELS, PoolForm, initial_of
from assess.pools.queries import PoolSummary, TopicSize
from assess.pools.views.plan import task_of
from assess.protocol import Task, ranked_recipe
from assess.runs.queries import count_runs_being_checked, named_runs, runs_not_pooled
from assess.web.made_from import made_from_text, posted_made_from
from assess.web.page import render_page
from assess.web.table import WORDS_LIMIT, rows_response

ROWS = 100
"""The most rows of a table of topics or of runs on a page."""


@login_required
@require_safe
@waits_for_job
def pool(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show the current pool of each task, by topic and by run."""
    seat = access_as_organiser(request.user, slug)
    track = track_of(seat.campaign)
    pools = {each.task: each for each in current_pools(seat.campaign)}
    summaries = [
        (task, summary_at_hand(pools[task.key], actor=seat.user) if task.key in pools else None) for task in track.tasks
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
    words = request.GET.get("q", "").replace("\x00", "")[:WORDS_LIMIT].strip()
    shown = [
        (
            task,
            summary,
            _largest(summary),
            ranked_recipe(track, task),
            _made(summary),
            _kinds(task, summary),
            _part(request, f"topics-{task.key}", _found(summary, words)),
            _part(request, f"runs-{task.key}", summary.runs if summary is not None else ()),
        )
        for task, summary in summaries
    ]
    last = seat.campaign.jobs.filter(kind=BUILDING).select_related("started_by").order_by("-id").first()
    jobs = [last] if last is not None and last.state != Job.State.DONE else []
    ended = {each.task for each in pools.values() if not can_grow(each)}
    late = runs_not_pooled(seat.campaign) if pools else []
    return render_page(
        request,
        "assess/pools/pool.html",
        seat,
        summaries=shown,
        listing={"words": words},
        is_long=any(summary is not None and len(summary.topics) > ROWS for _, summary in summaries),
        jobs=jobs,
        busy=any(job.is_busy for job in jobs),
        ended=ended,
        checking=count_runs_being_checked(seat.campaign),
        late=late,
        late_named=named_runs(late),
    )


def _found(summary: PoolSummary | None, words: str) -> list[TopicSize]:
    """Return the topics whose number or text contains the words; all of them if there are no words."""
    topics = summary.topics if summary is not None else ()
    wanted = words.casefold()
    return [topic for topic in topics if wanted in topic.number.casefold() or wanted in topic.text.casefold()]


def _part(request: HttpRequest, name: str, rows: Sequence[Any]) -> tuple[str, Page[Any]]:
    """Return the parameter of one of several tables, and the page of it that the address asks for."""
    return name, Paginator(rows, ROWS).get_page(request.GET.get(name))


def _largest(summary: PoolSummary | None) -> int:
    """Return the number of items of the largest topic, which is the length of the longest bar."""
    return max((topic.items for topic in summary.topics), default=1) if summary is not None else 1


def _kinds(task: Task, summary: PoolSummary | None) -> list[tuple[str, str, int]]:
    """Return, for each kind of item, its noun in the singular and the plural as assessors see it, and the number of
    items.
    """
    stages = {stage.item_kind: stage for stage in reversed(task.stages)}
    return [
        (stages[each.kind].noun or each.kind, unit_of(stages[each.kind]), each.items)
        if each.kind in stages
        else (each.kind, f"{each.kind}s", each.items)
        for each in (summary.kinds if summary is not None else ())
    ]


def _made(summary: PoolSummary | None) -> list[tuple[str, object]]:
    """Return how the pool was selected, as names and values; empty for the track's own way."""
    chosen = summary.pool.recipe.get("selection") if summary is not None else None
    if not chosen:
        return []
    values = initial_of({"selection": chosen})
    names = [("strategy", LABELS[values.pop("strategy")][0])]
    if "union" in chosen:
        names.append((gettext("documents of lists"), chosen["union"]["documents"]))
    wanted = (*FIELDS[chosen["recipe"]["strategy"]], "lists")
    shown = [(name.replace("_", " "), value) for name, value in values.items() if name in wanted and value is not None]
    if "minus_judged" in chosen:
        names.append((gettext("judged and left out"), chosen["minus_judged"]["documents"]))
    return [*names, *shown]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pool_build(request: HttpRequest, slug: str, task: str) -> HttpResponse:
    """Show what building would do, with counts. A POST shows it for another strategy, or builds the pool."""
    seat = access_as_organiser(request.user, slug)
    found = task_of(seat, task)
    if not (request.method == "POST" and "strategy" in request.POST):
        if request.method == "POST":
            return _build(request, seat, found, None, _fresh_form(seat, found))
        return _page(request, seat, found, form=_fresh_form(seat, found))
    form = PoolForm(request.POST, request.FILES)
    selection = form.selection() if form.is_valid() else None
    if not form.is_valid():
        return _page(request, seat, found, form=form, status=422)
    if request.POST.get("step") == "show":
        return _page(request, seat, found, form=form, selection=selection)
    return _build(request, seat, found, selection, form)


def _build(
    request: HttpRequest, seat: Seat, task: Task, selection: Selection | None, form: PoolForm | None
) -> HttpResponse:
    try:
        built = start_pool(
            actor=seat.user,
            campaign=seat.campaign,
            task=task.key,
            drop_judged=request.POST.get("drop_judged") == "yes",
            selection=selection,
            made_from=posted_made_from(request),
        )
    except ChangedSince as refused:
        return _page(request, seat, task, form=form, selection=selection, changed=refused, status=409)
    if isinstance(built, Job):
        messages.success(
            request,
            gettext("The pool of %(task)s is being built in the background.") % {"task": in_language(task.label)},
        )
    else:
        messages.success(
            request,
            ngettext(
                "The pool of %(task)s has %(count)s item.",
                "The pool of %(task)s has %(count)s items.",
                built.pool_items.count(),
            )
            % {"task": in_language(task.label), "count": grouped(built.pool_items.count())},
        )
    return redirect("pool", seat.campaign.slug)


def _page(
    request: HttpRequest,
    seat: Seat,
    task: Task,
    *,
    form: PoolForm | None,
    selection: Selection | None = None,
    changed: ChangedSince | None = None,
    status: int = 200,
) -> HttpResponse:
    """Show the page with the plan of the selection. There is no plan if the form is wrong, or if reading would take
    long.
    """
    ranked = ranked_bytes(seat.campaign, task)
    plan: PoolPlan | None = None
    if status != 422 and ranked.unread <= AT_ONCE:
        plan = pool_plan(seat.campaign, task, selection=selection)
    return render_page(
        request,
        "assess/pools/build.html",
        seat,
        status=status,
        task=task,
        checking=count_runs_being_checked(seat.campaign),
        plan=plan,
        form=form,
        unread=ranked.unread if ranked.unread > AT_ONCE else 0,
        is_large=ranked.size > AT_ONCE,
        kept=form.kept() if form is not None and form.is_bound and plan is not None else [],
        chosen=LABELS[selection.recipe.strategy] if selection is not None else None,
        selection=selection,
        refused=changed,
        made_from=made_from_text(pool_values(current_pools(seat.campaign).filter(task=task.key).first())),
    )


def _fresh_form(seat: Seat, task: Task) -> PoolForm | None:
    if ranked_recipe(track_of(seat.campaign), task) is None:
        return None
    newest = current_pools(seat.campaign).filter(task=task.key).first()
    return PoolForm(initial=initial_of(newest.recipe if newest is not None else {}))

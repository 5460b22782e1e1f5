"""Pages of runs' scores: the table, its plot, one topic, one run. For organisers."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from assess.base.errors import NotFound
from assess.base.plotting import svg_response
from assess.campaigns.queries import newest_point
from assess.campaigns.seats import Seat, access_as_organiser
from assess.campaigns.track_texts import in_language
from assess.jobs.waiting import waits_for_job
from assess.protocol import MeasureColumn
from assess.scores.at_hand import page_scores
from assess.scores.plots import bars_svg
from assess.scores.states import CampaignScores
from assess.topics.queries import judged_topics
from assess.web.page import render_page
from assess.web.requests import requested_point
from assess.web.table import Column, make_sorted_table, rows_response
from scoring.release.score_lines import SCORE_COLUMNS, score_rows
from scoring.release.tables import ALL, ScoreTable, headings, in_columns

TOPICS = 80
"""The number of topics that are shown together of a run's scores: some hundred kilobytes."""
CHOSEN_FROM = 500
"""The number of topics up to which one is chosen from a list; above that its number is typed."""


@login_required
@require_safe
@waits_for_job
def scores(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show runs by measures, the official one first, for all topics or for one. As CSV, return every value."""
    seat = access_as_organiser(request.user, slug)
    as_of = requested_point(request, seat.campaign)
    found = page_scores(seat, as_of)
    if request.GET.get("format") == "csv":
        return rows_response(header=SCORE_COLUMNS, rows=score_rows(found.scores), name=f"scores-{found.as_of}.csv")
    topic = request.GET.get("topic") or ALL
    scored, every = _measured(found, topic)
    group = request.GET.get("group", "")
    measures = [each for each in every if each.group == group] if group else every
    shown = scored.part(columns=[each.key for each in measures])
    columns = [
        Column(key="run", label=gettext_lazy("Run"), value=lambda row: row.name),
        *(
            Column(key=each.key, label=each.label, value=lambda row, key=each.key: row.value(key), number=True)  # type: ignore[misc]
            for each in measures
        ),
    ]
    topics = _topics(seat, found)
    official = next((each for each in measures if each.official), measures[0] if measures else None)
    table = make_sorted_table(
        request,
        lambda key, descending: shown.ordered(key, descending=descending).rows(),
        columns=columns,
        order=f"-{official.key}" if official else "run",
    )
    return render_page(
        request,
        "assess/scores/scores.html",
        seat,
        scores=found,
        table=table,
        rows=[(row.name, [(each, row.cells.get(each.key)) for each in measures]) for row in table.rows],
        measures=measures,
        groups=headings(measures),
        group=group,
        all_groups=[name for name, _ in headings(every) if name],
        official=official,
        is_plotted=official is not None and bool(shown.defined(official.key)),
        topic=topic,
        topics=topics if len(topics) <= CHOSEN_FROM else None,
        as_of=as_of,
        newest=newest_point(seat.campaign),
    )


@login_required
@require_safe
def score_plot(request: HttpRequest, slug: str) -> HttpResponse:
    """Return a plot of the measure that the address names, or else of the first one, for every run, as an SVG image."""
    seat = access_as_organiser(request.user, slug)
    found = page_scores(seat, requested_point(request, seat.campaign))
    scored, measures = _measured(found, request.GET.get("topic") or ALL)
    wanted = request.GET.get("measure", "")
    measure = next((each for each in measures if each.key == wanted), None) or next(iter(measures), None)
    if measure is None:
        raise NotFound
    bars = list(scored.ordered(measure.key, descending=True).defined(measure.key).items())
    svg = bars_svg(bars, title=in_language(measure.label), dark=request.GET.get("theme") == "dark")
    return svg_response(svg)


@login_required
@require_safe
@waits_for_job
def score_topics(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show one run's values on every topic and series, as a page or as CSV.

    Answers "not found" for a run without scores.
    """
    seat = access_as_organiser(request.user, slug)
    run = request.GET.get("run", "")
    as_of = requested_point(request, seat.campaign)
    found = page_scores(seat, as_of)
    if run not in found.runs:
        raise NotFound
    measures = in_columns(found.measures)
    table = found.tables.of_run(run).part(columns=[each.key for each in measures])
    if request.GET.get("format") == "csv":
        return rows_response(header=table.header, rows=table.value_rows(), name="scores-by-topic.csv")
    page = Paginator(list(table.values.index), TOPICS).get_page(request.GET.get("page"))
    shown = table.part(rows=page.object_list)
    return render_page(
        request,
        "assess/scores/topics.html",
        seat,
        scores=found,
        run=run,
        rows=[(row.name, [(each, row.cells.get(each.key)) for each in measures]) for row in shown.rows()],
        listing={"page": page},
        measures=measures,
        groups=headings(measures),
        as_of=as_of,
    )


def _measured(found: CampaignScores, topic: str) -> tuple[ScoreTable, list[MeasureColumn]]:
    """Return the runs and measures with scores on this topic, defined or not; official measures first, groups
    together.
    """
    table = found.tables.of_topic(topic).without_empty()
    known = set(table.header)
    return table, in_columns((each for each in found.measures if each.key in known), official_first=True)


def _topics(seat: Seat, found: CampaignScores) -> list[tuple[str, str]]:
    scored = set(found.tables.topics)
    texts = dict(seat.campaign.topics.values_list("number", "text"))
    ordered = [topic.number for topic in judged_topics(seat.campaign)]
    groups = [number for number in texts if number in scored and number not in ordered]
    return [(number, texts[number]) for number in (*groups, *ordered) if number in scored]

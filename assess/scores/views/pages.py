"""Scores of runs: the table, its plot, one topic, one run. For organisers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from assess.base.errors import NotFound
from assess.base.plotting import svg_response
from assess.campaigns.queries import newest_point
from assess.campaigns.seats import Seat, access_as_organiser
from assess.judging.snapshots import Snapshot
from assess.protocol import MeasureColumn
from assess.scores.domain.computing import CampaignScores, score_campaign
from assess.scores.domain.plots import bars_svg
from assess.topics.queries import judged_topics
from assess.web.page import render_page
from assess.web.requests import point_asked
from assess.web.table import Column, make_table, rows_response
from scoring.records import Score

ALL = "all"


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run with its values by measure."""

    tag: str
    values: dict[str, Score]

    def value(self, measure: str) -> float | None:
        """The value of a measure; None where it is undefined or was not computed."""
        score = self.values.get(measure)
        return score.value if score is not None else None


@login_required
@require_safe
def scores(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Runs by measures, the official one first; of all topics or of one."""
    seat = access_as_organiser(request.user, slug)
    as_of = point_asked(request, seat.campaign)
    topic = request.GET.get("topic", ALL)
    found = score_campaign(Snapshot(seat.campaign, as_of))
    every = _measures(found, topic)
    group = request.GET.get("group", "")
    measures = [each for each in every if each.group == group] if group else every
    rows = [RunRow(tag, values) for tag, values in found.table(topic).items() if values]
    columns = [
        Column(key="run", label="Run", value=lambda row: row.tag),
        *(
            Column(key=each.key, label=each.label, value=lambda row, key=each.key: row.value(key), number=True)  # type: ignore[misc]
            for each in measures
        ),
    ]
    if request.GET.get("format") == "csv":
        return _csv(found)
    official = next((each for each in measures if each.official), measures[0] if measures else None)
    table = make_table(request, rows, columns=columns, order=f"-{official.key}" if official else "run")
    return render_page(
        request,
        "assess/scores/scores.html",
        seat,
        scores=found,
        table=table,
        rows=[(row, [(each, row.values.get(each.key)) for each in measures]) for row in table.rows],
        measures=measures,
        groups=_groups(measures),
        group=group,
        all_groups=[name for name, _ in _groups(every) if name],
        official=official,
        is_plotted=official is not None and any(row.value(official.key) is not None for row in rows),
        topic=topic,
        topics=_topics(seat, found),
        as_of=as_of,
        newest=newest_point(seat.campaign),
    )


@login_required
@require_safe
def score_plot(request: HttpRequest, slug: str) -> HttpResponse:
    """The official measure (or the one named) of every run, as an SVG image."""
    seat = access_as_organiser(request.user, slug)
    found = score_campaign(Snapshot(seat.campaign, point_asked(request, seat.campaign)))
    topic = request.GET.get("topic", ALL)
    measures = _measures(found, topic)
    wanted = request.GET.get("measure", "")
    measure = next((each for each in measures if each.key == wanted), None) or next(iter(measures), None)
    if measure is None:
        raise NotFound
    values = {run: row[measure.key].value for run, row in found.table(topic).items() if measure.key in row}
    bars = sorted(((tag, value) for tag, value in values.items() if value is not None), key=lambda bar: -bar[1])
    svg = bars_svg(bars, title=measure.label, dark=request.GET.get("theme") == "dark")
    return svg_response(svg)


@login_required
@require_safe
def score_topics(request: HttpRequest, slug: str) -> HttpResponseBase:
    """One run's values on every topic and series."""
    seat = access_as_organiser(request.user, slug)
    run = request.GET.get("run", "")
    as_of = point_asked(request, seat.campaign)
    found = score_campaign(Snapshot(seat.campaign, as_of))
    if run not in found.runs:
        raise NotFound
    by_topic: dict[str, dict[str, Score]] = {}
    for score in found.scores:
        if score.run == run:
            by_topic.setdefault(score.topic, {})[score.measure] = score
    measures = _together(found.measures)
    rows = [(topic, [(each, values.get(each.key)) for each in measures]) for topic, values in by_topic.items()]
    if request.GET.get("format") == "csv":
        return rows_response(
            header=("topic", *(each.key for each in measures)),
            rows=[(topic, *(score.value if score else None for _, score in values)) for topic, values in rows],
            name="scores-by-topic.csv",
        )
    return render_page(
        request,
        "assess/scores/topics.html",
        seat,
        run=run,
        rows=rows,
        measures=measures,
        groups=_groups(measures),
        as_of=as_of,
    )


def _csv(found: CampaignScores) -> HttpResponseBase:
    """Every value of every run and topic, a line each."""
    rows = ((each.run, each.topic, each.measure, each.value, each.topics) for each in found.scores)
    return rows_response(
        header=("run", "topic", "measure", "value", "topics"), rows=rows, name=f"scores-{found.as_of}.csv"
    )


def _measures(found: CampaignScores, topic: str) -> list[MeasureColumn]:
    """The measures that have a value or an undefined one for this topic: the official first, groups together."""
    known = {score.measure for score in found.scores if score.topic == topic}
    return _together(sorted((each for each in found.measures if each.key in known), key=lambda each: not each.official))


def _together(measures: Iterable[MeasureColumn]) -> list[MeasureColumn]:
    """Columns of one group beside each other, groups in the order in which they first come."""
    groups: dict[str, list[MeasureColumn]] = {}
    for each in measures:
        groups.setdefault(each.group, []).append(each)
    return [each for group in groups.values() for each in group]


def _groups(measures: Sequence[MeasureColumn]) -> list[tuple[str, int]]:
    """(heading, columns under it) from left to right; empty where no measure has a heading."""
    if not any(each.group for each in measures):
        return []
    return [(group, len(list(columns))) for group, columns in groupby(each.group for each in measures)]


def _topics(seat: Seat, found: CampaignScores) -> list[tuple[str, str]]:
    scored = {score.topic for score in found.scores}
    texts = dict(seat.campaign.topics.values_list("number", "text"))
    ordered = [topic.number for topic in judged_topics(seat.campaign)]
    groups = [number for number in texts if number in scored and number not in ordered]
    return [(number, texts[number]) for number in (*groups, *ordered) if number in scored]

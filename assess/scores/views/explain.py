"""Pages that explain a run's value: from the mean to the topic, to what was judged, to who judged it and when.

Organisers see every run. After the release, participants see those of their team, with roles instead of names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from assess.campaigns.models import Role
from assess.campaigns.queries import track_of
from assess.campaigns.seats import Seat, access_seat
from assess.campaigns.track_texts import in_language
from assess.jobs.waiting import waits_for_job
from assess.judging.snapshots import Snapshot
from assess.protocol import MeasureColumn
from assess.scores.access import access_scored_run, access_scores_point
from assess.scores.at_hand import page_scores
from assess.scores.domain import explain_run
from assess.scores.states import CampaignScores
from assess.scores.trace import judgments_behind, path_to, row_name
from assess.web.page import render_page
from assess.web.requests import requested_point
from scoring.release.explained import About, Explanation
from scoring.release.tables import ALL

READERS = (Role.ORGANISER, Role.PARTICIPANT)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a step on the page. Its first cell links to ``url``, which is "" if the row refers to nothing."""

    cells: tuple[str, ...]
    url: str


@dataclass(frozen=True, kw_only=True)
class AskedValue:
    """The value that the address names, with its ledger point and the scores that this person may see."""

    seat: Seat
    run: str
    topic: str
    measure: str
    as_of: int | None
    scores: CampaignScores

    @property
    def snapshot(self) -> Snapshot:
        """The campaign as it was scored."""
        return Snapshot(self.seat.campaign, self.scores.as_of)

    def score(self, *_: object) -> CampaignScores:
        """Return the scores that were read already; the arguments are ignored."""
        return self.scores

    @cached_property
    def explain(self) -> Callable[[str, str], Explanation]:
        """The function that explains the run's values. The run is read once for the page and for the path to it."""
        return explain_run(self.snapshot, self.run, score=self.score, state=self.scores.state)

    def address(self, name: str, **others: str) -> str:
        """Return the address of a page about this value, with some query parameters replaced."""
        query = {"run": self.run, "topic": self.topic, "measure": self.measure, **others}
        if self.as_of is not None and self.seat.is_organiser:
            query["as_of"] = str(self.as_of)
        return f"{reverse(name, args=[self.seat.campaign.slug])}?{urlencode(query)}"

    def crumbs(self) -> list[tuple[str, str]]:
        """Return the breadcrumbs as (label, address): the scores or the report, then the run's mean."""
        slug = self.seat.campaign.slug
        if self.seat.is_organiser:
            return [
                (gettext("Scores"), reverse("scores", args=[slug])),
                (self.run, f"{reverse('score-topics', args=[slug])}?{urlencode({'run': self.run})}"),
            ]
        return [(gettext("My scores"), reverse("score-report", args=[slug]))]

    def way(self) -> list[tuple[str, str]]:
        """Return the values on the path to this one, as (label, address)."""
        value = {"run": self.run, "topic": self.topic, "measure": self.measure}
        places = path_to(self.snapshot, **value, explain=self.explain, score=self.score)
        return [
            (self.name(topic, measure), self.address("score-explain", topic=topic, measure=measure))
            for topic, measure in places
        ]

    def name(self, topic: str, measure: str) -> str:
        """Return the name of a value, such as "F on 3.4"."""
        column = self.column(measure)
        label = in_language(column.label) if column is not None else measure
        return (
            gettext("%(label)s over all topics") % {"label": label}
            if topic == ALL
            else gettext("%(label)s on %(topic)s") % {"label": label, "topic": topic}
        )

    def column(self, measure: str) -> MeasureColumn | None:
        """Return the measure as the track describes it, or None."""
        measures = track_of(self.seat.campaign).scoring.measures
        return next((each for each in measures if each.key == measure), None)


@login_required
@require_safe
@waits_for_job
def score_explain(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how a value was computed: the formula filled in, and its rows."""
    asked = _requested_value(request, slug)
    explanation = in_readers_language(asked.explain(asked.topic, asked.measure))
    return render_page(
        request,
        "assess/scores/explain.html",
        asked.seat,
        explanation=explanation,
        scores=asked.scores,
        steps=[(step, _rows(explanation, place, asked)) for place, step in enumerate(explanation.steps)],
        measure=asked.column(asked.measure),
        question=asked.seat.campaign.topics.filter(number=asked.topic).first(),
        topic=asked.topic,
        crumbs=[*asked.crumbs(), *asked.way()],
    )


@login_required
@require_safe
@waits_for_job
def score_judgments(request: HttpRequest, slug: str) -> HttpResponse:
    """Show people's judgments of what one row of an explanation refers to."""
    asked = _requested_value(request, slug)
    row = request.GET.get("row", "")
    reason = judgments_behind(
        asked.snapshot,
        run=asked.run,
        topic=asked.topic,
        measure=asked.measure,
        row=row,
        explain=asked.explain,
        with_machines=asked.seat.is_organiser,
    )
    explanation = in_readers_language(reason.explanation)
    step, place = explanation.steps[reason.explanation.steps.index(reason.step)], reason.step.rows.index(reason.row)
    reason = replace(reason, explanation=explanation, step=step, row=step.rows[place])
    here = (asked.name(asked.topic, asked.measure), asked.address("score-explain"))
    return render_page(
        request,
        "assess/scores/judgments.html",
        asked.seat,
        reason=reason,
        scores=asked.scores,
        cells=list(zip(reason.step.header, reason.row, strict=False)),
        topic=asked.topic,
        crumbs=[*asked.crumbs(), *asked.way(), here],
        with_names=asked.seat.is_organiser,
    )


def in_readers_language(found: Explanation) -> Explanation:
    """Return an explanation with its phrases in the language of whoever reads; what runs and people wrote stays."""
    return replace(
        found,
        formula=in_language(found.formula),
        steps=tuple(
            replace(
                step,
                label=in_language(step.label),
                value=in_language(step.value),
                header=tuple(map(in_language, step.header)),
                rows=tuple(tuple(map(in_language, row)) for row in step.rows),
            )
            for step in found.steps
        ),
    )


def _requested_value(request: HttpRequest, slug: str) -> AskedValue:
    """Return the value that the address names. Raise `NotFound` if this person may not see it."""
    seat = access_seat(request.user, slug, *READERS)
    run, topic, measure = (request.GET.get(name, "").replace("\0", "") for name in ("run", "topic", "measure"))
    as_of = requested_point(request, seat.campaign) if seat.is_organiser else None
    point = access_scores_point(seat, as_of)
    access_scored_run(seat, run)
    return AskedValue(seat=seat, run=run, topic=topic, measure=measure, as_of=point, scores=page_scores(seat, point))


def _rows(explanation: Explanation, place: int, asked: AskedValue) -> list[Row]:
    step = explanation.steps[place]
    about = step.about or (None,) * len(step.rows)
    return [
        Row(cells, _address(each, asked, row_name(place + 1, number)))
        for number, (cells, each) in enumerate(zip(step.rows, about, strict=True), start=1)
    ]


def _address(about: About | None, asked: AskedValue, row: str) -> str:
    if about is None:
        return ""
    if about.kind == "score":
        return asked.address("score-explain", topic=about.topic, measure=about.name)
    return asked.address("score-judgments", row=row)

"""Whether the ranking of runs holds with other judgments or other settings: two sides, compared.

Each side is a set of judgments, settings of the track and a measure. Runs are scored on both sides by the same
collectors and the same scoring, and compared on the topics that both sets of judgments cover.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from assess.analysis.domain.rankings import SideChoice, Sides, TopicLevel, Values, shared_measure, topic_level
from assess.base.errors import Invalid
from assess.base.sentences import told
from assess.campaigns.models import Campaign
from assess.judging.queries.judges import JudgeSet
from assess.judging.snapshots import Snapshot
from assess.kinds.agreement_questions import questions_of, source_of
from assess.protocol import MeasureColumn
from assess.scores.kept import json_once
from assess.scores.states import CampaignScores
from scoring.release.grid_values import topics_of
from scoring.statistics.intervals import Estimate, Interval, Sampling
from scoring.statistics.rankings import RunRanking, correlate_scores, mean_scores

RESAMPLES = 500
ALIKE = gettext_lazy(
    "Both rankings are the same: nothing is compared. Choose other judgments (a second "
    "assessor's, a machine judge's), other settings or another measure for one of them."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One scored side: the values on the compared topics, and the ranking by their means."""

    judge: JudgeSet
    scores: CampaignScores
    measure: MeasureColumn
    values: Values
    ranking: RunRanking


@dataclass(frozen=True, kw_only=True, slots=True)
class MovedRun:
    """A run's value and place on both sides.

    ``moved`` is how many places better the run is on the second side, or None if it lacks a value on one side.
    """

    run: str
    first: float | None
    second: float | None
    first_place: float | None
    second_place: float | None

    @property
    def moved(self) -> float | None:
        """The number of places gained from the first side to the second; None if the run has no place on one side."""
        if self.first_place is None or self.second_place is None:
            return None
        return self.first_place - self.second_place


@dataclass(frozen=True, kw_only=True, slots=True)
class Stability:
    """Two rankings of the same runs and their similarity."""

    first: Side
    second: Side
    topics: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    runs: tuple[MovedRun, ...]
    sampling: Sampling


def compare_rankings(
    sides: Sides,
    *,
    first: SideChoice,
    second: SideChoice,
    without: Collection[str] = (),
    sampling: Sampling | None = None,
) -> Stability:
    """Rank the runs on both sides and correlate the rankings; the second is the true order for tau_AP.

    The compared topics (or series) are those on which some run has a value on both sides and which both judge sets
    cover. Intervals are over topics. ``without`` are runs left out. Raises `Invalid` for an unknown judge set or
    measure, and for two equal sides. Costs two scorings, and some seconds for the intervals; both are cached.
    """
    campaign = sides.campaign
    drawn = sampling or Sampling(resamples=RESAMPLES)
    if not first.measure and not second.measure:
        measure = shared_measure(sides, first, second)
        first, second = replace(first, measure=measure), replace(second, measure=measure)
    if first == second:
        raise Invalid(ALIKE)
    judges = [sides.judge(asked) for asked in (first, second)]
    levels = [_level(sides, asked, without) for asked in (first, second)]
    topics = set(levels[0].topics) & set(levels[1].topics)
    if judges[0].key != judges[1].key:
        for judge, asked in zip(judges, (first, second), strict=True):
            topics &= _spoken_of(campaign, judge, sides.scores(asked))
    made = [
        _side(judge, sides.scores(asked), level, topics)
        for judge, asked, level in zip(judges, (first, second), levels, strict=True)
    ]
    estimates = _estimates(campaign, made, drawn)
    return Stability(
        first=made[0],
        second=made[1],
        topics=tuple(sorted(topics)),
        estimates=tuple(estimates),
        runs=_moves(made[0].ranking, made[1].ranking, tuple(made[0].values)),
        sampling=drawn,
    )


def _level(sides: Sides, asked: SideChoice, without: Collection[str]) -> TopicLevel:
    try:
        return topic_level(sides.campaign, sides.scores(asked), asked.measure, without=without)
    except Invalid as error:
        raise Invalid(
            gettext("Judgments of %(label)s: %(error)s") % {"label": told(sides.judge(asked).label), "error": error}
        ) from error


def _spoken_of(campaign: Campaign, judge: JudgeSet, scores: CampaignScores) -> set[str]:
    """Return the numbers of the topics, and of their series, that this judge set had judged at the ledger point of
    these scores.
    """
    told = ("spoken of", campaign.created_at.isoformat(), judge.key, scores.at.isoformat())
    return set(json_once(campaign.pk, told, lambda: sorted(_topics_of(campaign, judge, scores.as_of))))


def _estimates(campaign: Campaign, sides: list[Side], sampling: Sampling) -> list[Estimate]:
    """Return the similarity of both sides, computed once for the same values."""
    values = [[(run, sorted(row.items())) for run, row in side.values.items()] for side in sides]

    def compute() -> list[dict[str, Any]]:
        return [asdict(each) for each in correlate_scores(sides[0].values, sides[1].values, sampling=sampling)]

    found = json_once(campaign.pk, ("correlations", asdict(sampling), values), compute)
    return [
        Estimate(**{**each, "interval": None if each["interval"] is None else Interval(**each["interval"])})
        for each in found
    ]


def _topics_of(campaign: Campaign, judge: JudgeSet, point: int) -> set[str]:
    found: set[str] = set()
    for question in questions_of(campaign):
        source = source_of(campaign, question.stage, question.criterion)
        if source is not None:
            found |= topics_of(source[0].values(Snapshot(campaign, point), question, judge.key))
    parents = campaign.topics.filter(number__in=found, parent__isnull=False).values_list("parent__number", flat=True)
    return found | {number for number in parents if number is not None}


def _side(judge: JudgeSet, scores: CampaignScores, level: TopicLevel, topics: Collection[str]) -> Side:
    values = {run: {topic: row.get(topic) for topic in topics} for run, row in level.values.items()}
    means = mean_scores(values)
    ranking = RunRanking(key=level.measure.key, label=level.measure.label, values=means, group=level.measure.group)
    return Side(judge=judge, scores=scores, measure=level.measure, values=values, ranking=ranking)


def _moves(first: RunRanking, second: RunRanking, runs: Collection[str]) -> tuple[MovedRun, ...]:
    before, after = first.places, second.places
    return tuple(
        MovedRun(
            run=run,
            first=first.values.get(run),
            second=second.values.get(run),
            first_place=before.get(run),
            second_place=after.get(run),
        )
        for run in runs
    )

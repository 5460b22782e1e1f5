"""How far the ranking of runs holds when other judgments count, or other settings: two sides, compared.

Each side is a set of judgments, the settings of the track and a measure. Runs are scored on both sides by the same
collectors and the same scoring, and compared on the topics that both sets of judgments speak of.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from assess.domain.analysis.topic_scores import TopicLevel, Values, ranking_measures, telling_measures, topic_level
from assess.domain.errors import Invalid
from assess.domain.recall import Memory
from assess.domain.releases.exports import reached_point
from assess.domain.scores.computing import CampaignScores, score_campaign
from assess.judge_values import questions_of, source_of
from assess.models import Assignment, Campaign
from assess.protocol import MeasureColumn
from assess.queries.analysis.counting import OFFICIAL_COUNTING, Counting
from assess.queries.analysis.judges import INDEPENDENT, OFFICIAL, ROLES, JudgeSet, is_machine_name, judges_of
from assess.track_settings import TrackSettings
from scoring.intervals import Estimate, Sampling
from scoring.rankings import RunRanking
from scoring.stability import correlate_scores, mean_scores

RESAMPLES = 500
ALIKE = (
    "Both rankings are the same: nothing is compared. Choose other judgments (a second assessor's, a machine judge's), "
    "other settings or another measure for one of them."
)

_correlated: Memory[list[Estimate]] = Memory(32)
_spoken: Memory[set[str]] = Memory(64)


@dataclass(frozen=True, kw_only=True, slots=True)
class SideAsked:
    """What one side is to be: the key of a judge set, other settings than the campaign's (None: its own), a measure
    ("" on both sides: the first that both have, the official before others).
    """

    judge: str = OFFICIAL
    settings: TrackSettings | None = None
    measure: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One side as it was scored: the values on the topics compared, and the ranking by their means."""

    judge: JudgeSet
    scores: CampaignScores
    measure: MeasureColumn
    values: Values
    ranking: RunRanking


@dataclass(frozen=True, kw_only=True, slots=True)
class Moved:
    """A run's value and place on both sides. ``moved`` is how many places better the second has it; None where it has
    no value on one side.
    """

    run: str
    first: float | None
    second: float | None
    first_place: float | None
    second_place: float | None

    @property
    def moved(self) -> float | None:
        """Places gained from the first side to the second."""
        if self.first_place is None or self.second_place is None:
            return None
        return self.first_place - self.second_place


@dataclass(frozen=True, kw_only=True, slots=True)
class Stability:
    """Two rankings of the same runs and how alike they are."""

    first: Side
    second: Side
    topics: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    runs: tuple[Moved, ...]
    sampling: Sampling


def counting_of(judge: JudgeSet) -> Counting:
    """The words of a judge set, as what counts."""
    if judge.kind == "official":
        return OFFICIAL_COUNTING
    if judge.kind == "role":
        return Counting(roles=(ROLES[judge.key][0],))
    roles = (Assignment.Role.MACHINE,) if judge.kind == "machine" else INDEPENDENT
    return Counting(roles=tuple(roles), assessor=judge.user_id)


def usual_sides(campaign: Campaign, *, as_of: int | None = None) -> tuple[SideAsked, SideAsked] | None:
    """What is compared where nobody chose: the official judgments and other assessors', else a machine's, by a measure
    that tells runs apart on both sides; where nobody else's do, the official ones by two measures. None where there are
    no two.
    """
    keys = [each.key for each in judges_of(campaign)]
    for other in [key for key in keys if key == "second" or is_machine_name(key)][:2]:
        telling = _telling(campaign, SideAsked(), SideAsked(judge=other), as_of)
        if telling:
            return SideAsked(measure=telling[0]), SideAsked(judge=other, measure=telling[0])
    alone = _telling(campaign, SideAsked(), SideAsked(), as_of)
    return (SideAsked(measure=alone[0]), SideAsked(measure=alone[1])) if len(alone) > 1 else None


def told_apart(
    campaign: Campaign, first: SideAsked, second: SideAsked, *, as_of: int | None = None
) -> tuple[SideAsked, SideAsked]:
    """These two sides; where they are the same one, what is compared where nobody chose, by the measure asked for."""
    usual = usual_sides(campaign, as_of=as_of) if first == second else None
    if usual is None:
        return first, second
    if not first.measure:
        return replace(usual[0], settings=first.settings), replace(usual[1], settings=second.settings)
    return replace(first, judge=usual[0].judge), replace(second, judge=usual[1].judge)


def measures_of(campaign: Campaign, side: SideAsked, *, as_of: int | None = None) -> list[MeasureColumn]:
    """The measures that have values by topic on one side, the official first."""
    return ranking_measures(_scores(campaign, side, reached_point(campaign, as_of))[1])


def shared_measure(campaign: Campaign, first: SideAsked, second: SideAsked, *, as_of: int | None = None) -> str:
    """The first measure that has values by topic on both sides, such as tell runs apart and the official before others;
    "" where there is none.
    """
    point = reached_point(campaign, as_of)
    ours, theirs = (_scores(campaign, side, point)[1] for side in (first, second))
    known = {each.key for each in ranking_measures(theirs)}
    shared = [each.key for each in ranking_measures(ours) if each.key in known]
    return next(iter((*_telling_both(ours, theirs), *shared)), "")


def _telling(campaign: Campaign, first: SideAsked, second: SideAsked, as_of: int | None) -> list[str]:
    """The measures that tell runs apart on both sides, in order."""
    point = reached_point(campaign, as_of)
    return _telling_both(*(_scores(campaign, side, point)[1] for side in (first, second)))


def _telling_both(ours: CampaignScores, theirs: CampaignScores) -> list[str]:
    both = telling_measures(ours) & telling_measures(theirs)
    return [each.key for each in ranking_measures(ours) if each.key in both]


def compare_rankings(
    campaign: Campaign,
    *,
    first: SideAsked,
    second: SideAsked,
    as_of: int | None = None,
    without: Collection[str] = (),
    sampling: Sampling | None = None,
) -> Stability:
    """Rank the runs on both sides and correlate the rankings; the second is the true order for tau_AP.

    Compared are the topics (or series) on which some run has a value on both sides and which both judge sets spoke of.
    Intervals are over topics. ``without`` are runs left out. Refused: an unknown judge set or measure, one side twice,
    a point not reached yet. Costs two scorings, and some seconds for the intervals; both are remembered.
    """
    point = reached_point(campaign, as_of)
    drawn = sampling or Sampling(resamples=RESAMPLES)
    if not first.measure and not second.measure:
        measure = shared_measure(campaign, first, second, as_of=point)
        first, second = replace(first, measure=measure), replace(second, measure=measure)
    if first == second:
        raise Invalid(ALIKE)
    sides = [_scored(campaign, asked, point, without) for asked in (first, second)]
    topics = set(sides[0][2].topics) & set(sides[1][2].topics)
    if sides[0][0].key != sides[1][0].key:
        topics &= _spoken_of(campaign, sides[0][0], point) & _spoken_of(campaign, sides[1][0], point)
    made = [_side(*side, topics) for side in sides]
    key = (campaign.pk, campaign.created_at, point, first, second, tuple(sorted(without)), drawn, _digest(made))
    estimates = _correlated.get(key, lambda: correlate_scores(made[0].values, made[1].values, sampling=drawn))
    return Stability(
        first=made[0],
        second=made[1],
        topics=tuple(sorted(topics)),
        estimates=tuple(estimates),
        runs=tuple(_moved(made[0].ranking, made[1].ranking, run) for run in made[0].values),
        sampling=drawn,
    )


def _scored(
    campaign: Campaign, asked: SideAsked, point: int, without: Collection[str]
) -> tuple[JudgeSet, CampaignScores, TopicLevel]:
    judge, scores = _scores(campaign, asked, point)
    try:
        return judge, scores, topic_level(campaign, scores, asked.measure, without=without)
    except Invalid as error:
        raise Invalid(f"Judgments of {judge.label}: {error}") from error


def _scores(campaign: Campaign, asked: SideAsked, point: int) -> tuple[JudgeSet, CampaignScores]:
    known = {each.key: each for each in judges_of(campaign)}
    if asked.judge not in known:
        raise Invalid(f"There is no judge “{asked.judge[:60]}”. Judges: {', '.join(known)}.")
    judge = known[asked.judge]
    return judge, score_campaign(campaign, point, asked.settings, counting_of(judge))


def _spoken_of(campaign: Campaign, judge: JudgeSet, point: int) -> set[str]:
    """The topics that a judge set said something of, and the series that these belong to."""
    return _spoken.get((campaign.pk, campaign.created_at, point, judge), lambda: _topics_of(campaign, judge, point))


def _topics_of(campaign: Campaign, judge: JudgeSet, point: int) -> set[str]:
    found: set[str] = set()
    for question in questions_of(campaign):
        source = source_of(campaign, question.stage, question.criterion)
        if source is not None:
            found.update(topic for topic, _ in source[0].values(campaign, question, judge.key, point))
    parents = campaign.topics.filter(number__in=found, parent__isnull=False).values_list("parent__number", flat=True)
    return found | {number for number in parents if number is not None}


def _side(judge: JudgeSet, scores: CampaignScores, level: TopicLevel, topics: Collection[str]) -> Side:
    values = {run: {topic: row.get(topic) for topic in topics} for run, row in level.values.items()}
    means = mean_scores(values)
    ranking = RunRanking(key=level.measure.key, label=level.measure.label, values=means, group=level.measure.group)
    return Side(judge=judge, scores=scores, measure=level.measure, values=values, ranking=ranking)


def _digest(sides: list[Side]) -> int:
    """What the correlations depend on, so that runs taken in or withdrawn are not mistaken for the ones before."""
    return hash(
        tuple(
            (run, topic, value)
            for side in sides
            for run, row in side.values.items()
            for topic, value in sorted(row.items())
        )
    )


def _moved(first: RunRanking, second: RunRanking, run: str) -> Moved:
    return Moved(
        run=run,
        first=first.values.get(run),
        second=second.values.get(run),
        first_place=first.places.get(run),
        second_place=second.places.get(run),
    )

"""Rankings of runs by any measure, topic by topic: two sides of a comparison, and how similarly measures order runs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from assess.base.errors import Invalid
from assess.base.track_settings import TrackSettings
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.campaigns.track_texts import in_language
from assess.judging.queries.judges import OFFICIAL, JudgeSet, counting_of, is_machine_name, judges_of
from assess.judging.snapshots import Snapshot
from assess.protocol import MeasureColumn
from assess.scores.domain import ScoreCampaign, score_campaign
from assess.scores.states import CampaignScores
from scoring.release.tables import ALL, ScoreTable
from scoring.statistics.rankings import (
    CONSTANT,
    DIGITS,
    RANDOM,
    Likeness,
    RunRanking,
    all_likenesses,
    constant_ranking,
    random_ranking,
)

if TYPE_CHECKING:
    from scoring.release.score_columns import Numbers, ScoreColumns

# One measure of all runs, topic by topic, from which rankings, their stability and significance are computed.

CLEARLY = 2 * 10.0**-DIGITS
"""Means that differ by more than this are different, however they are summed and rounded."""

Values = dict[str, dict[str, float | None]]
"""Run -> topic -> value; None if it is undefined."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicLevel:
    """A measure with its values. ``topics`` are judged topics or, for a measure of series, series."""

    measure: MeasureColumn
    values: Values
    topics: tuple[str, ...]


def ranking_measures(scores: CampaignScores) -> list[MeasureColumn]:
    """Return the measures that rank runs and have a value on some topic or series, the official ones first."""
    columns = scores.columns
    known = {columns.measures[place] for place in set(columns.measure[_is_of_topic(columns)].tolist())}
    found = [each for each in scores.measures if each.ranks and each.key in known]
    return sorted(found, key=lambda each: not each.official)


def telling_measures(scores: CampaignScores) -> set[str]:
    """Return the measures that distinguish runs: their means over topics and series are not all the same."""
    columns = scores.columns
    is_of_topic = _is_of_topic(columns)
    rows = [is_of_topic & (columns.measure == place) for place in range(len(columns.measures))]
    return {
        name
        for name, chosen in zip(columns.measures, rows, strict=True)
        if _are_apart(columns.run[chosen], columns.value[chosen])
    }


def _is_of_topic(columns: ScoreColumns) -> Numbers:
    """Return a mask of the values that are defined and belong to a topic or series rather than to all topics."""
    import numpy as np

    over_all = columns.topics.index(ALL) if ALL in columns.topics else -1
    found: Numbers = (columns.topic != over_all) & ~np.isnan(columns.value)
    return found


def _are_apart(runs: Numbers, values: Numbers) -> bool:
    """Return whether the runs' means, rounded to `DIGITS` digits, are not all the same."""
    import numpy as np

    counts = np.bincount(runs)
    means = (np.bincount(runs, weights=values)[counts > 0]) / counts[counts > 0]
    if len(means) and np.ptp(means) > CLEARLY:
        return True
    return len({round(fmean(values[runs == run].tolist()), DIGITS) for run in np.flatnonzero(counts)}) > 1


def measure_title(measure: MeasureColumn) -> str:
    """Return a measure's name for people, with its group unless the label begins with it."""
    is_told = not measure.group or measure.label.startswith(measure.group)
    label = in_language(measure.label)
    return label if is_told else f"{in_language(measure.group)}: {label}"


def topic_level(
    campaign: Campaign, scores: CampaignScores, measure: str = "", *, without: Collection[str] = ()
) -> TopicLevel:
    """Return a measure's values (default: the official one) on topics or, for a measure of series, on series.

    ``without`` are runs left out. Raises `Invalid` for an unknown measure, or one without a value on any topic.
    """
    measures = ranking_measures(scores)
    chosen = next((each for each in measures if each.key == measure or not measure), None)
    if chosen is None:
        known = ", ".join(f"{measure_title(each)} ({each.key})" for each in measures)
        titles = {each.key: measure_title(each) for each in scores.measures}
        if measure in titles:
            what = gettext("“%(measure)s” has no value on any topic.") % {"measure": titles[measure]}
        else:
            what = gettext("There is no measure “%(measure)s” with values by topic.") % {"measure": measure[:60]}
        known = known or gettext("none yet; judge some topics first")
        raise Invalid(gettext("%(what)s Measures: %(known)s.") % {"what": what, "known": known})
    judged = set(campaign.topics.exclude(task="").values_list("number", flat=True))
    rows = [score for score in scores.columns.where(measure=chosen.key) if score.topic != ALL]
    is_of_topics = any(score.topic in judged for score in rows)
    values: Values = {run: {} for run in scores.runs if run not in without}
    for score in rows:
        if score.run in values and (score.topic in judged) == is_of_topics:
            values[score.run][score.topic] = score.value
    topics = {topic for row in values.values() for topic, value in row.items() if value is not None}
    return TopicLevel(measure=chosen, values=values, topics=tuple(sorted(topics)))


# The two sides of a comparison of rankings: whose judgments count, with which settings, by which measure.
#
# The preselected comparison is defined here, too: every page, command and call asks the same `Sides`.


@dataclass(frozen=True, kw_only=True, slots=True)
class SideChoice:
    """The choices for one side: the key of a judge set, settings other than the campaign's, and a measure.

    ``settings`` None means the campaign's own. If ``measure`` is "" on both sides, the first measure that both sides
    have is used, official ones first.
    """

    judge: str = OFFICIAL
    settings: TrackSettings | None = None
    measure: str = ""


class Sides:
    """A campaign at a ledger point, to be scored under several judge sets and settings.

    The point is now if the snapshot names none. The judge sets are read once, and ``score`` is called once for each
    combination that is asked for. Raises `Invalid` for a point not reached yet.
    """

    def __init__(self, snapshot: Snapshot, score: ScoreCampaign = score_campaign) -> None:
        self.snapshot, self.campaign, self.point = snapshot, snapshot.campaign, snapshot.reached()
        self._score = score
        self.judges = {each.key: each for each in judges_of(snapshot.campaign)}
        self._scores: dict[tuple[str, TrackSettings | None], CampaignScores] = {}

    def judge(self, asked: SideChoice) -> JudgeSet:
        """Return the judge set of a side. Raises `Invalid` if there is none with this key."""
        if asked.judge not in self.judges:
            raise Invalid(
                gettext("There is no judge “%(judge)s”. Judges: %(judges)s.")
                % {"judge": asked.judge[:60], "judges": ", ".join(self.judges)}
            )
        return self.judges[asked.judge]

    def scores(self, asked: SideChoice) -> CampaignScores:
        """Return the values of all runs under a side's judgments and settings, by all measures. Raises what `judge`
        raises.
        """
        key = asked.judge, asked.settings
        if key not in self._scores:
            counting = counting_of(self.judge(asked))
            self._scores[key] = self._score(replace(self.snapshot, counting=counting), asked.settings)
        return self._scores[key]

    @property
    def as_of(self) -> int:
        """The ledger point of the oldest scores that were computed here; without any scores, the point of the
        campaign.
        """
        return min((each.as_of for each in self._scores.values()), default=self.point)

    @property
    def older(self) -> CampaignScores | None:
        """Scores asked for that are older than the judgments, while newer ones are being computed; None if there are
        none.
        """
        return next((each for each in self._scores.values() if each.newer), None)


def usual_sides(sides: Sides) -> tuple[SideChoice, SideChoice] | None:
    """Return the preselected comparison, or None if there is nothing to compare.

    It compares the official judgments with a second assessor's, or else with a machine's, by a measure that separates
    runs on both sides; failing that, the official judgments by two measures.
    """
    for other in [key for key in sides.judges if key == "second" or is_machine_name(key)][:2]:
        telling = _telling(sides, SideChoice(), SideChoice(judge=other))
        if telling:
            return SideChoice(measure=telling[0]), SideChoice(judge=other, measure=telling[0])
    alone = _telling(sides, SideChoice(), SideChoice())
    return (SideChoice(measure=alone[0]), SideChoice(measure=alone[1])) if len(alone) > 1 else None


def distinct_sides(sides: Sides, first: SideChoice, second: SideChoice) -> tuple[SideChoice, SideChoice]:
    """Return two sides to compare: these two if they differ, or if nothing else can be preselected.

    If they are the same, return the preselected sides, with the settings asked for. If a measure was asked for, it is
    kept, too, and only the judges are the preselected ones.
    """
    usual = usual_sides(sides) if first == second else None
    if usual is None:
        return first, second
    if not first.measure:
        return replace(usual[0], settings=first.settings), replace(usual[1], settings=second.settings)
    return replace(first, judge=usual[0].judge), replace(second, judge=usual[1].judge)


def measures_of(sides: Sides, side: SideChoice) -> list[MeasureColumn]:
    """Return the measures that have values by topic on one side, the official ones first."""
    return ranking_measures(sides.scores(side))


def shared_measure(sides: Sides, first: SideChoice, second: SideChoice) -> str:
    """Return the first measure that has values by topic on both sides, or "".

    Measures that distinguish runs come first, then official ones.
    """
    known = {each.key for each in measures_of(sides, second)}
    shared = [each.key for each in measures_of(sides, first) if each.key in known]
    return next(iter((*_telling(sides, first, second), *shared)), "")


def _telling(sides: Sides, first: SideChoice, second: SideChoice) -> list[str]:
    """Return the measures that distinguish runs on both sides, in order."""
    both = telling_measures(sides.scores(first)) & telling_measures(sides.scores(second))
    return [each.key for each in measures_of(sides, first) if each.key in both]


# How similarly a campaign's measures order its runs: rankings, controls to compare with, and taus of all pairs.

CONTROLS = (RANDOM, CONSTANT)
SHOWN = 16
"""The number of rankings compared by default: more would make an unreadable plot."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Analysis:
    """The chosen rankings, and the likeness of each pair by (key, key).

    ``choices`` are the measures that rank runs and have values; ``columns`` are all measures with values, which are
    those of the table of ``means``. ``averages`` are over the ranked runs; ``left_out`` are the runs that are in no
    ranking.
    """

    scores: CampaignScores
    choices: tuple[MeasureColumn, ...]
    columns: tuple[MeasureColumn, ...]
    means: ScoreTable
    averages: tuple[float | None, ...]
    rankings: tuple[RunRanking, ...]
    likenesses: dict[tuple[str, str], Likeness]
    left_out: tuple[str, ...]

    @property
    def kept(self) -> tuple[str, ...]:
        """The runs that are ranked."""
        return tuple(run for run in self.scores.runs if run not in self.left_out)


def analyse_campaign(
    snapshot: Snapshot,
    *,
    measures: Collection[str] = (),
    without: Collection[str] = (),
    seed: int = 1,
    settings: TrackSettings | None = None,
    score: ScoreCampaign = score_campaign,
) -> Analysis:
    """Rank the runs by the named measures and controls, and compare every pair of rankings.

    ``measures`` has keys of measures that rank runs, "random" and "constant"; other names are ignored. If it is empty,
    the first sixteen measures and both controls are used. A run is ranked by its mean over topics; a run without a mean
    is not in that ranking. ``without`` are runs left out; no value depends on another run, so the others keep theirs.
    ``seed`` makes the random control; ``settings`` replace the campaign's. Costs what ``score`` costs.
    """
    scores = score(snapshot, settings)
    table = scores.tables.of_topic().without_empty(rows=False)
    columns = tuple(each for each in scores.measures if each.key in table.values.columns)
    choices = tuple(each for each in columns if each.ranks)
    left_out = tuple(run for run in scores.runs if run in without)
    wanted = [each for each in choices if each.key in measures] if measures else choices[:SHOWN]
    kept = [run for run in scores.runs if run not in left_out]
    ranked = table.part(rows=kept)
    rankings = [
        RunRanking(key=each.key, label=each.label, values=ranked.defined(each.key), group=each.group) for each in wanted
    ]
    if not measures or RANDOM in measures:
        topics = max((cell.topics or 0 for row in table.rows() for cell in row.cells.values()), default=0)
        chance = track_of(snapshot.campaign).scoring.chance
        rankings.append(random_ranking(kept, seed=seed, chance=chance, topics=topics))
    if not measures or CONSTANT in measures:
        rankings.append(constant_ranking(kept))
    found = tuple(each for each in rankings if each.values)
    return Analysis(
        scores=scores,
        choices=choices,
        columns=columns,
        means=table,
        averages=tuple(ranked.averages()),
        rankings=found,
        likenesses=all_likenesses(found),
        left_out=left_out,
    )

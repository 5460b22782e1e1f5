"""How alike a campaign's measures order its runs: rankings, controls to hold them against, and taus between all."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from assess.base.track_settings import TrackSettings
from assess.campaigns.models import Campaign
from assess.campaigns.tracks import track_of
from assess.protocol import MeasureColumn
from assess.scores.domain.computing import CampaignScores, score_campaign
from scoring.rankings import (
    CONSTANT,
    RANDOM,
    Likeness,
    RunRanking,
    all_likenesses,
    constant_ranking,
    random_ranking,
)
from scoring.records import Score

CONTROLS = (RANDOM, CONSTANT)
SHOWN = 16
"""Rankings that are compared where nobody chose any: more make a plot that nobody can read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Analysis:
    """The rankings chosen, best run first, and the likeness of each pair by (key, key).

    ``choices`` are the measures that rank runs and have values, ``columns`` all measures with values, for the table
    of means; ``left_out`` the runs that no ranking holds.
    """

    scores: CampaignScores
    choices: tuple[MeasureColumn, ...]
    columns: tuple[MeasureColumn, ...]
    rankings: tuple[RunRanking, ...]
    likenesses: dict[tuple[str, str], Likeness]
    left_out: tuple[str, ...]

    @property
    def kept(self) -> tuple[str, ...]:
        """The runs that are ranked."""
        return tuple(run for run in self.scores.runs if run not in self.left_out)


def analyse_campaign(
    campaign: Campaign,
    *,
    measures: Collection[str] = (),
    without: Collection[str] = (),
    seed: int = 1,
    settings: TrackSettings | None = None,
    as_of: int | None = None,
) -> Analysis:
    """Rank the runs by the measures named and by the controls named, and compare every pair of rankings.

    ``measures`` holds keys of measures that rank runs, "random" and "constant"; none: all (the first sixteen). A run
    is ranked by its mean over topics; a run without one is not in that ranking. ``without`` are runs left out; no
    value depends on another run, so the rest keep theirs. ``seed`` makes the random control; ``settings`` are other
    ones than the campaign's. Costs what `score_campaign` costs.
    """
    scores = score_campaign(campaign, as_of, settings)
    table = scores.table()
    columns = tuple(each for each in scores.measures if any(each.key in row for row in table.values()))
    choices = tuple(each for each in columns if each.ranks)
    left_out = tuple(run for run in scores.runs if run in without)
    wanted = [each for each in choices if each.key in measures] if measures else choices[:SHOWN]
    rankings = [_ranking(each, table, left_out) for each in wanted]
    kept = [run for run in scores.runs if run not in left_out]
    if not measures or RANDOM in measures:
        topics = max((score.topics or 0 for row in table.values() for score in row.values()), default=0)
        chance = track_of(campaign).scoring.chance
        rankings.append(random_ranking(kept, seed=seed, chance=chance, topics=topics))
    if not measures or CONSTANT in measures:
        rankings.append(constant_ranking(kept))
    found = tuple(each for each in rankings if each.values)
    return Analysis(
        scores=scores,
        choices=choices,
        columns=columns,
        rankings=found,
        likenesses=all_likenesses(found),
        left_out=left_out,
    )


def _ranking(measure: MeasureColumn, table: dict[str, dict[str, Score]], left_out: Collection[str]) -> RunRanking:
    values = {}
    for run, row in table.items():
        score = row.get(measure.key)
        if score is not None and score.value is not None and run not in left_out:
            values[run] = score.value
    return RunRanking(key=measure.key, label=measure.label, values=values, group=measure.group)

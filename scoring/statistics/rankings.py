"""Compares orders of runs by their values: how alike they are, and how stable they are when judgments change."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from scoring.statistics.correlation import MEASURES, correlate, tau_b
from scoring.statistics.intervals import Estimate, Interval, Sampling, draw_topics, interval_of

# control     random: an order by chance alone; constant: the runs by name, best first
#     alike       Kendall's tau of every pair, over the runs that both rankings hold (tau-b).
#                 Without ties it is 1 - 2 D / (n (n - 1) / 2), D the least number of swaps of neighbours between them
#
# Source: AQUAINT pilot evaluation of definition questions, section 2.1.

RANDOM, CONSTANT = "random", "constant"
TOPICS = 25
"""The number of topics of a random ranking if none is given."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRanking:
    """Runs in the order that their values give; the run with the largest value is best. Runs without a value are left
    out.
    """

    key: str
    label: str
    values: Mapping[str, float]
    group: str = ""

    @property
    def order(self) -> tuple[str, ...]:
        """The runs, best first; runs with the same value are sorted by name."""
        return tuple(sorted(self.values, key=lambda run: (-self.values[run], run)))

    @property
    def places(self) -> dict[str, float]:
        """The place of each run, from 1. Runs with the same value share the mean of their places."""
        found: dict[str, float] = {}
        for run, value in self.values.items():
            above = sum(other > value for other in self.values.values())
            same = sum(other == value for other in self.values.values())
            found[run] = above + (same + 1) / 2
        return found

    def without(self, left_out: Collection[str]) -> RunRanking:
        """Return this ranking without some runs."""
        kept = {run: value for run, value in self.values.items() if run not in left_out}
        return RunRanking(key=self.key, label=self.label, values=kept, group=self.group)


@dataclass(frozen=True, kw_only=True, slots=True)
class Likeness:
    """The similarity of two rankings: tau-b over the runs that both contain, and the number of these (``runs``).

    ``tau`` is None if it is undefined: with fewer than two shared runs, or if all are tied in one of the rankings.
    ``tied`` says whether any shared runs are tied.
    """

    first: str
    second: str
    tau: float | None
    runs: int
    tied: bool


def ranking_of(order: Iterable[str], *, key: str, label: str = "") -> RunRanking:
    """Return a ranking with the runs in the given order, best first.

    >>> ranking_of("FGEADBHC", key="contractor").order[:3]
    ('F', 'G', 'E')
    """
    values = {run: -float(place) for place, run in enumerate(order)}
    return RunRanking(key=key, label=label or key, values=values)


def constant_ranking(runs: Iterable[str]) -> RunRanking:
    """Return a ranking of the runs by name, which serves as a control."""
    return ranking_of(sorted(runs), key=CONSTANT)


def random_ranking(
    runs: Iterable[str], *, seed: int, chance: Callable[[random.Random], float] | None = None, topics: int = TOPICS
) -> RunRanking:
    """Return a random ranking. The same runs and the same seed always give the same ranking.

    ``chance`` draws the value of a run on one topic, as if the judge had thrown dice; a run's value is the mean over
    the topics. If ``chance`` is not given, every run gets a random number between 0 and 1.
    """
    dice = random.Random(seed)  # noqa: S311 (a control that can be repeated, no secret)
    draw = chance or random.Random.random
    count = max(topics, 1) if chance is not None else 1
    values = {run: sum(draw(dice) for _ in range(count)) / count for run in sorted(runs)}
    return RunRanking(key=RANDOM, label=RANDOM, values=values)


def likeness(first: RunRanking, second: RunRanking) -> Likeness:
    """Return Kendall's tau of two rankings over the runs that both contain.

    >>> likeness(ranking_of("FAEGDBHC", key="other"), ranking_of("CDBGEAFH", key="random")).tau
    -0.5
    """
    shared = sorted(first.values.keys() & second.values.keys())
    columns = [[each.values[run] for run in shared] for each in (first, second)]
    return Likeness(
        first=first.key,
        second=second.key,
        tau=_rounded(tau_b(*columns)),
        runs=len(shared),
        tied=any(len(set(column)) < len(column) for column in columns),
    )


def all_likenesses(rankings: Sequence[RunRanking]) -> dict[tuple[str, str], Likeness]:
    """Return the likeness of every pair of rankings by their keys: each under (first, second) and (second, first)."""
    found: dict[tuple[str, str], Likeness] = {}
    for first, second in combinations(rankings, 2):
        found[first.key, second.key] = found[second.key, first.key] = likeness(first, second)
    return found


def _rounded(value: float | None) -> float | None:
    """Return the value without its last digits, in which binary fractions deviate from decimal ones. None stays."""
    return None if value is None else round(value, 12) + 0.0


# How stable the ranking of runs is when judgments change: correlations of two scorings, with intervals over topics.
#
# Two scorings of the same runs come from two sets of judgments (two assessors, the current ones and those of an hour
# ago, a person's and a program's) or from two settings (β, weights, vital and okay against pyramid). A run's value is
# its mean over topics; topics without a value are left out. The interval shows how far the correlation would move with
# other topics: the same resampled topics serve both scorings and all runs. Resampling adds noise to both orders, so the
# interval of a correlation near 1 may be below it: read it as how low the correlation could be.

TopicScores = Mapping[str, Mapping[str, float | None]]
"""Run -> topic -> value; None or absent: no value."""

DIGITS = 12
"""The digits that means are rounded to, so that runs with the same values stay tied whatever the order of a sum."""


def mean_scores(scores: TopicScores) -> dict[str, float]:
    """Return run -> mean over its topics that have a value. Runs without any are left out.

    >>> mean_scores({"a": {"1": 0.5, "2": None, "3": 1.0}, "b": {"1": None}})
    {'a': 0.75}
    """
    found = {}
    for run, topics in scores.items():
        values = [value for value in topics.values() if value is not None]
        if values:
            found[run] = round(math.fsum(values) / len(values), DIGITS)
    return found


def correlate_scores(first: TopicScores, second: TopicScores, *, sampling: Sampling | None = None) -> list[Estimate]:
    """Return every rank correlation of two scorings, over the runs that both contain; ``second`` gives the true order.

    Runs are ordered by their means over topics. ``sampling`` asks for intervals, which are always drawn over topics:
    those on which any of the shared runs has a value. A correlation that is undefined (None) has no interval.
    """
    runs = sorted(first.keys() & second.keys())
    whole = correlate(
        *({run: mean for run, mean in mean_scores(each).items() if run in runs} for each in (first, second))
    )
    if sampling is None:
        return [Estimate(measure=name, value=whole[name]) for name in MEASURES]
    sampling = replace(sampling, over="topics")
    topics = sorted(_topics(first, runs) | _topics(second, runs))
    draws = draw_topics(len(topics), sampling)
    means = [_drawn_means(each, runs, topics, draws) for each in (first, second)]
    drawn = [correlate(*pair) for pair in zip(*means, strict=True)]
    return [
        Estimate(
            measure=name,
            value=whole[name],
            interval=_interval([each[name] for each in drawn], whole[name], len(topics), sampling),
        )
        for name in MEASURES
    ]


def _interval(drawn: Sequence[float | None], value: float | None, topics: int, sampling: Sampling) -> Interval | None:
    return None if value is None else interval_of(drawn, units=topics, sampling=sampling)


def _topics(scores: TopicScores, runs: Sequence[str]) -> set[str]:
    return {topic for run in runs for topic, value in scores[run].items() if value is not None}


def _drawn_means(scores: TopicScores, runs: Sequence[str], topics: Sequence[str], draws: Any) -> list[dict[str, float]]:
    """Return, for each resample, the mean of every run that has a value in it."""
    import numpy as np

    rows = [[scores[run].get(topic) for topic in topics] for run in runs]
    values = np.array([[math.nan if value is None else value for value in row] for row in rows], dtype=float)
    values = values.reshape(len(runs), len(topics))
    sums, counts = draws @ np.nan_to_num(values).T, draws @ (~np.isnan(values)).T
    means = np.divide(sums, counts, out=np.full(sums.shape, math.nan), where=counts > 0).round(DIGITS)
    return [{run: mean for run, mean in zip(runs, row, strict=True) if not math.isnan(mean)} for row in means.tolist()]

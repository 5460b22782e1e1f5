"""How far the ranking of runs holds when judgments change: correlations of two scorings, with intervals over topics.

Two scorings of the same runs come from two sets of judgments (two assessors, this hour's and the last one's, a person's
and a program's) or two settings (β, weights, vital and okay against pyramid). A run's value is its mean over topics;
topics without a value are left out of it. The interval says how far the correlation would move with other topics: the
same resampled topics serve both scorings and all runs. Resampling adds noise to both orders, so the interval of a
correlation near 1 may lie below it: read it as how low the correlation could be.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring.correlation import MEASURES, correlate
from scoring.intervals import Estimate, Interval, Sampling, draw_topics, interval_of

TopicScores = Mapping[str, Mapping[str, float | None]]
"""Run -> topic -> value; None or absent: no value."""

DIGITS = 12
"""Means are rounded to so many digits, so that runs with the same values stay tied whatever the order of a sum."""


def mean_scores(scores: TopicScores) -> dict[str, float]:
    """Run -> mean over its topics with a value; runs without any are left out.

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
    """Every rank correlation of the two orders of runs, over the runs that both hold; ``second`` is the true order.

    ``sampling`` asks for intervals, always over topics: all that any of the shared runs has a value on.
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
    """Resample by resample the mean of every run that has a value in it."""
    import numpy as np

    rows = [[scores[run].get(topic) for topic in topics] for run in runs]
    values = np.array([[math.nan if value is None else value for value in row] for row in rows], dtype=float)
    values = values.reshape(len(runs), len(topics))
    sums, counts = draws @ np.nan_to_num(values).T, draws @ (~np.isnan(values)).T
    means = np.divide(sums, counts, out=np.full(sums.shape, math.nan), where=counts > 0).round(DIGITS)
    return [{run: mean for run, mean in zip(runs, row, strict=True) if not math.isnan(mean)} for row in means.tolist()]

"""How large the difference of two runs over the same topics is, beside whether it is more than chance.

    difference      mean of first minus second
    d_paired        difference / standard deviation of the differences                      (Cohen's d_z)
    d_average       difference / root of the mean of the two runs' variances                (Cohen's d_av)
    g_paired        d_paired · (1 - 3 / (4 (n - 1) - 1)): less biased for few topics        (Hedges 1981)
    superiority     topics on which the first is better, ties by half / all topics          (0.5: none is better)

Standard deviations divide by n - 1. None where undefined: fewer than two topics, or nothing that varies. Source: Lakens
2013; Sakai 2018.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import variance

from scoring.intervals import Interval, Sampling, mean_interval
from scoring.significance import differences_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Effects:
    """Effect sizes of a pair of runs; positive (superiority: above 0.5) where the first is better."""

    topics: int
    difference: float | None
    interval: Interval | None
    """Of the difference, over topics; None where nobody asked for it or with fewer than two topics."""

    d_paired: float | None
    d_average: float | None
    g_paired: float | None
    superiority: float | None


def effects_of(first: Sequence[float], second: Sequence[float], *, sampling: Sampling | None = None) -> Effects:
    """Effect sizes of values of the same topics in the same order.

    >>> found = effects_of([0.5, 0.75, 1.0], [0.25, 0.25, 0.25])
    >>> found.difference, found.d_paired, found.superiority
    (0.5, 2.0, 1.0)
    """
    differences = differences_of(first, second)
    count = len(differences)
    if not count:
        return Effects(
            topics=0, difference=None, interval=None, d_paired=None, d_average=None, g_paired=None, superiority=None
        )
    mean = math.fsum(differences) / count
    d_paired = _ratio(mean, variance(differences) if count > 1 else 0.0)
    spread = (variance(first) + variance(second)) / 2 if count > 1 else 0.0
    correction = 1 - 3 / (4 * (count - 1) - 1)
    return Effects(
        topics=count,
        difference=mean,
        interval=mean_interval(differences, sampling) if sampling else None,
        d_paired=d_paired,
        d_average=_ratio(mean, spread),
        g_paired=None if d_paired is None else d_paired * correction,
        superiority=sum((each > 0) + (each == 0) / 2 for each in differences) / count,
    )


def _ratio(mean: float, squared: float) -> float | None:
    return mean / math.sqrt(squared) if squared > 0 else None

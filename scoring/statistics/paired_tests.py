"""Tests the difference of two runs over the same topics, and computes its effect sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from scoring.statistics.intervals import Interval, Sampling, draw_topics, mean_interval

# t               paired t-test; effect: mean difference / its standard deviation (Cohen's d of paired data)
#     randomisation   signs of the differences shuffled; statistic and effect: mean difference
#     wilcoxon        signed ranks, zero differences left out; effect: rank-biserial correlation
#     sign            wins against losses, ties left out; effect: (wins - losses) / (wins + losses)
#
# Differences are first minus second: a positive effect means that the first run is better. They are rounded to 12
# digits: .9 - .5 and .6 - .2 are the same difference, although their binary fractions are not. More than two runs:
# `scoring.statistics.multiple_comparisons`.

PairedTest = Literal["t", "randomisation", "wilcoxon", "sign"]

EXACT_TOPICS = 13
"""The largest number of differing topics for which the randomisation test uses every assignment of signs."""

DRAWS = 9_999

AT_ONCE = 500
"""The number of assignments of signs drawn at a time, which limits the memory for many pairs."""

DIGITS = 12

SAME = 1e-11
"""The difference below which sums count as equal, since another order of adding changes a sum by so little."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TestResult:
    """The result of one test; ``p`` is two-sided. A positive ``effect`` means that the first run is better.

    ``statistic``, ``p`` and ``effect`` are None where undefined: without topics, for "sign" and "wilcoxon" without any
    difference, and for "t" if all differences are equal. "randomisation" gives p = 1 if fewer than two topics differ.
    """

    __test__ = False

    test: str
    statistic: float | None
    p: float | None
    effect: float | None


def paired_test(test: PairedTest, first: Sequence[float], second: Sequence[float], *, seed: int = 0) -> TestResult:
    """Test the difference of two runs' values of the same topics, given in the same order.

    ``seed`` is used only by "randomisation", and there only if more than `EXACT_TOPICS` topics differ. Raises
    ValueError if one run has more values than the other.
    """
    differences = differences_of(first, second)
    if test == "randomisation":
        return _randomisation(differences, seed)
    return {"t": _t, "wilcoxon": _wilcoxon, "sign": _sign}[test](differences)


def differences_of(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """Return the first value minus the second, topic by topic. Raises ValueError if the lists differ in length.

    >>> differences_of([0.9, 0.6], [0.5, 0.2])
    [0.4, 0.4]
    """
    return [round(a - b, DIGITS) for a, b in zip(first, second, strict=True)]


def _t(differences: list[float]) -> TestResult:
    import numpy as np
    from scipy.special import stdtr

    if len(differences) < 2 or len(set(differences)) < 2:
        return TestResult(test="t", statistic=None, p=None, effect=None)
    values = np.array(differences)
    effect = float(values.mean() / values.std(ddof=1))
    statistic = effect * math.sqrt(len(differences))
    return TestResult(
        test="t", statistic=statistic, p=float(2 * stdtr(len(differences) - 1, -abs(statistic))), effect=effect
    )


def _randomisation(differences: list[float], seed: int) -> TestResult:
    import numpy as np

    name, moved = "randomisation", [each for each in differences if each]
    mean = math.fsum(differences) / len(differences) if differences else None
    if len(moved) < 2:
        return TestResult(test=name, statistic=mean, p=None if not differences else 1.0, effect=mean)
    p = _exact_p(moved) if len(moved) <= EXACT_TOPICS else shuffled_p(np.array([differences]).T, seed=seed)[0]
    return TestResult(test=name, statistic=mean, p=p, effect=mean)


def shuffled_p(differences: Any, *, seed: int, draws: int = DRAWS) -> list[float]:
    """Return the two-sided p of the randomisation test for many pairs of runs at once, in the order of the columns.

    ``differences`` is an array with a row for each topic and a column for each pair. In every draw each topic's
    differences keep or change their sign, together for all pairs. p is the share of draws, including the observed one,
    whose sum is at least as far from 0 as the observed sum of the pair.
    """
    import numpy as np

    topics, pairs = differences.shape
    dice = np.random.default_rng(seed)
    least = np.abs(differences.sum(axis=0)) - SAME
    as_far = np.ones(pairs)
    for start in range(0, draws, AT_ONCE):
        signs = dice.integers(0, 2, size=(min(AT_ONCE, draws - start), topics)) * 2.0 - 1
        as_far += (np.abs(signs @ differences) >= least).sum(axis=0)
    return [float(p) for p in as_far / (draws + 1)]


def _exact_p(moved: list[float]) -> float:
    """Return p, computed over every way to assign signs to the differences. scipy's own function overlooks ties between
    sums that differ only by rounding.
    """
    import numpy as np

    numbers = np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))
    sums = ((numbers & 1) * 2.0 - 1) @ np.array(moved)
    return float((np.abs(sums) >= abs(math.fsum(moved)) - SAME).mean())


def _wilcoxon(differences: list[float]) -> TestResult:
    from scipy import stats

    moved = [each for each in differences if each]
    if not moved:
        return TestResult(test="wilcoxon", statistic=None, p=None, effect=None)
    found = stats.wilcoxon(moved)
    ranks = stats.rankdata([abs(each) for each in moved])
    signed = sum(math.copysign(rank, each) for rank, each in zip(ranks, moved, strict=True))
    effect = float(signed / sum(ranks))
    return TestResult(test="wilcoxon", statistic=float(found.statistic), p=float(found.pvalue), effect=effect)


def _sign(differences: list[float]) -> TestResult:
    from scipy.special import bdtr

    wins, losses = sum(each > 0 for each in differences), sum(each < 0 for each in differences)
    if not wins + losses:
        return TestResult(test="sign", statistic=None, p=None, effect=None)
    p = min(1.0, float(2 * bdtr(min(wins, losses), wins + losses, 0.5)))
    return TestResult(test="sign", statistic=float(wins), p=p, effect=(wins - losses) / (wins + losses))


# Effect sizes: how large the difference of two runs over the same topics is.
#
#     difference      mean of first minus second
#     d_paired        difference / standard deviation of the differences                      (Cohen's d_z)
#     d_average       difference / root of the mean of the two runs' variances                (Cohen's d_av)
#     g_paired        d_paired · (1 - 3 / (4 (n - 1) - 1)): less biased for few topics        (Hedges 1981)
#     superiority     topics on which the first is better, ties by half / all topics          (0.5: none is better)
#
# Standard deviations divide by n - 1. None where undefined: fewer than two topics, or nothing that varies. Source:
# Lakens 2013; Sakai 2018.


@dataclass(frozen=True, kw_only=True, slots=True)
class EffectSizes:
    """Effect sizes of a pair of runs. They are positive (superiority: above 0.5) if the first is better, and None where
    undefined: all without topics, the standardised ones also for one topic or without variance.
    """

    topics: int
    difference: float | None
    interval: Interval | None
    """The interval of the difference, over topics; None if it was not asked for or there are fewer than two topics."""

    d_paired: float | None
    d_average: float | None
    g_paired: float | None
    superiority: float | None


def effects_of(
    first: Sequence[float],
    second: Sequence[float],
    *,
    sampling: Sampling | None = None,
    variance: Callable[[Sequence[float]], float] | None = None,
    draw: Callable[[int, Sampling], Any] = draw_topics,
) -> EffectSizes:
    """Return the effect sizes of two runs' values of the same topics, given in the same order. Raises ValueError if one
    run has more values than the other.

    ``variance`` and ``draw`` replace `variance_of` and `draw_topics`, for callers that compare many pairs and cache the
    variance of a run and the resamples of topics.

    >>> found = effects_of([0.5, 0.75, 1.0], [0.25, 0.25, 0.25])
    >>> found.difference, found.d_paired, found.superiority
    (0.5, 2.0, 1.0)
    """
    differences = differences_of(first, second)
    count = len(differences)
    if not count:
        return EffectSizes(
            topics=0, difference=None, interval=None, d_paired=None, d_average=None, g_paired=None, superiority=None
        )
    mean = math.fsum(differences) / count
    d_paired = _ratio(mean, variance_of(differences) if count > 1 else 0.0)
    of_run = variance or variance_of
    spread = (of_run(first) + of_run(second)) / 2 if count > 1 else 0.0
    correction = 1 - 3 / (4 * (count - 1) - 1)
    return EffectSizes(
        topics=count,
        difference=mean,
        interval=mean_interval(differences, sampling, draw=draw) if sampling else None,
        d_paired=d_paired,
        d_average=_ratio(mean, spread),
        g_paired=None if d_paired is None else d_paired * correction,
        superiority=sum((each > 0) + (each == 0) / 2 for each in differences) / count,
    )


def variance_of(values: Sequence[float]) -> float:
    """Return the sample variance (divisor n - 1) of two or more values, to the last digit of `statistics.variance`.

    Floats are whole numbers over a power of two. So everything is added as whole numbers, which takes a fifth of the
    time.

    >>> from statistics import variance
    >>> variance_of([0.1, 0.2, 0.7]) == variance([0.1, 0.2, 0.7])
    True
    """
    ratios = [value.as_integer_ratio() for value in values]
    below = max(denominator for _, denominator in ratios)
    wholes = [numerator * (below // denominator) for numerator, denominator in ratios]
    count, added = len(wholes), sum(wholes)
    return (count * sum([each * each for each in wholes]) - added * added) / (count * (count - 1) * below * below)


def _ratio(mean: float, squared: float) -> float | None:
    return mean / math.sqrt(squared) if squared > 0 else None

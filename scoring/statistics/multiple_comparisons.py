"""Compares all pairs of runs at once: tests, corrections for the number of comparisons, and the runs in the top group.

    tukey       randomised Tukey HSD (Carterette 2012), on the topics where every run has a value: in every draw the
                values of each topic are dealt anew among the runs; p is the share of draws (the observed one among
                them) whose largest difference of two means is as large as that of the pair. So it is corrected for
                all pairs already. Effect: difference of means / residual standard deviation (Sakai 2018)
    the others  as in `scoring.statistics.paired_tests`, pair by pair, on the topics where both runs have a value

Corrections: `holm` and `bonferroni` (they control the chance of any false difference), `bh` (Benjamini and Hochberg: it
controls the share of false differences among those found). A pair whose p is undefined is not counted as a comparison.
The values equal those of statsmodels to the last bit; statsmodels takes longer to load than most comparisons take.

The top group is the best run by mean and every run that the test does not distinguish from it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, combinations
from typing import Any, Literal, get_args

from scoring.statistics.paired_tests import (
    DIGITS,
    DRAWS,
    EXACT_TOPICS,
    SAME,
    PairedTest,
    differences_of,
    paired_test,
    shuffled_p,
)
from scoring.statistics.rankings import TopicScores, mean_scores

Test = Literal["t", "randomisation", "wilcoxon", "sign", "tukey"]
Correction = Literal["none", "holm", "bonferroni", "bh"]
TESTS: tuple[Test, ...] = get_args(Test)
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
ALPHA = 0.05

CELLS = 200_000
"""The number of values dealt at a time: some 5 MB whatever the number of draws, which fits a processor's cache."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PairTest:
    """The result of one test for two runs. A positive effect means that ``run_a`` is better. ``statistic``, ``p``,
    ``corrected`` and ``effect`` are None if undefined.
    """

    run_a: str
    run_b: str
    test: Test
    topics: int
    statistic: float | None
    p: float | None
    corrected: float | None
    """p after correction for all pairs; equal to ``p`` without one, and for tukey."""

    effect: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class TopGroup:
    """The runs from best to worst, and the set of those that the test does not distinguish from the best."""

    order: tuple[str, ...]
    top: frozenset[str]
    p: Mapping[str, float | None]
    """Run -> corrected p against the best run; None for the best run, and if it is undefined."""


def correct(p_values: Sequence[float | None], correction: Correction) -> list[float | None]:
    """Return the p values corrected for the number of tests, in the same order. None stays None.

    >>> [round(p, 4) for p in correct([0.01, 0.04, 0.03], "holm")]
    [0.03, 0.06, 0.06]
    """
    ascending = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    count = len(ascending)
    values = [p for p, _ in ascending]
    if correction == "bonferroni":
        values = [p * count for p in values]
    elif correction == "holm":
        values = list(accumulate((p * (count - rank) for rank, p in enumerate(values)), max))
    elif correction == "bh":
        shares = [p / (rank / count) for rank, p in enumerate(values, start=1)]
        values = list(accumulate(reversed(shares), min))[::-1]
    changed = {place: min(value, 1.0) for (_, place), value in zip(ascending, values, strict=True)}
    return [changed.get(place) for place in range(len(p_values))]


def compare_runs(
    scores: TopicScores, *, test: Test, correction: Correction = "none", seed: int = 0, draws: int = DRAWS
) -> list[PairTest]:
    """Test every pair of runs, and return the results in the order in which the runs are given.

    The order of topics does not matter. "tukey" ignores ``correction``, since its p is already corrected for all pairs.
    ``seed`` and ``draws`` are for "tukey" and "randomisation" only.
    """
    if test == "tukey":
        return _tukey(scores, seed, draws)
    scores = {run: dict(sorted(topics.items())) for run, topics in scores.items()}
    pairs = (
        _shuffled(scores, seed, draws)
        if test == "randomisation"
        else [_pair(scores, a, b, test, seed) for a, b in combinations(scores, 2)]
    )
    corrected = correct([pair.p for pair in pairs], correction)
    return [replace(pair, corrected=p) for pair, p in zip(pairs, corrected, strict=True)]


def top_group(scores: TopicScores, tests: Sequence[PairTest], *, alpha: float = ALPHA) -> TopGroup:
    """Return the runs by mean, best first, and which of them these tests do not distinguish from the best run.

    A test distinguishes two runs if its corrected p is below ``alpha``. If a run was not tested against the best run,
    or the test has no p, the run is in the top group. Runs without any value are left out. Runs with the same mean are
    sorted by name.
    """
    means = mean_scores(scores)
    order = tuple(sorted(means, key=lambda run: (-means[run], run)))
    against: dict[str, float | None] = {}
    for pair in tests:
        if order and order[0] in (pair.run_a, pair.run_b):
            against[pair.run_b if pair.run_a == order[0] else pair.run_a] = pair.corrected
    p = {run: against.get(run) for run in order}
    return TopGroup(
        order=order, p=p, top=frozenset(run for run in order if (found := p[run]) is None or found >= alpha)
    )


def shared_values(scores: TopicScores, a: str, b: str) -> tuple[list[float], list[float]]:
    """Return the values of two runs on the topics on which both have a value, sorted by the topics' names."""
    shared = [
        (first, second)
        for topic, first in sorted(scores[a].items())
        if first is not None and (second := scores[b].get(topic)) is not None
    ]
    return [first for first, _ in shared], [second for _, second in shared]


def _pair(scores: TopicScores, a: str, b: str, test: PairedTest, seed: int) -> PairTest:
    values = shared_values(scores, a, b)
    found = paired_test(test, *values, seed=seed)
    return PairTest(
        run_a=a, run_b=b, test=test, topics=len(values[0]), statistic=found.statistic, p=found.p, corrected=found.p,
        effect=found.effect,
    )  # fmt: skip


def _shuffled(scores: TopicScores, seed: int, draws: int) -> list[PairTest]:
    """Return the randomisation test of every pair. Pairs with the same number of topics are tested together; a pair
    with few differences is tested exactly.
    """
    import numpy as np

    differences = {pair: differences_of(*shared_values(scores, *pair)) for pair in combinations(scores, 2)}
    drawn: dict[int, list[tuple[str, str]]] = {}
    for pair, found in differences.items():
        if sum(map(bool, found)) > EXACT_TOPICS:
            drawn.setdefault(len(found), []).append(pair)
    p = {
        pair: value
        for pairs in drawn.values()
        for pair, value in zip(
            pairs, shuffled_p(np.array([differences[pair] for pair in pairs]).T, seed=seed, draws=draws), strict=True
        )
    }
    found_pairs = []
    for (a, b), found in differences.items():
        if (a, b) not in p:
            found_pairs.append(_pair(scores, a, b, "randomisation", seed))
            continue
        mean = math.fsum(found) / len(found)
        found_pairs.append(
            PairTest(
                run_a=a, run_b=b, test="randomisation", topics=len(found), statistic=mean, p=p[a, b], corrected=p[a, b],
                effect=mean,
            )
        )  # fmt: skip
    return found_pairs


def _tukey(scores: TopicScores, seed: int, draws: int) -> list[PairTest]:
    """Return Tukey's test of every pair on the topics where every run has a value; p is None if there are no such
    topics. Values are dealt to the runs in the order of their names, so that p does not depend on the order in which
    runs are given.
    """
    import numpy as np

    runs = sorted(scores)
    columns = [{topic for topic, value in scores[run].items() if value is not None} for run in runs]
    topics = sorted(set.intersection(*columns)) if columns else []
    values = np.array([[scores[run][topic] for run in runs] for topic in topics], dtype=float)
    values = values.reshape(len(topics), len(runs))
    means = dict(zip(runs, values.mean(axis=0) if topics else [0.0] * len(runs), strict=True))
    ranges = _dealt_ranges(values, seed, draws) if topics and len(runs) > 1 else np.zeros(0)
    residual = _residual(values)
    found = []
    for a, b in combinations(scores, 2):
        difference = round(float(means[a] - means[b]), DIGITS)
        as_large = ranges.size - int(np.searchsorted(ranges, abs(difference) - SAME))
        p = (1 + as_large) / (1 + ranges.size) if topics else None
        found.append(
            PairTest(
                run_a=a, run_b=b, test="tukey", topics=len(topics), statistic=difference if topics else None, p=p,
                corrected=p, effect=difference / residual if residual else None,
            )
        )  # fmt: skip
    return found


def _dealt_ranges(values: Any, seed: int, draws: int) -> Any:
    """Return, in ascending order, the largest difference between two means in each draw. The time is that of dealing
    draws · topics · runs values.
    """
    import numpy as np

    dice = np.random.default_rng(seed)
    at_once = max(1, CELLS // values.size)
    ranges = []
    for start in range(0, draws, at_once):
        copies = np.broadcast_to(values, (min(at_once, draws - start), *values.shape))
        ranges.append(np.ptp(dice.permuted(copies, axis=2).mean(axis=1), axis=1))
    return np.sort(np.concatenate(ranges)) if ranges else np.zeros(0)


def _residual(values: Any) -> float | None:
    """Return the standard deviation of the part of the values that neither run nor topic explains (two-way analysis of
    variance). Return None if it is 0, or if there are fewer than two runs or topics.
    """
    topics, runs = values.shape
    if topics < 2 or runs < 2:
        return None
    left = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    squared = float((left**2).sum()) / ((topics - 1) * (runs - 1))
    return math.sqrt(squared) if squared > SAME**2 else None

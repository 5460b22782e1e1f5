"""Whether runs differ by more than chance: every pair under one test, corrected for their number, and the top group.

All numbers come from `scoring.statistics.multiple_comparisons` and `scoring.statistics.paired_tests`. Draws use a seed,
and their number is bounded by what one page may cost; both are part of the result.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations
from math import isnan
from typing import Any

from django.utils.translation import gettext

from assess.analysis.domain.rankings import TopicLevel, Values, ranking_measures, topic_level
from assess.base.errors import Invalid
from assess.campaigns.models import Campaign
from assess.scores.kept import compute_once
from assess.scores.states import CampaignScores
from scoring.statistics.intervals import Sampling, draw_topics
from scoring.statistics.multiple_comparisons import (
    ALPHA,
    CORRECTIONS,
    TESTS,
    Correction,
    PairTest,
    Test,
    TopGroup,
    compare_runs,
    shared_values,
    top_group,
)
from scoring.statistics.paired_tests import DRAWS, EffectSizes, effects_of, variance_of
from scoring.statistics.rankings import mean_scores

DRAWN: tuple[Test, ...] = ("randomisation", "tukey")
"""The tests that use random draws."""
LEAST_DRAWS = 999
DEALS = {"randomisation": 3_000_000_000, "tukey": 100_000_000}
"""The most values that a test may permute, which takes some seconds."""
RUNS_LIMIT = 200

NUMBERS = ("statistic", "p", "corrected", "effect")
"""The numbers of a pair that may be undefined."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TestRequest:
    """A test and its correction, the level alpha below which a corrected p counts as a difference, and the seed of its
    draws.
    """

    __test__ = False

    test: Test = "tukey"
    correction: Correction = "holm"
    alpha: float = ALPHA
    seed: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Significance:
    """Every pair of runs under one test. ``pairs`` are in the order of ``top.order``, the better run first.

    ``draws`` is the number of random draws, or None for a test without draws; ``is_bounded`` says that there were fewer
    than usual. ``means`` are over the topics on which each run has a value; ``left_out`` are runs without a value.
    """

    scores: CampaignScores
    level: TopicLevel
    asked: TestRequest
    top: TopGroup
    pairs: tuple[PairTest, ...]
    means: dict[str, float]
    draws: int | None
    is_bounded: bool
    left_out: tuple[str, ...]

    @property
    def apart(self) -> int:
        """The number of pairs that differ significantly."""
        return sum(pair.corrected is not None and pair.corrected < self.asked.alpha for pair in self.pairs)


def named_test(test: str, correction: str, *, alpha: float = ALPHA, seed: int = 0) -> TestRequest:
    """Return the test with these names.

    Raises `Invalid` for an unknown test or correction, and for a level or seed out of range.
    """
    found = next((each for each in TESTS if each == test), None)
    chosen = next((each for each in CORRECTIONS if each == correction), None)
    if found is None:
        raise Invalid(
            gettext("There is no test “%(test)s”. Tests: %(tests)s.") % {"test": test[:40], "tests": ", ".join(TESTS)}
        )
    if chosen is None:
        raise Invalid(
            gettext("There is no correction “%(correction)s”. Corrections: %(corrections)s.")
            % {"correction": correction[:40], "corrections": ", ".join(CORRECTIONS)}
        )
    if not 0 < alpha < 1:
        raise Invalid(gettext("Alpha is a number between 0 and 1, such as 0.05."))
    if not 0 <= seed < 10**9:
        raise Invalid(gettext("The seed is a whole number from 0 to 999,999,999."))
    return TestRequest(test=found, correction=chosen, alpha=alpha, seed=seed)


def compare_campaign_runs(
    campaign: Campaign,
    scores: CampaignScores,
    *,
    asked: TestRequest,
    measure: str = "",
    without: Collection[str] = (),
) -> Significance:
    """Compare every pair of the campaign's scored runs by a measure (default: the official one), topic by topic.

    ``without`` are runs left out; the others' p change with them, since fewer pairs are corrected for. Raises `Invalid`
    for more than 200 runs, and what `topic_level` raises. Costs some seconds for 60 runs; the result is cached until a
    value changes.
    """
    level = topic_level(campaign, scores, measure, without=without)
    means = mean_scores(level.values)
    if len(means) > RUNS_LIMIT:
        raise Invalid(
            gettext("At most %(runs_limit)s runs are compared at once, and these are %(means)s. Leave some out.")
            % {"runs_limit": RUNS_LIMIT, "means": len(means)}
        )
    order = sorted(means, key=lambda run: (-means[run], run))
    values = {run: level.values[run] for run in order}
    draws, is_bounded = draws_for(asked.test, runs=len(order), topics=len(level.topics))
    pairs = _pairs(campaign, asked, values, draws or DRAWS)
    return Significance(
        scores=scores,
        level=level,
        asked=asked,
        top=top_group(values, pairs, alpha=asked.alpha),
        pairs=pairs,
        means=means,
        draws=draws,
        is_bounded=is_bounded,
        left_out=tuple(run for run in level.values if run not in means),
    )


def compare_ahead(campaign: Campaign, scores: CampaignScores) -> None:
    """Compute the comparison that the page of significance shows first, whose test is the slowest.

    The worker does so together with the scores.
    """
    if ranking_measures(scores):
        with suppress(Invalid):  # too many runs, which the page reports
            compare_campaign_runs(campaign, scores, asked=TestRequest())


def _pairs(campaign: Campaign, asked: TestRequest, values: Values, draws: int) -> tuple[PairTest, ...]:
    """Return every pair in the order of the runs. The result is cached for these values."""

    def compute() -> dict[str, Any]:
        import numpy as np

        found = compare_runs(values, test=asked.test, correction=asked.correction, seed=asked.seed, draws=draws)
        none = [[np.nan if (number := getattr(each, name)) is None else number for each in found] for name in NUMBERS]
        return {"topics": np.array([each.topics for each in found]), "numbers": np.array(none, dtype=float)}

    told = (asked.test, asked.correction, asked.seed, draws, [(run, sorted(values[run].items())) for run in values])
    kept = compute_once(campaign.pk, told, compute)
    numbers = [[None if isnan(number) else number for number in row] for row in kept["numbers"].tolist()]
    return tuple(
        PairTest(run_a=a, run_b=b, test=asked.test, topics=topics, **dict(zip(NUMBERS, row, strict=True)))
        for (a, b), topics, *row in zip(combinations(values, 2), kept["topics"].tolist(), *numbers, strict=True)
    )


def draws_for(test: Test, *, runs: int, topics: int) -> tuple[int | None, bool]:
    """Return the number of draws of a test for this many runs and topics, and whether it is smaller than usual.

    The number is None for a test that draws nothing.
    """
    if test not in DRAWN:
        return None, False
    dealt = topics * (runs if test == "tukey" else runs * (runs - 1) // 2)
    draws = max(LEAST_DRAWS, min(DRAWS, DEALS[test] // max(dealt, 1)))
    return draws, draws < DRAWS


def pair_effects(found: Significance, pairs: Sequence[PairTest], *, with_intervals: bool = True) -> list[EffectSizes]:
    """Return the effect sizes of some pairs. The interval of the difference, over topics, takes about 2 ms a pair.

    Pairs with the same number of topics have the same resamples, which are drawn once.
    """
    sampling = replace(Sampling(), seed=found.asked.seed) if with_intervals else None
    variance = cache(variance_of)  # a run has the same values in most of its pairs
    draw = lru_cache(maxsize=1)(draw_topics)
    return [
        effects_of(
            *map(tuple, shared_values(found.level.values, a, b)), sampling=sampling, variance=variance, draw=draw
        )
        for a, b in ((pair.run_a, pair.run_b) for pair in pairs)
    ]

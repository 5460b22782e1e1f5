"""Computes percentile bootstrap intervals, which show how sure a number is. The same data and seed give the same
interval.

Resamples are drawn with replacement from **items** (which stand for more items of the same topics) or from **topics**
with everything in them (which stand for more topics; the interval is wider if items of a topic resemble each other).
The interval reaches from the (1 - confidence) / 2 to the (1 + confidence) / 2 quantile of the resamples. Source: Efron
and Tibshirani 1993.

A resample in which the measure is undefined is left out and counted. There is no interval (None) if fewer than two
units can be drawn, or if fewer than half of the resamples have a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Over = Literal["items", "topics"]

RESAMPLES = 1_000
CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True, slots=True)
class Interval:
    """An interval from ``low`` to ``high``. It comes from ``resamples`` draws of ``units`` items or topics each, of
    which ``undefined`` gave no value.
    """

    low: float
    high: float
    confidence: float
    over: Over
    units: int
    resamples: int
    undefined: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """A measure, its value (None if undefined), and its interval (None if undefined or not asked for)."""

    measure: str
    value: float | None
    interval: Interval | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Sampling:
    """How resamples are drawn."""

    over: Over = "topics"
    seed: int = 0
    resamples: int = RESAMPLES
    confidence: float = CONFIDENCE

    def __post_init__(self) -> None:
        """Raise ValueError for options with which nothing can be drawn."""
        if self.resamples < 1 or not 0 < self.confidence < 1 or self.seed < 0:
            raise ValueError("resamples is 1 or more, confidence between 0 and 1, seed 0 or more")


def draw_items(counts: Sequence[int], sampling: Sampling) -> Any:
    """Return an array of resamples of items: a row for each resample, with the number of items drawn of each kind.

    ``counts`` are the numbers of items of each kind; as many items are drawn as there are in all.
    """
    import numpy as np

    total = sum(counts)
    if not total:
        return np.zeros((sampling.resamples, len(counts)), dtype=np.int64)
    shares = np.array(counts) / total
    return np.random.default_rng(sampling.seed).multinomial(total, shares, size=sampling.resamples)


def draw_topics(topics: int, sampling: Sampling) -> Any:
    """Return an array of resamples of topics: a row for each resample, with the number of times each topic is in it."""
    return draw_items([1] * topics, sampling)


def interval_of(values: Iterable[float | None], *, units: int, sampling: Sampling) -> Interval | None:
    """Return the interval of the values that the resamples gave. Return None for fewer than two units, or if more than
    half of the values are None.

    >>> found = interval_of([0.1, 0.2, 0.3, None], units=3, sampling=Sampling(resamples=4, confidence=0.5))
    >>> found.low, found.high, found.undefined
    (0.15, 0.25, 1)
    """
    import numpy as np

    drawn = list(values)
    defined = [value for value in drawn if value is not None]
    if units < 2 or 2 * len(defined) < len(drawn) or not defined:
        return None
    tail = (1 - sampling.confidence) / 2
    low, high = (round(float(each), 12) for each in np.quantile(defined, (tail, 1 - tail)))
    return Interval(
        low=low, high=high, confidence=sampling.confidence, over=sampling.over, units=units,
        resamples=len(drawn), undefined=len(drawn) - len(defined),
    )  # fmt: skip


def mean_interval(
    values: Sequence[float], sampling: Sampling, *, draw: Callable[[int, Sampling], Any] = draw_topics
) -> Interval | None:
    """Return the interval of the mean of these values, or None for fewer than two values.

    There is one value for each topic (or item). ``draw`` replaces `draw_topics`, for callers that use the same
    resamples many times.

    >>> mean_interval([0.5], Sampling()) is None
    True
    """
    import numpy as np

    if len(values) < 2:
        return None
    means = draw(len(values), sampling) @ np.array(values, dtype=float) / len(values)
    return interval_of(means.tolist(), units=len(values), sampling=sampling)

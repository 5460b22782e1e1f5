"""All resamples measured at once have the values that each has by itself."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.statistics import agreement
from scoring.statistics.agreement_report import _cohen, _fleiss_of_complete, _mean_pooled_overlap
from scoring.statistics.resampled_agreement import Resamples

SCALE = (-1.0, 0.0, 1.0, 3.0)
WAYS = {
    "raw": (lambda columns, n: agreement.raw_agreement(columns, counts=n), Resamples.raw_agreement),
    "fleiss": (_fleiss_of_complete, Resamples.fleiss_kappa),
    "ac1": (lambda columns, n: agreement.ac1(columns, scale=SCALE, counts=n), Resamples.ac1),
    "overlap": (partial(_mean_pooled_overlap, 1), lambda found: found.pooled_overlap(1)),
    **{
        f"alpha {level}": (
            lambda columns, n, level=level: agreement.krippendorff_alpha(columns, level=level, counts=n),
            lambda found, level=level: found.krippendorff_alpha(level),
        )
        for level in ("nominal", "ordinal", "interval", "ratio")
    },
}
OF_TWO = {
    f"cohen {weights}": (partial(_cohen, weights, SCALE), lambda found, weights=weights: found.cohen_kappa(weights))
    for weights in (None, "linear", "quadratic")
}


@st.composite
def judged(draw: st.DrawFn) -> tuple[list[tuple[float | None, ...]], list[list[int]]]:
    """Patterns of two judges or more, and how many items resamples have of each."""
    judges = draw(st.sampled_from((2, 2, 3, 4)))
    values = st.tuples(*[st.sampled_from((None, *SCALE))] * judges)
    several = values.filter(lambda pattern: len(pattern) - pattern.count(None) > 1)
    patterns = draw(st.lists(several, max_size=6, unique=True))
    counts = st.lists(st.integers(0, 3) | st.integers(0, 10**5), min_size=len(patterns), max_size=len(patterns))
    return patterns, draw(st.lists(counts, min_size=1, max_size=3))


@given(judged())
@example(([], [[]]))
@example(([(1.0, 1.0), (0.0, 0.0)], [[0, 0], [5, 0], [99_999, 1]]))
@example(([(1.0, 0.0)], [[3]]))
@example(([(1.0, None, 1.0), (None, 0.0, 1.0)], [[1, 2]]))
def test_each_resample_has_the_value_of_its_items(
    case: tuple[list[tuple[float | None, ...]], list[list[int]]],
) -> None:
    patterns, rows = case
    found = Resamples(patterns=patterns, draws=np.array(rows).reshape(len(rows), len(patterns)), scale=SCALE)
    judges = len(patterns[0]) if patterns else 2
    columns = list(zip(*patterns, strict=True)) or [()] * judges
    for name, (alone, at_once) in {**WAYS, **(OF_TWO if judges == 2 else {})}.items():
        expected = [value if (value := alone(columns, row)) is not None else np.nan for row in rows]
        assert at_once(found).tolist() == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True), name


def test_the_ways_cover_every_pair() -> None:
    """Of three judges the overlap is a mean of pairs, one of which may have nothing to overlap."""
    patterns = [(1.0, None, 1.0), (0.0, 0.0, None)]
    found = Resamples(patterns=patterns, draws=np.array([[1, 1]]), scale=SCALE)
    pairs = [agreement.pooled_overlap(a, b, counts=[1, 1]) for a, b in combinations(zip(*patterns, strict=True), 2)]
    assert pairs == [None, 1.0, None] and found.pooled_overlap(1).tolist() == [1.0]

"""How alike two orders of the same runs are. Each measure is None where it is undefined.

    tau       (concordant - discordant pairs) / all pairs; a tied pair is neither (Kendall's tau-a)
    tau_b     the same, corrected for ties (scipy.stats.kendalltau)
    tau_ap    disagreement at the top counts more (Yilmaz, Aslam and Robertson 2008); not symmetric, the second list is
              the true order; undefined with ties
    rbo       rank-biased overlap, extrapolated (Webber, Moffat and Zobel 2010), p = 0.9; undefined with ties

Fewer than two runs, or (tau_b) one value for all: undefined.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations


def tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-a of paired values.

    >>> tau([1, 2, 3], [1, 3, 2])
    0.3333333333333333
    """
    pairs = list(combinations(zip(first, second, strict=True), 2))
    if not pairs:
        return None
    return sum(_sign(a - c) * _sign(b - d) for (a, b), (c, d) in pairs) / len(pairs)


def tau_b(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-b of paired values.

    >>> round(tau_b([1, 2, 2, 3], [1, 2, 3, 3]), 6)
    0.8
    """
    from scipy.stats import kendalltau

    if len(first) < 2:
        return None
    value = float(kendalltau(first, second, variant="b").statistic)
    return None if math.isnan(value) else value


def tau_ap(ranking: Sequence[str], truth: Sequence[str]) -> float | None:
    """AP correlation of a ranking with the true one; both hold the same names, best first.

    >>> tau_ap(["a", "b"], ["b", "a"])
    -1.0
    """
    if len(ranking) < 2:
        return None
    place = {name: position for position, name in enumerate(truth)}
    total = sum(
        sum(place[above] < place[name] for above in ranking[:position]) / position
        for position, name in enumerate(ranking)
        if position
    )
    return 2 * total / (len(ranking) - 1) - 1


def rbo(first: Sequence[str], second: Sequence[str], *, p: float = 0.9) -> float | None:
    """RBO_ext of two rankings without repetitions, best first, of any lengths; None where one is empty.

    >>> round(rbo("abcdefg", "zbcdefg"), 6)
    0.710891
    """
    short, long = sorted((first, second), key=len)
    if not short:
        return None
    overlap, seen_short, seen_long, overlaps = 0, set[str](), set[str](), [0]
    for depth in range(len(long)):
        if depth < len(short):
            seen_short.add(short[depth])
            overlap += short[depth] in seen_long
        seen_long.add(long[depth])
        overlap += long[depth] in seen_short
        overlaps.append(overlap)
    s, l = len(short), len(long)  # noqa: E741 (the paper's letters)
    total = math.fsum(overlaps[d] / d * p**d for d in range(1, l + 1))
    total += math.fsum(overlaps[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * total + ((overlaps[l] - overlaps[s]) / l + overlaps[s] / s) * p**l


def correlate(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, float | None]:
    """All four measures over the runs that both have; larger values are better. ``second`` is the true order."""
    names = sorted(first.keys() & second.keys())
    values = [first[name] for name in names], [second[name] for name in names]
    tied = any(len(set(each)) < len(names) for each in values)
    orders = [sorted(names, key=lambda name: -each[name]) for each in (first, second)]
    return {
        "tau": tau(*values),
        "tau_b": tau_b(*values),
        "tau_ap": None if tied else tau_ap(*orders),
        "rbo": None if tied else rbo(*orders),
    }


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)

"""Measures how similar two orders of the same runs are. Each measure is None if it is undefined.

    tau       (concordant - discordant pairs) / all pairs; a tied pair is neither (Kendall's tau-a)
    tau_b     tau corrected for ties; equals scipy.stats.kendalltau to the last bit, but is faster
    tau_ap    disagreement at the top counts more (Yilmaz, Aslam and Robertson 2008); not symmetric, the second list is
              the true order; undefined with ties
    tau_ap_b  the mean of tau_ap in both directions, corrected for ties (Urbano and Marrero 2017)
    rbo       rank-biased overlap, extrapolated, p = 0.9 (Webber, Moffat and Zobel 2010); tied runs all have the
              first of their places, as that paper has it

For fewer than two runs all measures are undefined. If all values are equal, tau_b and tau_ap_b are undefined.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

MEASURES = ("tau", "tau_b", "tau_ap", "tau_ap_b", "rbo")


def tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Kendall's tau-a of paired values, or None for fewer than two pairs.

    >>> tau([1, 2, 3], [1, 3, 2])
    0.3333333333333333
    """
    return _tau(_above(first), _above(second))


def tau_b(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Kendall's tau-b of paired values, or None if all values of a list are tied.

    >>> round(tau_b([1, 2, 2, 3], [1, 2, 3, 3]), 6)
    0.8
    """
    return _tau_b(_above(first), _above(second))


def tau_ap(ranking: Sequence[str], truth: Sequence[str]) -> float | None:
    """Return the AP correlation of a ranking with the true ranking, or None for fewer than two names. Both are lists of
    the same names, best first.

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


def tau_ap_b(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return the AP correlation of paired values that may be tied (larger is better). It is symmetric, and None if all
    values of a list are tied.

    In each list every value except the best gets a score: the share of the values above it that are also above it in
    the other list. Without ties the result is the mean of `tau_ap` in both directions.

    >>> tau_ap_b([3, 2, 1], [3, 2, 2])
    0.75
    """
    return _tau_ap_b(_above(first), _above(second))


def rbo(first: Sequence[str], second: Sequence[str], *, p: float = 0.9) -> float | None:
    """Return RBO_ext of two rankings without repetitions, best first, of any lengths; None if one is empty.

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


def rbo_of_values(first: Sequence[float], second: Sequence[float], *, p: float = 0.9) -> float | None:
    """Return the RBO of two lists of values of the same runs (larger is better), with ties; None for fewer than two
    runs.

    At each depth the agreement is 2 B / (F + S), where F is the number of runs in the first list down to that depth, S
    the number in the second list, and B the number in both. A group of ties that crosses the depth is included as a
    whole. Without ties the result is `rbo` of the two orders.

    >>> round(rbo_of_values([3, 2, 1], [3, 2, 2]), 6)
    0.982
    """
    return _rbo(_above(first), _above(second), p=p)


def correlate(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, float | None]:
    """Return name -> value for all `MEASURES` of correlation, over the runs that both orders have.

    The orders map runs to values, of which larger ones are better; ``second`` is the true order. A measure is None if
    it is undefined, as tau_ap is with any tie.
    """
    names = sorted(first.keys() & second.keys())
    values = [first[name] for name in names], [second[name] for name in names]
    tied = any(len(set(each)) < len(names) for each in values)
    above = _above(values[0]), _above(values[1])
    return {
        "tau": _tau(*above),
        "tau_b": _tau_b(*above),
        "tau_ap": None if tied else _tau_ap_one_way(*above),
        "tau_ap_b": _tau_ap_b(*above),
        "rbo": _rbo(*above),
    }


# All measures follow from which runs are above which: a matrix for each list, row above column or not.


def _above(values: Sequence[float]) -> Any:
    import numpy as np

    column = np.array(values, dtype=float)
    return column[:, None] > column[None, :]


def _agreeing(first: Any, second: Any) -> int:
    """Return the number of pairs in the same order in both lists, minus the number in opposite orders."""
    import numpy as np

    return int(np.count_nonzero(first & second)) - int(np.count_nonzero(first & second.T))


def _tau(first: Any, second: Any) -> float | None:
    size = len(first)
    return None if size < 2 else 2 * _agreeing(first, second) / (size * (size - 1))


def _tau_b(first: Any, second: Any) -> float | None:
    ordered = int(first.sum()), int(second.sum())  # pairs that are not tied
    if 0 in ordered:
        return None
    return max(-1.0, min(1.0, _agreeing(first, second) / math.sqrt(ordered[0]) / math.sqrt(ordered[1])))


def _tau_ap_one_way(above: Any, truth: Any) -> float | None:
    """Return the AP correlation of two lists, with the weights of the list ``above``. Return None if no value of that
    list is above another one.
    """
    count = above.sum(axis=0)
    looked_at = count > 0
    if not looked_at.any():
        return None
    kept = (above & truth).sum(axis=0)
    return float(2 * (kept[looked_at] / count[looked_at]).mean() - 1)


def _tau_ap_b(first: Any, second: Any) -> float | None:
    ways = _tau_ap_one_way(first, second), _tau_ap_one_way(second, first)
    return None if ways[0] is None or ways[1] is None else (ways[0] + ways[1]) / 2


def _rbo(first: Any, second: Any, *, p: float = 0.9) -> float | None:
    import numpy as np

    size = len(first)
    if size < 2:
        return None
    places = [each.sum(axis=0) for each in (first, second)]  # tied values have the first of their places
    inside = [np.bincount(each, minlength=size).cumsum() for each in (*places, np.maximum(*places))]
    depths = np.arange(1, size + 1)
    return float((1 - p) / p * (2 * inside[2] / (inside[0] + inside[1]) * p**depths).sum() + p**size)

"""Measures how far judges agree on the same items. Each measure is None if it is undefined.

    agreement        share of items with the same value from all judges of the item (two judges: raw agreement)
    cohen_kappa      two judges; also with linear and quadratic weights
    fleiss_kappa     the same number of judges for every item
    krippendorff     any number of judges, missing values; nominal, ordinal, interval or ratio   (krippendorff)
    ac1              Gwet 2008: chance agreement that does not grow with a skewed scale; missing values allowed
    pooled_overlap   |A and B| / |A or B| of the relevant items, of all at once or of one topic (Voorhees 2000)

Values are given as one sequence for each judge, over the same items in the same order; None is a missing value.
``counts`` gives the number of items that share each position (1 by default), so that a thousand resamples of the same
data cost no more than its distinct rows. ``scale`` is the complete scale of values, since the data may not contain all
of it. A measure is undefined if no item was judged twice, or if all values are in one category (0 / 0).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

Value = float
Judge = Sequence[Value | None]
Counts = Sequence[int]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = get_args(Level)
Weights = Literal["linear", "quadratic"]


def raw_agreement(judges: Sequence[Judge], *, counts: Counts | None = None) -> float | None:
    """Return the share of the items with two or more values on which all values are equal; None without such items."""
    same = [(len(set(values)) == 1, count) for values, count in _units(judges, counts) if len(values) > 1]
    total = sum(count for _, count in same)
    return sum(count for is_same, count in same if is_same) / total if total else None


def confusion(first: Judge, second: Judge, *, counts: Counts | None = None) -> dict[tuple[Value, Value], int]:
    """Count the items that both judged, by (first judge's value, second judge's value).

    >>> confusion([1, 1, 0, None], [1, 0, 0, 1])
    {(1, 1): 1, (1, 0): 1, (0, 0): 1}
    """
    found: Counter[tuple[Value, Value]] = Counter()
    for a, b, count in zip(first, second, [1] * len(first) if counts is None else counts, strict=True):
        if a is not None and b is not None and count:
            found[a, b] += count
    return dict(found)


def cohen_kappa(
    first: Judge,
    second: Judge,
    *,
    weights: Weights | None = None,
    scale: Iterable[Value] = (),
    counts: Counts | None = None,
) -> float | None:
    """Return Cohen's kappa of the items that both judged, or None if they gave fewer than two different values. With
    ``weights``, a disagreement weighs more the further its two values are apart on the scale.

    The scale is the union of ``scale`` and the values given. Grades that neither judge gave still count as steps
    between the others.

    >>> round(cohen_kappa([1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15), 4)
    0.4
    """
    pairs = confusion(first, second, counts=counts)
    seen = {value for pair in pairs for value in pair}
    if len(seen) < 2:
        return None
    places = sorted(seen.union(scale))
    table = [[pairs.get((a, b), 0) for b in places] for a in places]
    return _kappa_of_table(table, weights)


def fleiss_kappa(judges: Sequence[Judge], *, counts: Counts | None = None) -> float | None:
    """Return Fleiss' kappa; None unless every judged item has the same number of values, which must be two or more.

    The value equals that of statsmodels to the last bit.
    """
    units = [(values, count) for values, count in _units(judges, counts) if values]
    scale = sorted({value for values, _ in units for value in values})
    if len(scale) < 2 or len({len(values) for values, _ in units}) != 1 or len(units[0][0]) < 2:
        return None
    return _fleiss_of_tallies(units, scale)


def krippendorff_alpha(
    judges: Sequence[Judge], *, level: Level = "nominal", counts: Counts | None = None
) -> float | None:
    """Return Krippendorff's alpha of the items with two or more values; None for fewer than two distinct values.

    With ``counts`` the coincidences are summed here by the same formula, since the library would need one row for each
    item.
    """
    import krippendorff

    units = [(values, count) for values, count in _units(judges, counts) if len(values) > 1]
    scale = sorted({value for values, _ in units for value in values})
    if len(scale) < 2:
        return None
    if counts is not None:
        return _alpha_of_coincidences(units, scale, level)
    tallies = _tallies(units, scale)
    return _defined(krippendorff.alpha(value_counts=tallies, value_domain=scale, level_of_measurement=level))


def ac1(judges: Sequence[Judge], *, scale: Iterable[Value] = (), counts: Counts | None = None) -> float | None:
    """Return Gwet's AC1 for two or more judges; None if all values given are the same, or no item has two values.

    Chance agreement depends on the number of categories, which are the values given and those of ``scale``.
    """
    units = [(values, count) for values, count in _units(judges, counts) if values]
    twice = [(Counter(values), count) for values, count in units if len(values) > 1]
    seen = {value for values, _ in units for value in values}
    if not twice or len(seen) < 2:
        return None
    observed = math.fsum(
        count * sum(each * (each - 1) for each in found.values()) / (found.total() * (found.total() - 1))
        for found, count in twice
    ) / sum(count for _, count in twice)
    total = sum(count for _, count in units)
    shares = [
        math.fsum(count * values.count(value) / len(values) for values, count in units) / total
        for value in sorted(seen)
    ]  # fmt: skip
    chance = math.fsum(share * (1 - share) for share in shares) / (len(seen.union(scale)) - 1)
    return (observed - chance) / (1 - chance)


def pooled_overlap(
    first: Judge, second: Judge, *, relevant_from: Value = 1, counts: Counts | None = None
) -> float | None:
    """Return the overlap of two judges: items that both call relevant / items that at least one calls relevant.

    Only items that both judged count. Return None if neither calls any of them relevant.

    >>> pooled_overlap([1, 1, 0, None], [1, 0, 0, 1])
    0.5
    """
    both = either = 0
    for (a, b), count in confusion(first, second, counts=counts).items():
        both += count * (a >= relevant_from and b >= relevant_from)
        either += count * (a >= relevant_from or b >= relevant_from)
    return both / either if either else None


def _units(judges: Sequence[Judge], counts: Counts | None) -> list[tuple[list[Value], int]]:
    """Return (values given, number of items) for each position. Positions without items are left out."""
    places = list(zip(*judges, strict=True))
    return [
        ([value for value in values if value is not None], count)
        for values, count in zip(places, [1] * len(places) if counts is None else counts, strict=True)
        if count
    ]


def _kappa_of_table(table: Sequence[Sequence[int]], weights: Weights | None) -> float | None:
    """Return Cohen's kappa of a square table of counts, or None if it is undefined. To the last bit it equals that of
    statsmodels, but statsmodels takes 150 MB to load.
    """
    import numpy as np

    counts = np.asarray(table, float)
    total = counts.sum()
    chance = (counts.sum(0) / total) * (counts.sum(1) / total)[:, None]
    if weights is None:
        expected = np.diag(chance).sum()
        return _defined((np.diag(counts).sum() / total - expected) / (1 - expected))
    places = np.arange(len(counts), dtype=float)
    apart = np.abs(places[:, None] - places) / places[-1]
    if weights == "quadratic":
        apart = (places[:, None] - places) ** 2 / places[-1] ** 2
    return _defined(1 - (apart * counts).sum() / total / (apart * chance).sum())


def _tallies(units: Sequence[tuple[list[Value], int]], scale: Sequence[Value]) -> Any:
    """Return one row for each unit, with the number of times that each value of the scale was given."""
    import numpy as np

    return np.array([[values.count(value) for value in scale] for values, _ in units], dtype=np.int64)


def _fleiss_of_tallies(units: Sequence[tuple[list[Value], int]], scale: Sequence[Value]) -> float | None:
    """Return (observed - expected) / (1 - expected) agreement (Fleiss 1971), or None if 1 is expected."""
    import numpy as np

    tallies, weights, judges = _tallies(units, scale), np.array([count for _, count in units]), len(units[0][0])
    pairs = ((tallies * tallies).sum(axis=1) - judges) / (judges * (judges - 1))
    observed = float((pairs * weights).sum()) / int(weights.sum())
    shares = (tallies * weights[:, None]).sum(axis=0) / (int(weights.sum()) * judges)
    expected = float((shares * shares).sum())
    return _defined((observed - expected) / (1 - expected)) if expected < 1 else None


def _alpha_of_coincidences(
    units: Sequence[tuple[list[Value], int]], scale: Sequence[Value], level: Level
) -> float | None:
    """Return 1 - observed / expected disagreement, or None if none is expected (Krippendorff 2011, Computing
    Krippendorff's Alpha-Reliability).
    """
    import numpy as np

    tallies = _tallies(units, scale).astype(float)
    weighted = tallies * (np.array([count for _, count in units]) / (tallies.sum(axis=1) - 1))[:, None]
    observed = weighted.T @ tallies - np.diag(weighted.sum(axis=0))
    given = observed.sum(axis=0)
    expected = (np.outer(given, given) - np.diag(given)) / (given.sum() - 1)
    apart = distances_on(np.array(scale, dtype=float), given, level)
    disagreement = float((expected * apart).sum())
    return _defined(1 - float((observed * apart).sum()) / disagreement) if disagreement else None


def distances_on(scale: Any, given: Any, level: Level) -> Any:
    """Return a square array with the squared distance between every two values of the scale.

    ``given`` says how often each value was given, which matters only for ordinal values.
    """
    import numpy as np

    apart = scale[:, None] - scale[None, :]
    if level == "nominal":
        return (apart != 0).astype(float)
    if level == "ordinal":
        middle = np.cumsum(given) - given / 2
        return (middle[:, None] - middle[None, :]) ** 2
    if level == "interval":
        return apart**2
    total = scale[:, None] + scale[None, :]
    return np.divide(apart, total, out=np.zeros_like(apart), where=total != 0) ** 2


def _defined(value: object) -> float | None:
    number = float(value)  # type: ignore[arg-type]
    return number if math.isfinite(number) else None

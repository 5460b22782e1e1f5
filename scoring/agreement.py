"""How far judges agree on the same items. Each measure is None where it is undefined.

    agreement        share of items with the same value from all judges of the item (two judges: raw agreement)
    cohen_kappa      two judges; also with linear and quadratic weights       (statsmodels)
    fleiss_kappa     the same number of judges for every item                 (statsmodels)
    krippendorff     any number of judges, missing values; nominal, ordinal or interval   (krippendorff)
    ac1              Gwet 2008: chance agreement that does not grow with a skewed scale; missing values allowed
    overlap          |A and B| / |A or B| of the relevant items, mean over topics (Voorhees 2000)

Values come as one sequence per judge, over the same items in the same order; None is a missing value.
Undefined: no item judged twice, or all values in one category (0 / 0).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

Value = float
Judge = Sequence[Value | None]
Level = Literal["nominal", "ordinal", "interval"]


def raw_agreement(judges: Sequence[Judge]) -> float | None:
    """Share of the items with two or more values on which all of them are equal."""
    same = [len(set(values)) == 1 for values in _units(judges) if len(values) > 1]
    return sum(same) / len(same) if same else None


def confusion(first: Judge, second: Judge) -> dict[tuple[Value, Value], int]:
    """(first's value, second's value) -> items, of those that both judged."""
    return dict(Counter((a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None))


def cohen_kappa(first: Judge, second: Judge, *, weights: Literal["linear", "quadratic"] | None = None) -> float | None:
    """Cohen's kappa of the items that both judged; weights by the distance of the values' places on the scale.

    >>> round(cohen_kappa([1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15), 4)
    0.4
    """
    from statsmodels.stats.inter_rater import cohens_kappa

    counts = confusion(first, second)
    scale = sorted({value for pair in counts for value in pair})
    if len(scale) < 2:
        return None
    table = [[counts.get((a, b), 0) for b in scale] for a in scale]
    return _defined(cohens_kappa(table, wt=weights, return_results=False))  # type: ignore[no-untyped-call]


def fleiss_kappa(judges: Sequence[Judge]) -> float | None:
    """Fleiss' kappa; None unless every item judged at all has the same number of values, two or more."""
    from statsmodels.stats.inter_rater import fleiss_kappa as library_kappa

    units = [values for values in _units(judges) if values]
    scale = sorted({value for values in units for value in values})
    if len(scale) < 2 or len({len(values) for values in units}) != 1 or len(units[0]) < 2:
        return None
    counts = [Counter(values) for values in units]
    return _defined(library_kappa([[count[value] for value in scale] for count in counts]))  # type: ignore[no-untyped-call]


def krippendorff_alpha(judges: Sequence[Judge], *, level: Level = "nominal") -> float | None:
    """Krippendorff's alpha. Items with fewer than two values do not count."""
    import krippendorff

    pairable = [values for values in zip(*judges, strict=True) if sum(value is not None for value in values) > 1]
    if len({value for values in pairable for value in values if value is not None}) < 2:
        return None
    data = [[math.nan if value is None else value for value in judge] for judge in zip(*pairable, strict=True)]
    return _defined(krippendorff.alpha(reliability_data=data, level_of_measurement=level))


def ac1(judges: Sequence[Judge]) -> float | None:
    """Gwet's AC1 for two or more judges. Undefined where only one value was ever given."""
    units = [values for values in _units(judges) if values]
    twice = [Counter(values) for values in units if len(values) > 1]
    scale = {value for values in units for value in values}
    if not twice or len(scale) < 2:
        return None
    observed = math.fsum(
        sum(count * (count - 1) for count in each.values()) / (each.total() * (each.total() - 1)) for each in twice
    ) / len(twice)
    shares = [math.fsum(values.count(value) / len(values) for values in units) / len(units) for value in scale]
    chance = math.fsum(share * (1 - share) for share in shares) / (len(scale) - 1)
    return (observed - chance) / (1 - chance)


def overlap(first: Mapping[str, Iterable[str]], second: Mapping[str, Iterable[str]]) -> tuple[float | None, int]:
    """Mean overlap of relevant sets (topic -> items) and how many topics it covers.

    Over the topics of both; a topic where neither has a relevant item is left out (0 / 0).
    """
    values = []
    for topic in sorted(first.keys() & second.keys()):
        a, b = set(first[topic]), set(second[topic])
        if a | b:
            values.append(len(a & b) / len(a | b))
    return (math.fsum(values) / len(values) if values else None), len(values)


def _units(judges: Sequence[Judge]) -> list[list[Value]]:
    """Item by item the values it got."""
    return [[value for value in values if value is not None] for values in zip(*judges, strict=True)]


def _defined(value: object) -> float | None:
    number = float(value)  # type: ignore[arg-type]
    return number if math.isfinite(number) else None

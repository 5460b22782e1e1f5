"""Computes the measures of `scoring.statistics.agreement` for many resamples at once, for their intervals.

Judges' values are given as patterns (a value from each judge, or None), and a resample says how many items have each
pattern. All resamples are one array with a row each, so that a thousand cost little more than one. Every function
returns an array with the value of each resample (NaN if undefined), by the same formula as the function of that name in
`scoring.statistics.agreement`; a test checks that the two agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from scoring.statistics.agreement import Level, Weights, distances_on

Pattern = tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True)
class Resamples:
    """``draws`` has a row for each resample and a column for each of ``patterns``. Each pattern has two values or more.

    ``scale`` holds every value that could be given, in order, including those that were given.
    """

    patterns: Sequence[Pattern]
    draws: Any
    scale: Sequence[float]

    @cached_property
    def tallies(self) -> Any:
        """One row for each pattern: how often it has each value of the scale."""
        import numpy as np

        rows = [[pattern.count(value) for value in self.scale] for pattern in self.patterns]
        return np.array(rows, dtype=float).reshape(len(self.patterns), len(self.scale))

    @cached_property
    def values(self) -> Any:
        """The number of values in each pattern."""
        return self.tallies.sum(axis=1)

    @cached_property
    def given(self) -> Any:
        """The number of times that each value of the scale was given, for each resample."""
        return self.draws @ self.tallies

    def raw_agreement(self) -> Any:
        """Return, for each resample, the share of the items on which all values are equal; NaN without items."""
        same = (self.tallies > 0).sum(axis=1) == 1
        return _share(self.draws @ same, self.draws.sum(axis=1))

    def cohen_kappa(self, weights: Weights | None = None) -> Any:
        """Return Cohen's kappa of two judges for each resample, NaN where it is undefined."""
        import numpy as np

        both = np.array([None not in pattern for pattern in self.patterns], dtype=bool)
        first, second = (self._given_by(judge, both) for judge in (0, 1))
        draws = self.draws[:, both]
        total = draws.sum(axis=1)
        places = np.arange(len(self.scale), dtype=float)
        apart = np.abs(places[:, None] - places)
        apart = (apart**2 if weights == "quadratic" else apart if weights else apart != 0).astype(float)
        if weights:
            apart /= apart.max() or 1.0
        of_patterns = (first[1] @ apart * second[1]).sum(axis=1)
        rows, columns = (_share(counts, total[:, None]) for counts in (first[0], second[0]))
        found = 1 - _share(_share(draws @ of_patterns, total), (rows @ apart * columns).sum(axis=1))
        return np.where(_is_several(first[0] + second[0]), found, np.nan)

    def fleiss_kappa(self) -> Any:
        """Return Fleiss' kappa for each resample, of the items to which all judges gave a value; NaN where it is
        undefined.
        """
        import numpy as np

        complete = np.array([None not in pattern for pattern in self.patterns], dtype=bool)
        draws, tallies = self.draws[:, complete], self.tallies[complete]
        judges = len(self.patterns[0]) if self.patterns else 0
        pairs = ((tallies * tallies).sum(axis=1) - judges) / (judges * (judges - 1) or 1)
        total, given = draws.sum(axis=1), draws @ tallies
        observed = _share(draws @ pairs, total)
        shares = _share(given, (total * judges)[:, None])
        expected = (shares * shares).sum(axis=1)
        return np.where(_is_several(given), _share(observed - expected, 1 - expected), np.nan)

    def krippendorff_alpha(self, level: Level = "nominal") -> Any:
        """Return Krippendorff's alpha for each resample, NaN where it is undefined."""
        import numpy as np

        total = self.given.sum(axis=1)
        pairable = self.draws / (self.values - 1)
        if level == "ordinal":
            middle = np.cumsum(self.given, axis=1) - self.given / 2
            squares, sums = (middle**power @ self.tallies.T for power in (2, 1))
            observed = (pairable * 2 * (self.values * squares - sums**2)).sum(axis=1)
            centred = middle - _share((self.given * middle).sum(axis=1), total)[:, None]
            expected = 2 * total * (self.given * centred**2).sum(axis=1)
        else:
            apart = distances_on(np.array(self.scale, dtype=float), self.given, level)
            observed = pairable @ (self.tallies @ apart * self.tallies).sum(axis=1)
            expected = (self.given @ apart * self.given).sum(axis=1)
        found = 1 - _share(observed, _share(expected, total - 1))
        return np.where(_is_several(self.given), found, np.nan)

    def ac1(self) -> Any:
        """Return Gwet's AC1 for each resample, NaN where it is undefined."""
        import numpy as np

        total = self.draws.sum(axis=1)
        pairs = (self.tallies * (self.tallies - 1)).sum(axis=1) / (self.values * (self.values - 1))
        observed = _share(self.draws @ pairs, total)
        shares = _share(self.draws @ (self.tallies / self.values[:, None]), total[:, None])
        chance = (shares * (1 - shares)).sum(axis=1) / (len(self.scale) - 1 or 1)
        return np.where(_is_several(self.given), _share(observed - chance, 1 - chance), np.nan)

    def pooled_overlap(self, relevant_from: float) -> Any:
        """Return, for each resample, the overlap of two judges: items that both / that at least one call relevant.

        It is NaN if neither judge calls any item relevant. With more than two judges it is the mean over the pairs for
        which it is defined.
        """
        import numpy as np

        judges = len(self.patterns[0]) if self.patterns else 0
        found = []
        for a, b in combinations(range(judges), 2):
            pairs = [(pattern[a], pattern[b]) for pattern in self.patterns]
            calls = [[value is not None and value >= relevant_from for value in pair] for pair in pairs]
            shared = np.array([None not in pair for pair in pairs], dtype=bool)
            both, either = (shared & np.array([some(each) for each in calls], dtype=bool) for some in (all, any))
            found.append(_share(self.draws @ both, self.draws @ either))
        table = np.array(found).reshape(len(found), len(self.draws))
        defined = ~np.isnan(table)
        return _share(np.where(defined, table, 0).sum(axis=0), defined.sum(axis=0))

    def _given_by(self, judge: int, chosen: Any) -> tuple[Any, Any]:
        """Return, for each resample, how often one judge gave each value, and, for each pattern, the value that this
        judge gave. Only the chosen patterns are counted.
        """
        import numpy as np

        patterns = [pattern for pattern, is_chosen in zip(self.patterns, chosen, strict=True) if is_chosen]
        rows = np.array([[pattern[judge] == value for value in self.scale] for pattern in patterns], dtype=float)
        rows = rows.reshape(len(patterns), len(self.scale))
        return self.draws[:, chosen] @ rows, rows


def _is_several(given: Any) -> Any:
    """Return, for each resample, whether more than one distinct value was given."""
    return (given > 0).sum(axis=1) > 1


def _share(part: Any, whole: Any) -> Any:
    """Return part / whole; NaN if the whole is 0."""
    import numpy as np

    part, whole = np.broadcast_arrays(np.asarray(part, dtype=float), np.asarray(whole, dtype=float))
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole != 0)

"""Orders of runs by their values, controls to hold them against, and how alike they all are.

    control     random: what chance alone would order; constant: the runs by name, best first
    alike       Kendall's tau of every pair, over the runs that both rankings hold (scipy.stats.kendalltau, tau-b).
                Without ties it is 1 - 2 D / (n (n - 1) / 2), D the least number of swaps of neighbours between them

Source: AQUAINT pilot evaluation of definition questions, section 2.1.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from scoring.correlation import tau_b

RANDOM, CONSTANT = "random", "constant"
TOPICS = 25
"""Topics of a random ranking where nobody says how many there are."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRanking:
    """Runs with the values that order them; the largest is best. Runs without a value are not among them."""

    key: str
    label: str
    values: Mapping[str, float]
    group: str = ""

    @property
    def order(self) -> tuple[str, ...]:
        """The runs, best first; those with the same value by name."""
        return tuple(sorted(self.values, key=lambda run: (-self.values[run], run)))

    @property
    def places(self) -> dict[str, float]:
        """Run -> its place from 1; runs with the same value share the mean of their places."""
        found: dict[str, float] = {}
        for run, value in self.values.items():
            above = sum(other > value for other in self.values.values())
            same = sum(other == value for other in self.values.values())
            found[run] = above + (same + 1) / 2
        return found

    def without(self, left_out: Collection[str]) -> RunRanking:
        """The same ranking, but for some runs."""
        kept = {run: value for run, value in self.values.items() if run not in left_out}
        return RunRanking(key=self.key, label=self.label, values=kept, group=self.group)


@dataclass(frozen=True, kw_only=True, slots=True)
class Likeness:
    """How alike two rankings are: tau-b over ``runs`` shared runs; None where it is undefined (fewer than two)."""

    first: str
    second: str
    tau: float | None
    runs: int
    tied: bool


def ranking_of(order: Iterable[str], *, key: str, label: str = "") -> RunRanking:
    """The ranking that names the runs, best first.

    >>> ranking_of("FGEADBHC", key="contractor").order[:3]
    ('F', 'G', 'E')
    """
    values = {run: -float(place) for place, run in enumerate(order)}
    return RunRanking(key=key, label=label or key, values=values)


def constant_ranking(runs: Iterable[str]) -> RunRanking:
    """The runs by name, as a control."""
    return ranking_of(sorted(runs), key=CONSTANT)


def random_ranking(
    runs: Iterable[str], *, seed: int, chance: Callable[[random.Random], float] | None = None, topics: int = TOPICS
) -> RunRanking:
    """A ranking by chance, the same for the same runs and seed.

    ``chance`` draws the value of one topic, as if whoever judged had thrown dice; a run's value is the mean over the
    topics. Without it every run gets a number between 0 and 1.
    """
    dice = random.Random(seed)  # noqa: S311 (a control that can be repeated, no secret)
    draw = chance or random.Random.random
    count = max(topics, 1) if chance is not None else 1
    values = {run: sum(draw(dice) for _ in range(count)) / count for run in sorted(runs)}
    return RunRanking(key=RANDOM, label=RANDOM, values=values)


def likeness(first: RunRanking, second: RunRanking) -> Likeness:
    """Kendall's tau of two rankings over the runs that both hold.

    >>> likeness(ranking_of("FAEGDBHC", key="other"), ranking_of("CDBGEAFH", key="random")).tau
    -0.5
    """
    shared = sorted(first.values.keys() & second.values.keys())
    columns = [[each.values[run] for run in shared] for each in (first, second)]
    return Likeness(
        first=first.key,
        second=second.key,
        tau=_rounded(tau_b(*columns)),
        runs=len(shared),
        tied=any(len(set(column)) < len(column) for column in columns),
    )


def all_likenesses(rankings: Sequence[RunRanking]) -> dict[tuple[str, str], Likeness]:
    """Of every pair of rankings, in both orders of the pair."""
    found: dict[tuple[str, str], Likeness] = {}
    for first, second in combinations(rankings, 2):
        found[first.key, second.key] = found[second.key, first.key] = likeness(first, second)
    return found


def _rounded(value: float | None) -> float | None:
    """Without the last digits, in which binary fractions differ from what they stand for."""
    return None if value is None else round(value, 12) + 0.0

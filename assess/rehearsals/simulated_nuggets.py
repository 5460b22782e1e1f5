"""The marking of nuggets played before it begins: which nuggets each run's answers hold, and which are marked in them.

Each topic has vital and okay nuggets. The better a run, the more of them its answer holds, and the longer it is. An
assessor overlooks a nugget that is there with probability ``error``, and marks one that is not there with a tenth of
it, since most nuggets are not in most answers. A share of the topics is marked a second time; where the two differ, an
adjudicator with the same error decides. Runs are scored by nugget F (`scoring.measures.nuggets`), by the marks and by
the truth. Every string of every answer is one item.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from assess.rehearsals.simulation import PACE_SPREAD, Expectation, Outcome, expectation
from scoring.agreement import cohen_kappa
from scoring.correlation import tau_b
from scoring.measures.nuggets import nugget_score

FALSE_SHARE = 0.1
"""A mark of what is not there is so much rarer than overlooking what is."""
UNDEFINED = Expectation(value=None, low=None, high=None)


@dataclass(frozen=True, kw_only=True, slots=True)
class NuggetPlan:
    """What is played. ValueError, with a sentence that says what to change, where it can't be.

    ``vital`` and ``okay``: nuggets of a topic; ``strings``: of an answer, on average. The rest as in
    `assess.rehearsals.simulation.Plan`.
    """

    topics: tuple[str, ...]
    runs: int = 20
    vital: int = 6
    okay: int = 6
    strings: int = 10
    beta: float = 3.0
    allowance: int = 100
    assessors: int = 4
    error: float = 0.1
    seconds_per_item: float = 30.0
    pace_spread: float = PACE_SPREAD
    double: float = 0.0
    doubles: tuple[float, ...] = ()
    plays: int = 10
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse what can't be played."""
        checks = (
            (not self.topics, "there are no topics with nuggets: load topics first"),
            (not 2 <= self.runs <= 200, "runs must be 2 to 200, so that they can be ranked"),
            (not 1 <= self.vital <= 1000 or not 0 <= self.okay <= 1000, "a topic has 1 to 1,000 vital nuggets"),
            (not 1 <= self.strings <= 1000, "an answer has 1 to 1,000 strings"),
            (not 0 <= self.error < 1, "the error rate must be 0 or more and less than 1"),
            (any(not 0 <= share <= 1 for share in (self.double, *self.doubles)), "shares must be from 0 to 1"),
            (not 1 <= self.assessors <= 1000, "assessors must be 1 to 1,000"),
            (not 0 < self.seconds_per_item <= 36_000, "seconds an item must be more than 0, and 36,000 at most"),
            (not 1 <= self.plays <= 1000, "plays must be 1 to 1,000"),
            (not 0 <= self.pace_spread <= 2, "the spread of paces must be from 0 to 2"),
            (not 0 <= self.seed < 2**63, "the seed must be a whole number from 0"),
        )
        problem = next((sentence for is_wrong, sentence in checks if is_wrong), "")
        if problem:
            raise ValueError(problem)


def rehearse_nuggets(
    plan: NuggetPlan, *, tell: Callable[[int, int], None] = lambda done, total: None
) -> tuple[Outcome, ...]:
    """The outcome of the plan as it is, then with each of its other shares of topics marked twice.

    ``tell(done, total)`` is told after each play, and may stop it by raising.

    >>> plan = NuggetPlan(topics=("1", "2"), runs=3, error=0, double=1.0, plays=2, pace_spread=0)
    >>> (found,) = rehearse_nuggets(plan)
    >>> found.tau.value, found.agreement.value
    (1.0, 1.0)
    """
    shares = (plan.double, *plan.doubles)
    played: dict[float, list[Mapping[str, float | None]]] = {share: [] for share in shares}
    for number in range(plan.plays):
        for place, share in enumerate(played, start=1):
            played[share].append(_play(plan, share, number))
            tell(number * len(played) + place, plan.plays * len(played))
    return tuple(_outcome(share, played[share]) for share in shares)


def _play(plan: NuggetPlan, double: float, number: int) -> Mapping[str, float | None]:
    import numpy as np

    pace = np.exp(np.random.default_rng([plan.seed, number, 1]).normal(scale=plan.pace_spread, size=plan.assessors))
    twice = round(double * len(plan.topics))
    hours = [0.0] * plan.assessors
    pairs: tuple[list[int], list[int]] = ([], [])
    values: tuple[list[Fraction], list[Fraction]] = ([Fraction(0)] * plan.runs, [Fraction(0)] * plan.runs)
    strings = judgments = 0
    for place, topic in enumerate(plan.topics):
        del topic
        dice = np.random.default_rng([plan.seed, number, 2, place])
        truth, lengths, count = _answers(plan, dice)
        marks = _marked(plan, truth, dice)
        turns = [(place % plan.assessors, count)]
        if place < twice:
            second, settled = _marked(plan, truth, dice), _marked(plan, truth, dice)
            pairs[0].extend(marks.ravel().tolist())
            pairs[1].extend(second.ravel().tolist())
            differ = marks != second
            share = int(differ.any(axis=1).sum()) / plan.runs
            turns += [((place + 1) % plan.assessors, count), ((place + 2) % plan.assessors, round(count * share))]
            marks = np.where(differ, settled, marks)
        for who, said in turns:
            judgments += said
            hours[who] += said * plan.seconds_per_item * float(pace[who]) / 3600
        strings += count
        for into, found in zip(values, (truth, marks), strict=True):
            for run in range(plan.runs):
                into[run] += _f(plan, found[run], lengths[run])
    ranked = [[float(value) for value in column] for column in values]
    agreed = sum(a == b for a, b in zip(*pairs, strict=True)) / len(pairs[0]) if pairs[0] else None
    return {
        "items": strings / len(plan.topics),
        "judgments": judgments,
        "hours": math.fsum(hours),
        "longest": max(hours),
        "agreement": agreed,
        "kappa": cohen_kappa(*pairs) if pairs[0] else None,
        "tau": tau_b(*ranked),
    }


def _answers(plan: NuggetPlan, dice: Any) -> tuple[Any, list[int], int]:
    """Run by nugget whether the answer holds it, the length of each answer, and the strings of all."""
    import numpy as np

    qualities = np.clip(np.linspace(0.15, 0.6, plan.runs) + dice.normal(scale=0.05, size=plan.runs), 0.01, 0.99)
    held = (dice.random((plan.runs, plan.vital + plan.okay)) < qualities[:, None]).astype(int)
    counts = 1 + dice.poisson(plan.strings - 1, size=plan.runs)
    return held, [int(count) * plan.allowance for count in counts], int(counts.sum())


def _marked(plan: NuggetPlan, truth: Any, dice: Any) -> Any:
    """What one assessor marks."""
    import numpy as np

    drawn = dice.random(truth.shape)
    return np.where(truth == 1, drawn >= plan.error, drawn < plan.error * FALSE_SHARE).astype(int)


def _f(plan: NuggetPlan, marks: Sequence[int], length: int) -> Fraction:
    weights = {number: Fraction(number < plan.vital) for number in range(plan.vital + plan.okay)}
    returned = {number for number, mark in enumerate(marks) if mark}
    score = nugget_score(weights, returned, length, beta=plan.beta, allowance=plan.allowance)
    return score.f or Fraction(0)


def _outcome(double: float, plays: Sequence[Mapping[str, float | None]]) -> Outcome:
    found = {name: expectation([play[name] for play in plays]) for name in plays[0]}
    return Outcome(size=None, double=double, missed=UNDEFINED, **found)

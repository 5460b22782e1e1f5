"""A campaign played before it begins: simulated truth, runs and assessors, and what comes of them.

Of each topic some documents are relevant. Runs retrieve by quality: a document's score in a run is the run's quality
times the grade, plus noise, half of it the same for all runs, so that runs agree on what looks relevant and is not.
The pool is made by the campaign's own recipe (`scoring.pooling`). Assessors give the true grade, but with probability
``error`` one of the others, each as likely. A share of the topics is judged a second time; where the two differ, an
adjudicator with the same error decides. Runs are scored by the judgments, and by the truth of everything that any of
them retrieved, with the measures' own code.

Played again and again; what is said is the mean with the range that nine plays of ten fall in. The seed decides all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring.agreement import cohen_kappa
from scoring.correlation import tau_b
from scoring.measures import parse
from scoring.measures.ranked import rank_scores
from scoring.pooling import PoolRun, Recipe, pool_entries

Grades = dict[str, dict[str, int]]
"""Topic -> docno -> grade."""

SEPARATION = 3.0
"""How far a run of quality 1 tells relevant documents from others, in standard deviations of the noise."""
SHARED = 0.5
"""Share of the noise that all runs have alike."""
PACE_SPREAD = 0.3
"""Standard deviation of the logarithm of an assessor's pace."""
RANGE = (0.05, 0.95)


@dataclass(frozen=True, kw_only=True, slots=True)
class Expectation:
    """A mean over plays, with the range of nine in ten. All None where it was undefined in more than half of them."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What is played. ValueError, with a sentence that says what to change, where it can't be.

    ``topics`` are their numbers. ``runs``: how many are simulated; 0 with ``rankings``, which are those of real runs
    (tag -> topic -> docnos). ``documents``: of each topic so many come into question, ``relevant`` of them on average
    relevant; ``returned``: how many a simulated run returns. ``grades``: how many grades there are, the lowest not
    relevant. ``error``: how often an assessor gives another grade than the true one. ``double``: share of topics judged
    twice. ``sizes``: depths (or budgets, where the recipe has one) that are tried; ``doubles``: shares that are.
    """

    topics: tuple[str, ...]
    recipe: Recipe
    measure: str = "AP"
    runs: int = 20
    rankings: Mapping[str, Mapping[str, Sequence[str]]] | None = None
    documents: int = 500
    relevant: int = 30
    returned: int = 200
    grades: int = 2
    assessors: int = 4
    error: float = 0.1
    seconds_per_item: float = 30.0
    pace_spread: float = PACE_SPREAD
    double: float = 0.0
    sizes: tuple[int, ...] = ()
    doubles: tuple[float, ...] = ()
    plays: int = 10
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse what can't be played."""
        checks = (
            (not self.topics, "there are no topics to judge: load topics first"),
            (self.rankings is None and not 2 <= self.runs <= 200, "runs must be 2 to 200, so that they can be ranked"),
            (self.rankings is not None and len(self.rankings) < 2, "there must be two runs or more to rank"),
            (not 2 <= self.grades <= 20, "a scale has 2 to 20 grades"),
            (not 0 <= self.error < 1, "the error rate must be 0 or more and less than 1"),
            (not 0 <= self.double <= 1, "the share judged twice must be from 0 to 1"),
            (any(not 0 <= share <= 1 for share in self.doubles), "each share judged twice must be from 0 to 1"),
            (any(size < 1 for size in self.sizes), "each depth must be 1 or more"),
            (not 1 <= self.assessors <= 1000, "assessors must be 1 to 1,000"),
            (not 0 < self.seconds_per_item <= 36_000, "seconds an item must be more than 0, and 36,000 at most"),
            (not 1 <= self.plays <= 1000, "plays must be 1 to 1,000"),
            (not 0 <= self.pace_spread <= 2, "the spread of paces must be from 0 to 2"),
            (
                not 0 < self.relevant <= self.documents <= 100_000,
                "relevant documents are 1 or more, of at most 100,000",
            ),
            (not 1 <= self.returned <= self.documents, "a run returns 1 document or more, and no more than there are"),
            (not 0 <= self.seed < 2**63, "the seed must be a whole number from 0"),
        )
        problem = next((sentence for is_wrong, sentence in checks if is_wrong), "")
        if problem:
            raise ValueError(problem)


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What one way of pooling and judging leads to. ``size`` is the depth or budget, None where the recipe has neither.

    ``items`` are of a topic. ``hours`` are of all assessors together, ``longest`` of the one with the most.
    ``agreement`` and ``kappa`` are of the topics judged twice; ``tau`` is tau-b of the runs' order against the order by
    the truth; ``missed`` the share of the relevant documents retrieved that nobody was shown.
    """

    size: int | None
    double: float
    items: Expectation
    judgments: Expectation
    hours: Expectation
    longest: Expectation
    agreement: Expectation
    kappa: Expectation
    tau: Expectation
    missed: Expectation


@dataclass(frozen=True, kw_only=True, slots=True)
class Rehearsal:
    """The outcome of the plan as it is, then with other sizes, then with other shares judged twice."""

    planned: Outcome
    by_size: tuple[Outcome, ...]
    by_double: tuple[Outcome, ...]


def rehearse(plan: Plan, *, tell: Callable[[int, int], None] = lambda done, total: None) -> Rehearsal:
    """Play the plan. ``tell(done, total)`` is told after each play, and may stop it by raising.

    >>> plan = Plan(topics=("1", "2"), recipe=Recipe(depth=20), runs=3, returned=20, documents=50, relevant=5, error=0)
    >>> found = rehearse(replace(plan, double=1.0, plays=2, pace_spread=0))
    >>> found.planned.tau.value, found.planned.agreement.value
    (1.0, 1.0)
    """
    ways = [(_size(plan.recipe), plan.double)]
    ways += [(size, plan.double) for size in plan.sizes]
    ways += [(_size(plan.recipe), share) for share in plan.doubles]
    distinct = list(dict.fromkeys(ways))
    played: dict[tuple[int | None, float], list[_Play]] = {way: [] for way in distinct}
    for number in range(plan.plays):
        world = _world(plan, number)
        for place, (size, double) in enumerate(distinct):
            played[size, double].append(_play(plan, world, size, double, number))
            tell(number * len(distinct) + place + 1, plan.plays * len(distinct))
    outcomes = {way: _outcome(way, plays) for way, plays in played.items()}
    sizes = len(plan.sizes)
    return Rehearsal(
        planned=outcomes[ways[0]],
        by_size=tuple(outcomes[way] for way in ways[1 : 1 + sizes]),
        by_double=tuple(outcomes[way] for way in ways[1 + sizes :]),
    )


def expected_agreement(error: float, grades: int) -> float:
    """How often two assessors with this error give the same of so many grades.

    >>> round(expected_agreement(0.1, 2), 4), round(expected_agreement(0.1, 3), 4)
    (0.82, 0.815)
    """
    return (1 - error) ** 2 + error**2 / (grades - 1)


# ---------------------------------------------------------------- one play


@dataclass(frozen=True, kw_only=True, slots=True)
class _World:
    """What is so before anybody judges: all grades, and what runs return; and the order of runs by the truth."""

    truth: Grades
    runs: tuple[PoolRun, ...]
    values: dict[str, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Play:
    items: float
    judgments: float
    hours: float
    longest: float
    agreement: float | None
    kappa: float | None
    tau: float | None
    missed: float | None


def _world(plan: Plan, number: int) -> _World:
    import numpy as np

    dice = np.random.default_rng([plan.seed, number])
    if plan.rankings is None:
        truth, runs = _simulated(plan, dice)
    else:
        runs = tuple(PoolRun(tag=tag, rankings=found) for tag, found in sorted(plan.rankings.items()))
        truth = _truth_of_rankings(plan, dice)
    retrieved = {(t, docno) for run in runs for t, docnos in run.rankings.items() for docno in docnos}
    known = {
        t: {docno: grade for docno, grade in found.items() if (t, docno) in retrieved} for t, found in truth.items()
    }
    return _World(truth=known, runs=runs, values=_values(plan, runs, known))


def _simulated(plan: Plan, dice: Any) -> tuple[Grades, tuple[PoolRun, ...]]:
    """Truth, and runs of qualities evenly spread from 0.5 to 1."""
    import numpy as np

    qualities = np.linspace(0.5, 1.0, plan.runs)
    truth: Grades = {}
    rankings: list[dict[str, tuple[str, ...]]] = [{} for _ in range(plan.runs)]
    for topic in plan.topics:
        relevant = int(np.clip(dice.geometric(1 / plan.relevant), 1, plan.documents))
        grades = np.zeros(plan.documents, dtype=int)
        grades[:relevant] = dice.integers(1, plan.grades, size=relevant)
        dice.shuffle(grades)
        names = [f"d{place}" for place in range(plan.documents)]
        truth[topic] = {name: int(grade) for name, grade in zip(names, grades, strict=True)}
        shared = dice.normal(size=plan.documents)
        strength = np.clip(qualities + dice.normal(scale=0.1, size=plan.runs), 0, None)
        for number in range(plan.runs):
            own = dice.normal(size=plan.documents)
            noise = math.sqrt(SHARED) * shared + math.sqrt(1 - SHARED) * own
            scores = SEPARATION * strength[number] * grades / (plan.grades - 1) + noise
            first = np.argsort(-scores, kind="stable")[: plan.returned]
            rankings[number][topic] = tuple(names[place] for place in first)
    width = len(str(plan.runs))
    return truth, tuple(
        PoolRun(tag=f"run{number:0{width}}", rankings=found) for number, found in enumerate(rankings, start=1)
    )


def _truth_of_rankings(plan: Plan, dice: Any) -> Grades:
    """Grades of what real runs return: the higher the runs together rank a document, the likelier it is relevant."""
    import numpy as np

    truth: Grades = {}
    for topic in plan.topics:
        weights: dict[str, float] = {}
        for found in (plan.rankings or {}).values():
            for rank, docno in enumerate(found.get(topic, ()), start=1):
                weights[docno] = weights.get(docno, 0.0) + 1 / (10 + rank)
        names = sorted(weights)
        if not names:
            continue
        relevant = min(int(dice.geometric(1 / plan.relevant)), len(names))
        chances = np.array([weights[name] for name in names]) ** 2
        chosen = dice.choice(len(names), size=relevant, replace=False, p=chances / chances.sum())
        grades = np.zeros(len(names), dtype=int)
        grades[chosen] = dice.integers(1, plan.grades, size=relevant)
        truth[topic] = {name: int(grade) for name, grade in zip(names, grades, strict=True)}
    return truth


def _play(plan: Plan, world: _World, size: int | None, double: float, number: int) -> _Play:
    """Pool, judge, score. The same play judges alike whatever the size, so that sizes compare."""
    import numpy as np

    pool: dict[str, list[str]] = {}
    for entry in pool_entries(_sized(plan.recipe, size), world.runs):
        if entry.topic in world.truth:
            pool.setdefault(entry.topic, []).append(entry.docno)
    pace = np.exp(np.random.default_rng([plan.seed, number, 1]).normal(scale=plan.pace_spread, size=plan.assessors))
    twice = round(double * len(plan.topics))
    hours = [0.0] * plan.assessors
    judged: Grades = {}
    pairs: tuple[list[int], list[int]] = ([], [])
    judgments = 0
    for place, topic in enumerate(plan.topics):
        dice = np.random.default_rng([plan.seed, number, 2, place])
        docnos = pool.get(topic, [])
        first = _said(plan, world.truth.get(topic, {}), docnos, dice)
        turns = [(place % plan.assessors, len(docnos))]
        if place < twice:
            second = _said(plan, world.truth.get(topic, {}), docnos, dice)
            settled = _said(plan, world.truth.get(topic, {}), docnos, dice)
            pairs[0].extend(first.values())
            pairs[1].extend(second.values())
            differ = [docno for docno in docnos if first[docno] != second[docno]]
            turns += [((place + 1) % plan.assessors, len(docnos)), ((place + 2) % plan.assessors, len(differ))]
            first |= {docno: settled[docno] for docno in differ}
        judged[topic] = first
        for who, count in turns:
            judgments += count
            hours[who] += count * plan.seconds_per_item * float(pace[who]) / 3600
    return _Play(
        items=sum(map(len, pool.values())) / len(plan.topics),
        judgments=judgments,
        hours=math.fsum(hours),
        longest=max(hours),
        agreement=sum(a == b for a, b in zip(*pairs, strict=True)) / len(pairs[0]) if pairs[0] else None,
        kappa=cohen_kappa(*pairs) if pairs[0] else None,
        tau=_tau(world.values, _values(plan, world.runs, judged)),
        missed=_missed(world.truth, pool),
    )


def _said(plan: Plan, truth: Mapping[str, int], docnos: Sequence[str], dice: Any) -> dict[str, int]:
    """What one assessor says of these documents."""
    slips = dice.random(len(docnos)) < plan.error
    steps = dice.integers(1, plan.grades, size=len(docnos))
    return {
        docno: (truth.get(docno, 0) + int(step)) % plan.grades if slip else truth.get(docno, 0)
        for docno, slip, step in zip(docnos, slips, steps, strict=True)
    }


def _values(plan: Plan, runs: Sequence[PoolRun], grades: Grades) -> dict[str, float]:
    """Run -> its mean over the judged topics, those that it leaves out counting 0."""
    judged = {topic: found for topic, found in grades.items() if found}
    found: dict[str, float] = {}
    measure = parse(plan.measure)
    for run in runs:
        ranked = {
            topic: {docno: float(-place) for place, docno in enumerate(run.rankings.get(topic, ()))} for topic in judged
        }
        scores = rank_scores(judged, ranked, [measure], run=run.tag, complete=True)
        found[run.tag] = next((score.value or 0.0 for score in scores if score.topic == "all"), 0.0)
    return found


def _tau(truth: Mapping[str, float], judged: Mapping[str, float]) -> float | None:
    tags = sorted(truth)
    return tau_b([round(truth[tag], 12) for tag in tags], [round(judged[tag], 12) for tag in tags])


def _missed(truth: Grades, pool: Mapping[str, Sequence[str]]) -> float | None:
    relevant = {(topic, docno) for topic, found in truth.items() for docno, grade in found.items() if grade}
    shown = {(topic, docno) for topic, docnos in pool.items() for docno in docnos}
    return len(relevant - shown) / len(relevant) if relevant else None


# ---------------------------------------------------------------- ways and outcomes


def _size(recipe: Recipe) -> int | None:
    return recipe.budget if recipe.budget is not None else recipe.depth


def _sized(recipe: Recipe, size: int | None) -> Recipe:
    """The recipe with another budget, or another depth where it has no budget."""
    if size is None or size == _size(recipe):
        return recipe
    return replace(recipe, budget=size) if recipe.budget is not None else replace(recipe, depth=size)


def _outcome(way: tuple[int | None, float], plays: Sequence[_Play]) -> Outcome:
    size, double = way
    names = ("items", "judgments", "hours", "longest", "agreement", "kappa", "tau", "missed")
    found = {name: expectation([getattr(play, name) for play in plays]) for name in names}
    return Outcome(size=size, double=double, **found)


def expectation(values: Sequence[float | None]) -> Expectation:
    """The mean of the plays where a value is defined, with its range.

    >>> expectation([1.0, 3.0]).value, expectation([None, None, 1.0]).value
    (2.0, None)
    """
    import numpy as np

    defined = [value for value in values if value is not None]
    if not defined or 2 * len(defined) < len(values):
        return Expectation(value=None, low=None, high=None)
    low, high = (round(float(each), 12) for each in np.quantile(defined, RANGE))
    return Expectation(value=round(math.fsum(defined) / len(defined), 12), low=low, high=high)

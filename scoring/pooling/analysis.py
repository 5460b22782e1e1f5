"""What a pool is like: before it is judged, how large and whose it is; then, how well it serves each run.

Runs are tag -> topic -> docnos, best first; teams are tag -> team, a run without one is a team of its own; grades are
topic -> docno -> grade, below 0 where nobody judged. A pool to a depth holds the first so many documents of each run.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from scoring.formats.pool_tables import topic_order
from scoring.pooling.build import pool_entries
from scoring.pooling.online import simulated
from scoring.pooling.ranks import PoolRun, best_ranks
from scoring.pooling.recipe import ONLINE, Recipe

Runs = Mapping[str, Mapping[str, Sequence[str]]]
Grades = Mapping[str, Mapping[str, int]]
ScoreRuns = Callable[[Grades], Mapping[str, float | None]]
"""From grades to the value of each run; None where it is undefined."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Overlap:
    """How many documents two runs both bring to a pool, and how many at least one of them does."""

    first: str
    second: str
    both: int
    either: int

    @property
    def share(self) -> float | None:
        """Both over either; None where neither brings any."""
        return self.both / self.either if self.either else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Contribution:
    """The documents that runs of one name (a run, or a team) add to a pool, and those that only they add.

    The last two count the relevant ones among them.
    """

    name: str
    documents: int
    alone: int
    relevant: int = 0
    relevant_alone: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class LeftOut:
    """A run's value and place (from 1, ties share the better), and both as if its team had brought nothing."""

    team: str
    run: str
    value: float | None
    value_without: float | None
    place: int | None
    place_without: int | None


def sizes_by_depth(runs: Runs, depths: Sequence[int]) -> dict[str, dict[int, int]]:
    """Topic -> depth -> how many documents a pool to that depth has.

    >>> sizes_by_depth({"a": {"1": ["x", "y"]}, "b": {"1": ["z", "x"]}}, [1, 2])
    {'1': {1: 2, 2: 3}}
    """
    return {topic: _up_to(depths, ranks.values()) for topic, ranks in _ranks_of_topics(runs)}


def overlaps(runs: Runs, depth: int) -> list[Overlap]:
    """Of every pair of runs, over the first ``depth`` documents of all topics together, by their tags."""
    sizes = {tag: len(_brought(rankings, depth)) for tag, rankings in runs.items()}
    return overlaps_of(sizes, shared_documents(runs, depth))


def shared_documents(runs: Runs, depth: int) -> list[int]:
    """Return how many documents both runs bring, of every pair of them in the order of their tags."""
    bits: dict[tuple[str, str], int] = {}
    sets = []
    for tag in sorted(runs):
        places = [bits.setdefault(pair, 1 << len(bits)) for pair in _brought(runs[tag], depth)]
        sets.append(sum(places))  # each is another bit
    return [(first & second).bit_count() for first, second in combinations(sets, 2)]


def overlaps_of(sizes: Mapping[str, int], shared: Sequence[int]) -> list[Overlap]:
    """Return the overlaps of runs that bring so many documents each, where `shared_documents` told how many both
    bring.
    """
    pairs = zip(combinations(sorted(sizes), 2), shared, strict=True)
    return [Overlap(first=a, second=b, both=both, either=sizes[a] + sizes[b] - both) for (a, b), both in pairs]


def contributions(
    runs: Runs, depth: int, *, teams: Mapping[str, str] | None = None, grades: Grades | None = None, level: int = 1
) -> list[Contribution]:
    """Return what each team brings to a pool of this depth (each run, without ``teams``), by name."""
    brought = _by_team(runs, depth, teams or {})
    counts = Counter(pair for pairs in brought.values() for pair in pairs)

    def is_relevant(pair: tuple[str, str]) -> bool:
        return (grades or {}).get(pair[0], {}).get(pair[1], -1) >= level

    found = []
    for name, pairs in sorted(brought.items()):
        alone = [pair for pair in pairs if counts[pair] == 1]
        found.append(
            Contribution(
                name=name, documents=len(pairs), alone=len(alone),
                relevant=sum(map(is_relevant, pairs)), relevant_alone=sum(map(is_relevant, alone)),
            )
        )  # fmt: skip
    return found


def left_out(runs: Runs, depth: int, *, teams: Mapping[str, str], grades: Grades, score: ScoreRuns) -> list[LeftOut]:
    """Return each run's value and place by all grades, and by those without what its team alone brought (Zobel 1998).

    ``score`` is asked once and then once for each team. By team, then run; only runs that it gives a value for.
    """
    brought = _by_team(runs, depth, teams)
    counts = Counter(pair for pairs in brought.values() for pair in pairs)
    values = score(grades)
    found = []
    for team in sorted(brought):
        alone = {pair for pair in brought[team] if counts[pair] == 1}
        kept = {
            topic: {docno: grade for docno, grade in judged.items() if (topic, docno) not in alone}
            for topic, judged in grades.items()
        }
        without = score(kept)
        found += [
            LeftOut(
                team=team, run=tag, value=values[tag], value_without=without.get(tag),
                place=_place(tag, values), place_without=_place(tag, without),
            )
            for tag in sorted(runs) if teams.get(tag, tag) == team and tag in values
        ]  # fmt: skip
    return found


def _ranks_of_topics(runs: Runs) -> Iterator[tuple[str, dict[str, int]]]:
    """Each topic, in the order of first sight, with the best ranks of its documents."""
    for topic in dict.fromkeys(topic for rankings in runs.values() for topic in rankings):
        yield topic, best_ranks(rankings[topic] for rankings in runs.values() if topic in rankings)


def _up_to(depths: Sequence[int], ranks: Iterable[int]) -> dict[int, int]:
    ordered = sorted(ranks)
    return {depth: bisect_right(ordered, depth) for depth in depths}


def _brought(rankings: Mapping[str, Sequence[str]], depth: int) -> set[tuple[str, str]]:
    return {(topic, docno) for topic, ranking in rankings.items() for docno in ranking[:depth]}


def _by_team(runs: Runs, depth: int, teams: Mapping[str, str]) -> dict[str, set[tuple[str, str]]]:
    found: dict[str, set[tuple[str, str]]] = {}
    for tag, rankings in runs.items():
        found.setdefault(teams.get(tag, tag), set()).update(_brought(rankings, depth))
    return found


def _place(tag: str, values: Mapping[str, float | None]) -> int | None:
    own = values.get(tag)
    return None if own is None else 1 + sum(value is not None and value > own for value in values.values())


# What pools of several sizes would have found, told by judgments that are there already.
#
# A strategy is played on the runs as if nobody had judged; each document that it chooses is looked up in the qrels.
# What the qrels do not judge counts as not relevant, and is counted: figures of a pool with many such documents say
# little. Strategies that choose by judgments are answered from the qrels, one document at a time.


@dataclass(frozen=True, kw_only=True, slots=True)
class Replayed:
    """One topic's pool of one size: how many documents, how many of them relevant, how many that nobody judged.

    ``known`` are the relevant documents of the qrels; ``budget`` is None where the strategy has no limit.
    """

    topic: str
    budget: int | None
    documents: int
    relevant: int
    unjudged: int
    known: int

    @property
    def recall(self) -> float | None:
        """The share of the known relevant documents that came in; None where none is known."""
        return self.relevant / self.known if self.known else None


def replayed(
    recipe: Recipe,
    runs: Sequence[PoolRun],
    grades: Mapping[str, Mapping[str, int]],
    *,
    budgets: Sequence[int],
    relevant_from: int = 1,
) -> Iterator[Replayed]:
    """Yield each judged topic's pool at each budget, by topic, then by budget; without budgets, the recipe as it is.

    ``grades`` are topic -> docno -> grade; those of -1 and below judge nothing.
    """
    sizes: list[int | None] = [*sorted(set(budgets))] or [recipe.budget]
    chosen: dict[tuple[str, int | None], list[str]] = {}
    if recipe.strategy in ONLINE:
        chosen = _online(recipe, runs, grades, [size or 1 for size in sizes], relevant_from)
    else:
        for budget in sizes:
            for entry in pool_entries(replace(recipe, budget=budget), runs):
                chosen.setdefault((entry.topic, budget), []).append(entry.docno)
    for topic in sorted(grades, key=topic_order):
        judged = {docno: grade for docno, grade in grades[topic].items() if grade >= 0}
        known = sum(grade >= relevant_from for grade in judged.values())
        for budget in sizes:
            docnos = chosen.get((topic, budget), [])
            yield Replayed(
                topic=topic,
                budget=budget,
                documents=len(docnos),
                relevant=sum(judged.get(docno, -1) >= relevant_from for docno in docnos),
                unjudged=sum(docno not in judged for docno in docnos),
                known=known,
            )


def _online(
    recipe: Recipe,
    runs: Sequence[PoolRun],
    grades: Mapping[str, Mapping[str, int]],
    sizes: Sequence[int],
    relevant_from: int,
) -> dict[tuple[str, int | None], list[str]]:
    """Each topic's documents at each budget: one play to the largest gives them all."""
    chosen: dict[tuple[str, int | None], list[str]] = {}
    for topic, of_topic in grades.items():
        rankings = {
            run.tag: ranking[:depth]
            for run in runs
            if (depth := recipe.depth_for(run.priority)) != 0 and (ranking := run.rankings.get(topic))
        }
        order: list[str] = []
        relevant = {docno for docno, grade in of_topic.items() if grade >= relevant_from}
        for docno in simulated(recipe.strategy, rankings, relevant.__contains__):
            order.append(docno)
            if len(order) == sizes[-1]:
                break
        for size in sizes:
            chosen[topic, size] = order[:size]
    return chosen

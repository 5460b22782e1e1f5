"""Describes a pool: before judging, its size and which runs contribute; after judging, how well it serves each run.

Runs are tag -> topic -> docnos, best first. Teams are tag -> team; a run without a team is a team of its own. Grades
are topic -> docno -> grade, with a grade below 0 if nobody judged the document. A pool to a depth contains the
documents of each run down to that rank.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from operator import add

from scoring.formats.pool_tables import topic_order
from scoring.pooling.build import pool_entries
from scoring.pooling.online import simulated
from scoring.pooling.ranks import PoolRun, best_ranks
from scoring.pooling.recipe import ONLINE, Recipe

Runs = Mapping[str, Mapping[str, Sequence[str]]]
Grades = Mapping[str, Mapping[str, int]]
ScoreRuns = Callable[[Grades], Mapping[str, float | None]]
"""Maps grades to the value of each run; None if it is undefined."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Overlap:
    """The number of documents that both of two runs bring to a pool, and the number that at least one brings."""

    first: str
    second: str
    both: int
    either: int

    @property
    def share(self) -> float | None:
        """The documents that both runs bring / those that at least one brings; None if neither brings any."""
        return self.both / self.either if self.either else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Contribution:
    """The number of documents that a team (or a single run) adds to a pool, and the number that only it adds.

    ``relevant`` and ``relevant_alone`` are the numbers of relevant documents among them.
    """

    name: str
    documents: int
    alone: int
    relevant: int = 0
    relevant_alone: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class LeftOut:
    """A run's value and its place (from 1; ties share the better place). The fields ending in ``_without`` are the same
    as if its team had contributed nothing.
    """

    team: str
    run: str
    value: float | None
    value_without: float | None
    place: int | None
    place_without: int | None


def sizes_by_depth(runs: Runs, depths: Sequence[int]) -> dict[str, dict[int, int]]:
    """Return topic -> depth -> number of documents in a pool of that depth.

    >>> sizes_by_depth({"a": {"1": ["x", "y"]}, "b": {"1": ["z", "x"]}}, [1, 2])
    {'1': {1: 2, 2: 3}}
    """
    return {topic: _up_to(depths, ranks.values()) for topic, ranks in _ranks_of_topics(runs)}


def overlaps(runs: Runs, depth: int) -> list[Overlap]:
    """Return the overlap of every pair of runs over the first ``depth`` documents of all topics together, sorted by
    tag.
    """
    sizes = {tag: len(_brought(rankings, depth)) for tag, rankings in runs.items()}
    return overlaps_of(sizes, shared_documents(runs, depth))


def shared_documents(runs: Runs, depth: int) -> list[int]:
    """Return, for every pair of runs in the order of their tags, the number of documents that both bring."""
    bits: dict[tuple[str, str], int] = {}
    sets = []
    for tag in sorted(runs):
        places = [bits.setdefault(pair, 1 << len(bits)) for pair in _brought(runs[tag], depth)]
        sets.append(sum(places))  # each document has its own bit
    return [(first & second).bit_count() for first, second in combinations(sets, 2)]


def overlaps_of(sizes: Mapping[str, int], shared: Sequence[int]) -> list[Overlap]:
    """Return the overlap of every pair of runs. ``sizes`` is the number of documents of each run, and ``shared`` the
    result of `shared_documents`.
    """
    pairs = zip(combinations(sorted(sizes), 2), shared, strict=True)
    return [Overlap(first=a, second=b, both=both, either=sizes[a] + sizes[b] - both) for (a, b), both in pairs]


def contributions(
    runs: Runs, depth: int, *, teams: Mapping[str, str] | None = None, grades: Grades | None = None, level: int = 1
) -> list[Contribution]:
    """Return what each team contributes to a pool of this depth, sorted by name. Without ``teams``, each run is a team.
    Documents with a grade of at least ``level`` are relevant; without ``grades``, none is.
    """
    team_of = {tag: (teams or {}).get(tag, tag) for tag in runs}
    found = {name: [0, 0, 0, 0] for name in sorted(set(team_of.values()))}
    for topic in dict.fromkeys(topic for rankings in runs.values() for topic in rankings):
        brought: dict[str, set[str]] = {}
        for tag, rankings in runs.items():
            brought.setdefault(team_of[tag], set()).update(rankings.get(topic, ())[:depth])
        counts = Counter(chain.from_iterable(brought.values()))
        once = {docno for docno, number in counts.items() if number == 1}
        good = {docno for docno, grade in (grades or {}).get(topic, {}).items() if grade >= level}
        for name, docnos in brought.items():
            alone = docnos & once
            sizes = (len(docnos), len(alone), len(docnos & good), len(alone & good))
            found[name] = list(map(add, found[name], sizes))
    return [
        Contribution(name=name, documents=documents, alone=alone, relevant=relevant, relevant_alone=relevant_alone)
        for name, (documents, alone, relevant, relevant_alone) in found.items()
    ]


def left_out(runs: Runs, depth: int, *, teams: Mapping[str, str], grades: Grades, score: ScoreRuns) -> list[LeftOut]:
    """Return each run's value and place with all grades, and as if its team had brought no documents (Zobel 1998).

    For the second, the grades of documents that only this team brought are left out.

    ``score`` is called once with all grades, and then once for each team. The result is sorted by team, then run, and
    leaves out runs for which ``score`` returns nothing.
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
    """Yield each topic, in the order of first occurrence, with the best ranks of its documents."""
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


# What pools of several sizes would have found, judged by existing qrels.
#
# A strategy is replayed on the runs as if nobody had judged, and each document that it chooses is looked up in the
# qrels. A document that is not in the qrels counts as not relevant, and is counted: figures of a pool with many such
# documents mean little. Strategies that choose by judgments get their answers from the qrels, one document at a time.


@dataclass(frozen=True, kw_only=True, slots=True)
class Replayed:
    """One topic's pool at one budget: the numbers of its documents, of its relevant documents, and of those that nobody
    judged.

    ``known`` is the number of relevant documents in the qrels. ``budget`` is None if the strategy has no limit.
    """

    topic: str
    budget: int | None
    documents: int
    relevant: int
    unjudged: int
    known: int

    @property
    def recall(self) -> float | None:
        """The share of the known relevant documents that are in the pool; None if there are none."""
        return self.relevant / self.known if self.known else None


def replayed(
    recipe: Recipe,
    runs: Sequence[PoolRun],
    grades: Mapping[str, Mapping[str, int]],
    *,
    budgets: Sequence[int],
    relevant_from: int = 1,
) -> Iterator[Replayed]:
    """Yield each judged topic's pool at each budget, sorted by topic, then by budget. Without budgets, the recipe's own
    is used.

    ``grades`` are topic -> docno -> grade; a grade of -1 or below counts as unjudged.
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
    """Return (topic, budget) -> documents. Each topic is replayed once, up to the largest budget, which gives the
    documents at all smaller budgets too.
    """
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

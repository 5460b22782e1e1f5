"""Pools: which documents assessors will see. Pure and deterministic: the same recipe and runs give the same pool.

    depth        the first ``depth`` documents of every run (Sparck Jones and van Rijsbergen 1975)
    rrf          the best ``budget`` of a topic by reciprocal rank fusion, sum of 1 / (k + rank)   (Cormack 2009)
    rbp          the best ``budget`` by rank-biased weight, sum of (1 - p) p^(rank - 1)            (Moffat 2007)
    stratified   strata by best rank in any run, each sampled at its rate with the recipe's seed;
                 every entry carries its stratum and inclusion probability (Yilmaz et al. 2008)

Runs rank by score, ties by docno, both descending, as trec_eval does. Ties of fused scores fall to the better best
rank, then the smaller docno. `move_to_front` and `max_mean` choose documents one by one while judgments come in.
"""

from __future__ import annotations

import hashlib
import heapq
import itertools
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Literal

from scoring.formats.pool_tables import topic_order
from scoring.records import RankedDoc

Strategy = Literal["depth", "rrf", "rbp", "stratified"]
STRATEGIES: tuple[Strategy, ...] = ("depth", "rrf", "rbp", "stratified")


@dataclass(frozen=True, kw_only=True, slots=True)
class Stratum:
    """Documents whose best rank is at most ``last_rank`` (and past the stratum before), sampled at ``rate``."""

    last_rank: int
    rate: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Recipe:
    """How a pool is made. ``budget`` is the most documents of a topic; None is no limit.

    For ``depth`` a budget lowers the depth of a topic until its pool fits. ``priorities`` are those of the
    runs that contribute; None takes all runs.
    """

    strategy: Strategy = "depth"
    depth: int = 100
    budget: int | None = None
    seed: int = 0
    k: int = 60
    p: float = 0.8
    strata: tuple[Stratum, ...] = ()
    priorities: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if problem := self._problem():
            raise ValueError(problem)

    def _problem(self) -> str:
        if self.strategy not in STRATEGIES:
            return f"the strategy must be one of {', '.join(STRATEGIES)}"
        if self.depth < 1 or (self.budget is not None and self.budget < 1):
            return "depth and budget must be 1 or more"
        if self.strategy in ("rrf", "rbp") and self.budget is None:
            return f"{self.strategy} needs a budget: how many documents of each topic to take"
        if self.k < 0 or not 0 < self.p < 1:
            return "k must be 0 or more, and p between 0 and 1"
        if self.strategy == "stratified":
            ranks = [stratum.last_rank for stratum in self.strata]
            if not ranks or ranks[0] < 1 or any(a >= b for a, b in itertools.pairwise(ranks)):
                return "stratified needs strata whose last ranks rise, as in 10:1,50:0.2"
            if not all(0 < stratum.rate <= 1 for stratum in self.strata):
                return "each stratum's rate must be more than 0 and at most 1"
        return ""


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolRun:
    """One run's part in pools: for each topic its docnos, best first."""

    tag: str
    rankings: Mapping[str, Sequence[str]]
    priority: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolEntry:
    """One document to judge. ``probability`` is the chance it had to come in; ``stratum`` is "" without strata."""

    topic: str
    docno: str
    stratum: str = ""
    probability: float = 1.0


def pool_run(records: Iterable[RankedDoc], *, tag: str, priority: int | None = None) -> PoolRun:
    """A run's lines in trec_eval's order: score, then docno, both descending."""
    topics: dict[str, list[RankedDoc]] = {}
    for record in records:
        topics.setdefault(record.topic, []).append(record)
    rankings = {
        topic: tuple(r.docno for r in sorted(lines, key=lambda r: (r.score, r.docno.encode()), reverse=True))
        for topic, lines in topics.items()
    }
    return PoolRun(tag=tag, rankings=rankings, priority=priority)


def first_docnos(records: Iterable[RankedDoc], depth: int) -> dict[str, tuple[str, ...]]:
    """Topic -> the first ``depth`` docnos of a run in trec_eval's order. Streams: no more than these are held.

    Of a docno that a topic has twice, what is read first counts.
    """
    heaps: dict[str, list[tuple[float, bytes, str]]] = {}
    held: dict[str, set[str]] = {}
    for record in records:
        heap, docnos = heaps.setdefault(record.topic, []), held.setdefault(record.topic, set())
        entry = (record.score, record.docno.encode(errors="surrogatepass"), record.docno)
        if record.docno in docnos or (len(heap) >= depth and entry <= heap[0]):
            continue
        docnos.add(record.docno)
        if len(heap) < depth:
            heapq.heappush(heap, entry)
        else:
            docnos.discard(heapq.heapreplace(heap, entry)[2])
    return {topic: tuple(docno for *_, docno in sorted(heap, reverse=True)) for topic, heap in heaps.items()}


def build_pool(
    recipe: Recipe,
    runs: Iterable[PoolRun],
    *,
    union: Iterable[tuple[str, str]] = (),
    judged: Iterable[tuple[str, str]] = (),
) -> tuple[PoolEntry, ...]:
    """The pool by topic and docno.

    ``union`` are (topic, docno) that come in whatever runs say, beyond any budget; ``judged`` are left out, and do not
    give their place to others.
    """
    taken = [run for run in runs if recipe.priorities is None or run.priority in recipe.priorities]
    taken.sort(key=lambda run: run.tag)
    entries: dict[tuple[str, str], PoolEntry] = {}
    for topic in {topic for run in taken for topic in run.rankings}:
        for entry in _topic_pool(recipe, topic, [run.rankings[topic] for run in taken if topic in run.rankings]):
            entries[entry.topic, entry.docno] = entry
    for topic, docno in union:
        entries[topic, docno] = PoolEntry(topic=topic, docno=docno, stratum="listed" if recipe.strata else "")
    for pair in judged:
        entries.pop(pair, None)
    return tuple(sorted(entries.values(), key=lambda entry: (topic_order(entry.topic), entry.docno)))


def recipe_digest(recipe: Recipe, run_digests: Mapping[str, str]) -> str:
    """A digest of the recipe and of the files (tag -> sha256) that went in: equal digests, equal pools."""
    described = {"recipe": asdict(recipe), "runs": sorted(run_digests.items())}
    return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()


def pool_digest(entries: Iterable[PoolEntry]) -> str:
    """A digest of what is in a pool, whatever the order."""
    rows = sorted((e.topic, e.docno, e.stratum, repr(e.probability)) for e in entries)
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def best_ranks(rankings: Iterable[Sequence[str]]) -> dict[str, int]:
    """Docno -> its best rank, from 1, in any of the rankings."""
    best: dict[str, int] = {}
    for ranking in rankings:
        for rank, docno in enumerate(ranking, 1):
            if rank < best.get(docno, rank + 1):
                best[docno] = rank
    return best


def fused_order(rankings: Sequence[Sequence[str]], weight: Callable[[int], float]) -> list[str]:
    """Docnos by the sum of their ranks' weights, best first; ties by best rank, then docno."""
    parts: dict[str, list[float]] = {}
    for ranking in rankings:
        for rank, docno in enumerate(ranking, 1):
            parts.setdefault(docno, []).append(weight(rank))
    best = best_ranks(rankings)
    return sorted(parts, key=lambda docno: (-math.fsum(parts[docno]), best[docno], docno))


def _topic_pool(recipe: Recipe, topic: str, rankings: list[Sequence[str]]) -> list[PoolEntry]:
    if recipe.strategy == "stratified":
        return _sample(recipe, topic, rankings)
    if recipe.strategy == "depth":
        docnos = _to_depth(recipe, rankings)
    else:
        p, k = recipe.p, recipe.k
        weigh = (lambda rank: 1 / (k + rank)) if recipe.strategy == "rrf" else (lambda rank: (1 - p) * p ** (rank - 1))
        docnos = fused_order(rankings, weigh)[: recipe.budget]
    return [PoolEntry(topic=topic, docno=docno) for docno in docnos]


def _to_depth(recipe: Recipe, rankings: list[Sequence[str]]) -> list[str]:
    best = best_ranks(ranking[: recipe.depth] for ranking in rankings)
    if recipe.budget is None or len(best) <= recipe.budget:
        return list(best)
    counts = sorted(best.values())
    first_left_out = counts[recipe.budget]  # the rank at which the budget is passed
    return [docno for docno, rank in best.items() if rank < first_left_out]


def _sample(recipe: Recipe, topic: str, rankings: list[Sequence[str]]) -> list[PoolEntry]:
    """From each stratum ceil(rate × size) documents, those whose seeded digests are smallest."""
    best = best_ranks(rankings)
    entries = []
    first = 1
    for place, stratum in enumerate(recipe.strata, 1):
        members = [docno for docno, rank in best.items() if first <= rank <= stratum.last_rank]
        count = math.ceil(Fraction(str(stratum.rate)) * len(members))
        members.sort(key=lambda docno: hashlib.sha256(f"{recipe.seed}\0{topic}\0{docno}".encode()).digest())
        entries += [
            PoolEntry(topic=topic, docno=docno, stratum=str(place), probability=count / len(members))
            for docno in members[:count]
        ]
        first = stratum.last_rank + 1
    return entries


def move_to_front(rankings: Mapping[str, Sequence[str]], is_relevant: Callable[[str], bool]) -> Iterator[str]:
    """A topic's documents in the order to judge them (Cormack, Palmer and Clarke 1998).

    Stay with a run while its documents are relevant; after one that is not, its priority falls by one and the run of
    the highest priority is next (ties: the smallest tag). ``is_relevant`` is asked of each document once it was given.
    """
    left = {tag: iter(ranking) for tag, ranking in sorted(rankings.items())}
    priority = dict.fromkeys(left, 0)
    seen: set[str] = set()
    while left:
        tag = min(left, key=lambda each: (-priority[each], each))
        for docno in left[tag]:
            if docno in seen:
                continue
            seen.add(docno)
            yield docno
            if not is_relevant(docno):
                priority[tag] -= 1
                break
        else:
            del left[tag]


def max_mean(rankings: Mapping[str, Sequence[str]], is_relevant: Callable[[str], bool]) -> Iterator[str]:
    """A topic's documents in the order to judge them: always from the run whose share of relevant ones is greatest.

    The share is the mean of Beta(1 + relevant, 1 + not relevant) over the run's own draws (Losada et al. 2016);
    ties: the smallest tag. ``is_relevant`` is asked of each document once it was given.
    """
    left = {tag: iter(ranking) for tag, ranking in sorted(rankings.items())}
    draws = {tag: [1, 2] for tag in left}
    seen: set[str] = set()
    while left:
        tag = min(left, key=lambda each: (-Fraction(*draws[each]), each))
        docno = next((each for each in left[tag] if each not in seen), None)
        if docno is None:
            del left[tag]
            continue
        seen.add(docno)
        yield docno
        draws[tag][0] += is_relevant(docno)
        draws[tag][1] += 1

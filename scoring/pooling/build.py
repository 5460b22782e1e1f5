"""Builds the documents of a pool from a recipe and runs, topic by topic."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from scoring.formats.pool_tables import topic_order
from scoring.pooling.online import OnlinePool
from scoring.pooling.ranks import PoolRun, best_ranks, depth_order, fused_order
from scoring.pooling.recipe import ONLINE, PoolEntry, Recipe

Judged = Mapping[tuple[str, str], bool]
"""(topic, docno) -> whether it is relevant."""


def pool_entries(
    recipe: Recipe, runs: Iterable[PoolRun], *, union: Iterable[tuple[str, str]] = (), judged: Judged | None = None
) -> Iterator[PoolEntry]:
    """Yield the pool's documents by topic. Within a topic they are sorted by docno, or by the order of judging if
    judgments choose the next document.

    ``union`` are (topic, docno) pairs that are always included, even beyond the budget; in a stratified pool their
    stratum is "listed" and their probability 1. Documents in ``judged`` are left out, and no other documents take their
    places. For move-to-front and max-mean these judgments also decide which documents come next. The pool is made topic
    by topic, so that only the runs are held in memory.
    """
    judged = judged or {}
    topics: dict[str, dict[str, Sequence[str]]] = {}
    for run in sorted(runs, key=lambda run: run.tag):
        depth = recipe.depth_for(run.priority)
        if depth != 0:
            for topic, ranking in run.rankings.items():
                topics.setdefault(topic, {})[run.tag] = ranking[:depth]
    listed: dict[str, list[str]] = {}
    for topic, docno in union:
        listed.setdefault(topic, []).append(docno)
    known: dict[str, list[tuple[str, str, bool]]] = {}
    if recipe.strategy in ONLINE:
        for (topic, docno), relevant in judged.items():
            known.setdefault(topic, []).append((topic, docno, relevant))
    for topic in sorted(topics.keys() | listed.keys(), key=topic_order):
        rankings = topics.get(topic, {})
        entries = {e.docno: e for e in _topic_pool(recipe, topic, rankings, known.get(topic, ()))}
        stratum = "listed" if recipe.strategy == "stratified" else ""
        entries |= {
            docno: PoolEntry(topic=topic, docno=docno, stratum=stratum) for docno in sorted(listed.get(topic, ()))
        }
        names = entries if recipe.strategy in ONLINE else sorted(entries)
        yield from (entries[docno] for docno in names if (topic, docno) not in judged)


def _topic_pool(
    recipe: Recipe, topic: str, by_run: Mapping[str, Sequence[str]], known: Iterable[tuple[str, str, bool]]
) -> list[PoolEntry]:
    rankings = list(by_run.values())
    if recipe.strategy == "stratified":
        return _sample(recipe, topic, rankings)
    if recipe.strategy in ("depth", "priority"):
        docnos = _to_depth(recipe.budget, rankings)
    elif recipe.strategy == "depth-order":
        docnos = depth_order(rankings)[: recipe.budget]
    elif recipe.strategy in ONLINE:
        online = OnlinePool(recipe.strategy, {topic: by_run}, judgments=known)
        docnos = online.next_documents(topic, recipe.budget or 1)
    else:
        p, k = recipe.p, recipe.k
        weigh = (lambda rank: 1 / (k + rank)) if recipe.strategy == "rrf" else (lambda rank: (1 - p) * p ** (rank - 1))
        combine = math.fsum if recipe.combine == "sum" else max
        docnos = fused_order(rankings, weigh, combine=combine)[: recipe.budget]
    return [PoolEntry(topic=topic, docno=docno) for docno in docnos]


def _to_depth(budget: int | None, rankings: list[Sequence[str]]) -> list[str]:
    """Return all documents of the rankings if they fit the budget. Otherwise return the documents down to the lowest
    rank at which all of them still fit the budget.
    """
    together = set().union(*rankings)
    if budget is None or len(together) <= budget:
        return list(together)
    best = best_ranks(rankings)
    first_left_out = sorted(best.values())[budget]
    return [docno for docno, rank in best.items() if rank < first_left_out]


def _sample(recipe: Recipe, topic: str, rankings: list[Sequence[str]]) -> list[PoolEntry]:
    """Return the documents sampled from each stratum: ceil(rate × size) of them, those with the smallest seeded
    digests.
    """
    if recipe.strata_by == "rank":
        left = best_ranks(rankings)
    else:  # more runs mean an earlier stratum: negated, as bounds are
        left = {docno: -count for docno, count in Counter(d for ranking in rankings for d in set(ranking)).items()}
    entries = []
    for place, stratum in enumerate(recipe.strata, 1):
        bound = stratum.bound if recipe.strata_by == "rank" else -stratum.bound
        members = [docno for docno, value in left.items() if value <= bound]
        for docno in members:
            del left[docno]
        count = math.ceil(Fraction(str(stratum.rate)) * len(members))
        members.sort(key=lambda docno: (_lot(recipe.seed, topic, docno), docno))
        entries += [
            PoolEntry(topic=topic, docno=docno, stratum=str(place), probability=count / len(members))
            for docno in members[:count]
        ]
    return entries


def _lot(seed: int, topic: str, docno: str) -> bytes:
    """Return a pseudo-random key of a document. The same seed, topic and docno always give the same key."""
    return hashlib.sha256(f"{seed}\0{topic}\0{docno}".encode(errors="surrogatepass")).digest()

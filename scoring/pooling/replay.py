"""What pools of several sizes would have found, told by judgments that are there already.

A strategy is played on the runs as if nobody had judged; each document that it chooses is looked up in the qrels. What
the qrels do not judge counts as not relevant, and is counted: figures of a pool with many such documents say little.
Strategies that choose by judgments are answered from the qrels, one document at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scoring.formats.pool_tables import topic_order
from scoring.pooling.build import pool_entries
from scoring.pooling.online import simulated
from scoring.pooling.ranks import PoolRun
from scoring.pooling.recipe import ONLINE, Recipe


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
    """Each judged topic's pool at each budget, by topic, then by budget; without budgets, the recipe as it is.

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

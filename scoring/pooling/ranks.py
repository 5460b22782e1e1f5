"""Runs as pools see them: for each topic the docnos, best first; and orders made of several such rankings."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from scoring.records import RankedDoc

Rankings = Mapping[str, Sequence[str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolRun:
    """One run's part in pools: for each topic its docnos, best first. ``priority`` is None where nobody said one."""

    tag: str
    rankings: Rankings
    priority: int | None = None


def first_docnos(records: Iterable[RankedDoc], depth: int) -> dict[str, tuple[str, ...]]:
    """Topic -> the first ``depth`` docnos of a run in trec_eval's order. Streams: no more than these are held.

    Of a docno that a topic has twice, what is read first counts.
    """
    heaps: dict[str, list[tuple[float, bytes, str]]] = {}
    held: dict[str, set[str]] = {}
    for record in records:
        heap, docnos = heaps.setdefault(record.topic, []), held.setdefault(record.topic, set())
        entry = (record.score, _bytes(record.docno), record.docno)
        if record.docno in docnos or (len(heap) >= depth and entry <= heap[0]):
            continue
        docnos.add(record.docno)
        if len(heap) < depth:
            heapq.heappush(heap, entry)
        else:
            docnos.discard(heapq.heapreplace(heap, entry)[2])
    return {topic: tuple(docno for *_, docno in sorted(heap, reverse=True)) for topic, heap in heaps.items()}


class TopDocnos:
    """The first docnos of each topic of a run, gathered while its lines are read, in any order.

    No more than twice ``depth`` lines of a topic are held at once, beside those just given; None holds all.
    Documents must not come twice, as `scoring.formats.run_blocks` sees to.
    """

    def __init__(self, depth: int | None) -> None:
        self._depth = depth
        self._held: dict[str, list[tuple[float, str]]] = {}

    def add(self, topic: str, docnos: Sequence[str], scores: Sequence[float]) -> None:
        """Some more lines of a topic. Of more than ``depth`` no docno is looked at that others are before."""
        held = self._held.setdefault(topic, [])
        if self._depth is not None and len(scores) > self._depth:
            import numpy as np

            from scoring.reading.word_columns import Words

            values = np.asarray(scores)
            places = np.flatnonzero(values >= np.partition(values, -self._depth)[-self._depth])
            first = docnos.at(places) if isinstance(docnos, Words) else [docnos[each] for each in places.tolist()]
            held.extend(zip(values[places].tolist(), first, strict=True))
        else:
            held.extend(zip(map(float, scores), docnos, strict=True))
        if self._depth is not None and len(held) > 2 * self._depth:
            held.sort(reverse=True)
            del held[self._depth :]

    def rankings(self) -> dict[str, tuple[str, ...]]:
        """Topic -> docnos in trec_eval's order; text sorts by code points as its UTF-8 does by bytes."""
        return {
            topic: tuple(docno for _, docno in sorted(held, reverse=True)[: self._depth])
            for topic, held in self._held.items()
        }


def best_ranks(rankings: Iterable[Sequence[str]]) -> dict[str, int]:
    """Docno -> its best rank, from 1, in any of the rankings.

    >>> best_ranks([["a", "b"], ["b", "c"]])
    {'a': 1, 'b': 1, 'c': 2}
    """
    best: dict[str, int] = {}
    for ranking in rankings:
        for rank, docno in enumerate(ranking, 1):
            if rank < best.get(docno, rank + 1):
                best[docno] = rank
    return best


def depth_order(rankings: Iterable[Sequence[str]]) -> list[str]:
    """Docnos by their best rank in any of the rankings; then by how many return them, most first; then by docno.

    >>> depth_order([["a", "b"], ["c", "b"], ["c", "d"]])
    ['c', 'a', 'b', 'd']
    """
    rankings = list(rankings)
    best = best_ranks(rankings)
    count = Counter(docno for ranking in rankings for docno in ranking)
    return sorted(best, key=lambda docno: (best[docno], -count[docno], docno))


def fused_order(
    rankings: Sequence[Sequence[str]],
    weight: Callable[[int], float],
    *,
    combine: Callable[[list[float]], float] = math.fsum,
) -> list[str]:
    """Docnos by the sum (or else) of their ranks' weights, best first; ties by best rank, then docno.

    The order of the rankings does not matter: `math.fsum` rounds once.
    """
    weights = [weight(rank) for rank in range(1, max(map(len, rankings), default=0) + 1)]
    parts: dict[str, list[float]] = {}
    for ranking in rankings:
        for value, docno in zip(weights, ranking, strict=False):
            parts.setdefault(docno, []).append(value)
    best = best_ranks(rankings)
    return sorted(parts, key=lambda docno: (-combine(parts[docno]), best[docno], docno))


def _bytes(docno: str) -> bytes:
    return docno.encode(errors="surrogatepass")

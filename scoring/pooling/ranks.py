"""Holds runs in the form that pools need, with each topic's docnos best first, and merges several rankings into one
order.
"""

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
    """A run in the form in which pools use it: for each topic its docnos, best first. ``priority`` is None if the run
    has none.
    """

    tag: str
    rankings: Rankings
    priority: int | None = None


def first_docnos(records: Iterable[RankedDoc], depth: int) -> dict[str, tuple[str, ...]]:
    """Return topic -> the first ``depth`` docnos of a run (at least 1) by score, then docno, both descending.

    The run is streamed, and only these docnos are held. A docno that a topic has twice is in the result once, but not
    always at the better of its scores.
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


class TopDocnos:
    """Collects the first docnos of each topic of a run while its lines are read, in any order.

    At most 2 × ``depth`` lines of a topic are held in memory, besides those just added. If ``depth`` is None, all lines
    are held. Documents must not be repeated; `scoring.formats.run_blocks` makes sure of that.
    """

    def __init__(self, depth: int | None) -> None:
        self._depth = depth
        self._held: dict[str, list[tuple[float, str]]] = {}

    def add(self, topic: str, docnos: Sequence[str], scores: Sequence[float]) -> None:
        """Add some lines of a topic. Docnos that can't be among the first ``depth`` are not even decoded."""
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
        """Return topic -> docnos by score, then docno, both descending. Docnos are compared as UTF-8 bytes, which gives
        the same order as comparing their code points.
        """
        return {
            topic: tuple(docno for _, docno in sorted(held, reverse=True)[: self._depth])
            for topic, held in self._held.items()
        }


def best_ranks(rankings: Iterable[Sequence[str]]) -> dict[str, int]:
    """Return docno -> its best rank in any of the rankings, from 1.

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
    """Return docnos sorted by their best rank in any of the rankings. Docnos with the same best rank are sorted by the
    number of rankings that have them (most first), then by docno.

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
    """Return docnos sorted by the combined weights of their ranks (by default their sum), best first. Ties are broken
    by the best rank, then by docno.

    The order of the rankings does not matter, since `math.fsum` rounds only once.
    """
    weights = [weight(rank) for rank in range(1, max(map(len, rankings), default=0) + 1)]
    parts: dict[str, list[float]] = {}
    for ranking in rankings:
        for value, docno in zip(weights, ranking, strict=False):
            parts.setdefault(docno, []).append(value)
    best = best_ranks(rankings)
    return sorted(parts, key=lambda docno: (-combine(parts[docno]), best[docno], docno))

"""What a sample of a pool says about all of it: measures inferred from documents drawn with known probabilities.

    relevant     sum over sampled relevant documents of 1 / p                            (Horvitz and Thompson 1952)
    precision@k  the same over the first k documents, divided by k
    AP           statAP, a sum of precisions over a number of relevant documents, each estimated:
                 [ sum_i 1 / (p_i r_i)  +  sum_{i<j} 1 / (p_ij r_j) ] / relevant         (Pavlu and Aslam 2007)
    infAP        trec_eval's, of a pool sampled at one rate: grades with -1 for what the sample left out

p_i is the chance of document i to be sampled, p_ij that of i and j together, r the rank; i, j are relevant and sampled,
i ranked before j. In a stratum of N documents of which n are drawn p_i = n / N and p_ij = n (n - 1) / (N (N - 1)); for
documents of different strata p_ij = p_i p_j. The first two and the sum of precisions are unbiased over all samples,
provided that strata from which any is left out are drawn from at least twice (else their pairs are never seen); statAP
is a ratio of two such numbers, so it is only nearly so. With everything sampled all are equal to the exact values.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from scoring.pooling.recipe import PoolEntry

UNSAMPLED = -1
"""The grade of a document that is in the pool and was not drawn, as trec_eval's infAP reads it."""


class TopicSample:
    """The sampled documents of one topic, and which of them are relevant.

    ``entries`` must be all that were drawn, judged before or not: how many of a stratum there are is counted here.
    Relevant documents that were not drawn have no weight.

    >>> drawn = [PoolEntry(topic="1", docno=docno, stratum="1", probability=0.5) for docno in "ab"]
    >>> TopicSample(drawn, relevant={"a"}).relevant()
    2.0
    """

    def __init__(self, entries: Iterable[PoolEntry], *, relevant: Collection[str]) -> None:
        self._entries = {entry.docno: entry for entry in entries}
        if len({entry.topic for entry in self._entries.values()}) > 1:
            raise ValueError("a sample is of one topic")
        self._relevant = frozenset(relevant) & self._entries.keys()
        self._drawn = Counter(entry.stratum for entry in self._entries.values())

    def relevant(self) -> float:
        """The estimated number of relevant documents in the pool."""
        return math.fsum(1 / self._entries[docno].probability for docno in self._relevant)

    def precision(self, ranking: Sequence[str], k: int) -> float:
        """Estimated precision at k; divides by k even where the ranking is shorter."""
        found = self._relevant.intersection(ranking[:k])
        return math.fsum(1 / self._entries[docno].probability for docno in found) / k

    def sum_of_precisions(self, ranking: Sequence[str]) -> float:
        """The estimated sum of the precisions at the ranks of relevant documents."""
        parts: list[float] = []
        before: list[PoolEntry] = []
        for rank, docno in enumerate(ranking, 1):
            if docno in self._relevant:
                entry = self._entries[docno]
                parts.append(1 / (entry.probability * rank))
                parts += [1 / (self._together(other, entry) * rank) for other in before]
                before.append(entry)
        return math.fsum(parts)

    def average_precision(self, ranking: Sequence[str]) -> float | None:
        """Estimated AP (statAP); None where the sample has no relevant document."""
        return self.sum_of_precisions(ranking) / self.relevant() if self._relevant else None

    def _together(self, one: PoolEntry, other: PoolEntry) -> float:
        """The chance of two documents, both drawn, to be drawn together: with two drawn it is more than 0."""
        if one.stratum != other.stratum:
            return one.probability * other.probability
        drawn = self._drawn[one.stratum]
        size = round(drawn / one.probability)
        return drawn * (drawn - 1) / (size * (size - 1))


def sampled_grades(
    pool: Iterable[tuple[str, str]], sample: Iterable[tuple[str, str]], grades: Mapping[str, Mapping[str, int]]
) -> dict[str, dict[str, int]]:
    """Grades as infAP takes them: of the sampled documents as judged, and -1 for others of the pool.

    Documents are (topic, docno); a sampled one that has no grade counts as not drawn.

    >>> sampled_grades([("1", "a"), ("1", "b")], [("1", "a")], {"1": {"a": 1, "b": 1}})
    {'1': {'a': 1, 'b': -1}}
    """
    found: dict[str, dict[str, int]] = {}
    for topic, docno in pool:
        found.setdefault(topic, {})[docno] = UNSAMPLED
    for topic, docno in sample:
        found.setdefault(topic, {})[docno] = grades.get(topic, {}).get(docno, UNSAMPLED)
    return found

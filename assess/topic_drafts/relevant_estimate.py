"""Estimate the number of relevant documents for a topic from the first documents of one search.

Assessors of evaluations judge the first documents of a search before a topic is chosen. A topic with hardly any
relevant document, or with very many, says little about systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

FEWEST = 10
"""The least number of judged documents for an estimate of the unread ones."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """The result for the first ``judged`` documents of a search, of which ``relevant`` are relevant.

    ``found`` is the number of all documents that the search finds, and ``all_relevant`` the probable number of relevant
    ones among them; None if too few were judged. ``ranked`` names the judged documents, best first.
    """

    query: str
    judged: int
    relevant: int
    found: int
    all_relevant: int | None
    ranked: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The estimate as a sentence.

        >>> Estimate(query="kite", judged=1, relevant=1, found=1200, all_relevant=None).words
        '“kite”: 1 of the first 1 document relevant; 1,200 found.'
        """
        first = f"{self.judged:,} document{'' if self.judged == 1 else 's'}"
        said = f"“{self.query}”: {self.relevant:,} of the first {first} relevant"
        if self.all_relevant is None:
            return f"{said}; {self.found:,} found."
        return f"{said}, about {self.all_relevant:,} of {self.found:,} found."


def estimate_from(*, query: str, ranked: Sequence[tuple[str, bool]], found: int) -> Estimate:
    """Return the estimate from the first documents of a search with ``found`` hits. ``ranked`` are these documents as
    (docno, whether it is relevant), best first.
    """
    values = [is_relevant for _, is_relevant in ranked]
    return Estimate(
        query=query,
        judged=len(values),
        relevant=sum(values),
        found=found,
        all_relevant=estimate_relevant(values, found),
        ranked=tuple(docno for docno, _ in ranked),
    )


def estimate_relevant(judged: Sequence[bool], found: int) -> int | None:
    """Return how many of ``found`` ranked documents are relevant, when the first of them were judged as given, best
    first.

    The judged documents are divided into two halves, and the other documents into blocks of that size. From the first
    half to the second, the share of relevant documents changes by some factor. It is assumed to change by this factor
    from each block to the next, but never to grow. Return None if fewer than ten documents were judged and more were
    found.

    >>> estimate_relevant([True] * 5 + [False] * 5, 100)
    5
    >>> estimate_relevant([True] * 4 + [False] + [True, False, True, False, False], 100)
    8
    >>> estimate_relevant([True] * 10, 40)
    40
    >>> estimate_relevant([True, False], 100) is None, estimate_relevant([True, False], 2)
    (True, 1)
    """
    relevant, left = sum(judged), found - len(judged)
    if left <= 0:
        return relevant
    if len(judged) < FEWEST:
        return None
    half = len(judged) // 2
    first, second = sum(judged[:half]) / half, sum(judged[half:]) / (len(judged) - half)
    falls = min(second / first, 1.0) if first else 1.0
    beyond, share, block = 0.0, second, len(judged) - half
    while left > 0 and share > 1e-6:
        share *= falls
        beyond += share * min(block, left)
        left -= block
    return relevant + round(beyond)

"""Remembers which documents a file named for each topic, so that repeated ones can be reported."""

from __future__ import annotations

from array import array
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scoring.reading.word_columns import Whole, Words


class Documents:
    """The documents that occurred in each topic, stored as 64-bit hashes.

    Two documents of a topic may have equal hashes: with a thousand documents a topic, once in 10^13 topics. Up to
    `HELD` documents are stored in sets. Beyond that, the topics read before are packed, at 8 bytes a document; if a
    file returns to them `RETURNS` times, sets are used again.
    """

    HELD = 200_000
    RETURNS = 10_000

    def __init__(self) -> None:
        self._live: dict[str, set[int]] = {}
        self._packed: dict[str, array[int]] = {}
        self._topic: str | None = None
        self._seen: set[int] = set()
        self._held = self._returns = 0

    def add(self, topic: str, docno: str) -> bool:
        """Add a document and return whether it is new in its topic."""
        if topic != self._topic:
            self._turn_to(topic)
        key = hash(docno)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _turn_to(self, topic: str) -> None:
        self._held += len(self._seen)
        if self._held > self.HELD and self._returns < self.RETURNS:
            self._packed.update((each, array("q", seen)) for each, seen in self._live.items())
            self._live, self._held = {}, 0
        if topic in self._packed:
            self._live[topic] = set(self._packed.pop(topic))
            self._returns += 1
        self._topic, self._seen = topic, self._live.setdefault(topic, set())


class DocumentsInBlocks:
    """The documents in lines that are read many at a time. A document takes 8 bytes, as long as the lines of each topic
    are contiguous.
    """

    def __init__(self) -> None:
        self._last: str | None = None
        self._hashes: dict[str, list[Whole]] = {}
        self._sets: dict[str, set[int]] = {}

    def add(self, topics: Words, docnos: Words) -> list[tuple[str, int, int]] | None:
        """Add the documents of lines. Return each topic's name with the bounds of its lines.

        Return None and add nothing if a document is repeated or a line returns to a topic that had ended.
        """
        import numpy as np

        bounds = [0, *topics.changes().tolist(), len(topics)]
        names = [topics[begin] for begin in bounds[:-1]]
        later = names[1:] if names[0] == self._last else names
        if len(set(names)) < len(names) or not self._hashes.keys().isdisjoint(later):
            return None
        hashes = docnos.hashes()
        parts = [hashes[begin:end] for begin, end in pairwise(bounds)]
        earlier = self._hashes.get(names[0], [])
        if any(map(_has_repeats, (np.concatenate([*earlier, parts[0]]), *parts[1:]))):
            return None
        for name, part in zip(names, parts, strict=True):
            self._hashes.setdefault(name, []).append(part)
        self._last = names[-1]
        return [(name, begin, end) for name, (begin, end) in zip(names, pairwise(bounds), strict=True)]

    def has(self, topic: str, docno: str) -> bool:
        """Return whether the document was added to the topic. The first call for a topic takes longer, in proportion to
        the number of its documents.
        """
        if topic not in self._hashes:
            return False
        from scoring.reading.word_columns import hash_of

        if topic not in self._sets:
            self._sets[topic] = {each for some in self._hashes[topic] for each in some.tolist()}
        return hash_of(docno) in self._sets[topic]


def _has_repeats(hashes: Whole) -> bool:
    import numpy as np

    ordered = np.sort(hashes)
    return bool((ordered[1:] == ordered[:-1]).any())

"""Which documents a file named for which topic, so that one that comes again is told."""

from __future__ import annotations

from array import array


class Documents:
    """Which documents came in which topic, as their 64-bit hashes: two of a topic's thousand would be taken for one
    once in 10^13 topics. Beyond `HELD`, topics that are over take 8 bytes a document; a file that goes back to them
    again and again, line by line, is held as sets instead.
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
        """Add a document; whether it is new in its topic."""
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

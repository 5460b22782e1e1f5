"""Holds the grades of very many documents for scoring, packed by topic; only a few topics are unpacked at a time."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping

APART = "\0"
"""The separator of packed docnos, which no docno contains since no database stores it."""


class PackedGrades(Mapping[str, Mapping[str, int]]):
    """A mapping of topic -> docno -> grade that needs a sixth of the memory of dictionaries.

    The grades of a topic are packed when those of another topic arrive, and are unpacked again at each look-up. A topic
    that arrives again after others stays unpacked, so that grades in any order are added equally fast. Grades have at
    most nine digits.
    """

    def __init__(self) -> None:
        self._topics: dict[str, dict[str, int] | tuple[str, array[int]]] = {}
        self._returned: set[str] = set()
        self._topic: str | None = None
        self._in_hand: dict[str, int] = {}

    def add(self, topic: str, docno: str, grade: int) -> None:
        """Store a grade. It replaces an earlier grade of the same document."""
        if topic != self._topic:
            self._turn_to(topic)
        self._in_hand[docno] = grade

    def __getitem__(self, topic: str) -> dict[str, int]:
        return _unpacked(self._topics[topic])

    def __contains__(self, topic: object) -> bool:
        return topic in self._topics  # the default of Mapping would unpack the topic

    def __iter__(self) -> Iterator[str]:
        return iter(self._topics)

    def __len__(self) -> int:
        return len(self._topics)

    def _turn_to(self, topic: str) -> None:
        if self._topic is not None and self._topic not in self._returned:
            self._topics[self._topic] = _packed(self._in_hand)
        if topic in self._topics:
            self._returned.add(topic)
        self._topics[topic] = self._in_hand = _unpacked(self._topics.get(topic, {}))
        self._topic = topic


def _packed(grades: dict[str, int]) -> dict[str, int] | tuple[str, array[int]]:
    docnos = APART.join(grades)
    return (docnos, array("i", grades.values())) if docnos.count(APART) == len(grades) - 1 else grades


def _unpacked(kept: dict[str, int] | tuple[str, array[int]]) -> dict[str, int]:
    if isinstance(kept, dict):
        return kept
    docnos, grades = kept
    return dict(zip(docnos.split(APART), grades, strict=True))

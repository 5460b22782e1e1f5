"""Holds values by topic, those of a topic packed once another topic arrives."""

from __future__ import annotations

from abc import abstractmethod
from typing import Generic, TypeVar

Value = TypeVar("Value")
Packed = TypeVar("Packed")


class PackedTopics(Generic[Value, Packed]):
    """Values by topic and key. A topic's values are packed when `turn_to` is called for another topic.

    If a topic is turned to again after others, it stays unpacked, so that values in any order are added equally fast.
    """

    def __init__(self) -> None:
        self.topics: dict[str, dict[str, Value] | Packed] = {}
        self._returned: set[str] = set()
        self._topic: str | None = None
        self._in_hand: dict[str, Value] = {}

    def turn_to(self, topic: str) -> dict[str, Value]:
        """Return the values of a topic. Values may be added to them until the next topic is turned to."""
        if topic != self._topic:
            if self._topic is not None and self._topic not in self._returned:
                self.topics[self._topic] = self.pack(self._in_hand)
            if topic in self.topics:
                self._returned.add(topic)
            self.topics[topic] = self._in_hand = self.unpack(self.topics.get(topic, {}))
            self._topic = topic
        return self._in_hand

    @abstractmethod
    def pack(self, values: dict[str, Value]) -> dict[str, Value] | Packed:
        """Return the values as they are held while other topics arrive."""

    @abstractmethod
    def unpack(self, kept: dict[str, Value] | Packed) -> dict[str, Value]:
        """Return the values that `pack` returned, packed or not, as a dictionary."""

"""Stores recorded acts on disk, topic by topic, so that memory never holds those of more than one topic."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from dataclasses import fields
from operator import attrgetter, itemgetter
from typing import IO, Any

from scoring.release.recorded_acts import ORDER, RecordedAct

NAMES = {kind: tuple(field.name for field in fields(kind)) for kind in ORDER}
VALUES = {kind: attrgetter(*names) for kind, names in NAMES.items()}
"""The functions that return the values of an act, in order, by kind."""

NumberedAct = tuple[int, RecordedAct]
"""The number of a line, and its act."""


class KeptActs:
    """Acts with their line numbers, stored as plain values, which can be read several times as fast as acts.

    The acts of each kind are stored separately, so that code that needs one kind does not read the others.
    """

    def __init__(self, kept: IO[bytes]) -> None:
        self._kept = kept
        self.topics: dict[str, dict[type, list[int]]] = {}

    def add(self, topic: str, acts: Iterable[NumberedAct]) -> None:
        """Store some acts of a topic after those stored before."""
        self._kept.seek(0, 2)
        places = self.topics.setdefault(topic, {})
        packed: dict[type, list[tuple[int, Any]]] = {}
        for number, act in acts:
            packed.setdefault(type(act), []).append((number, VALUES[type(act)](act)))
        for kind, some in packed.items():
            places.setdefault(kind, []).append(self._kept.tell())
            pickle.dump(some, self._kept, protocol=pickle.HIGHEST_PROTOCOL)

    def of_topic(self, topic: str, *kinds: type) -> list[NumberedAct]:
        """Return the acts of one topic in the order of their lines. If kinds are given, return only acts of these
        kinds.
        """
        places = self.topics.get(topic, {})
        found: list[NumberedAct] = []
        for kind in kinds or tuple(places):
            names = NAMES[kind]
            for place in places.get(kind, ()):
                self._kept.seek(place)
                packed = pickle.load(self._kept)  # noqa: S301 (what this process wrote, in a file without a name)
                found += [(line, kind(**dict(zip(names, said, strict=True)))) for line, said in packed]
        return sorted(found, key=itemgetter(0))

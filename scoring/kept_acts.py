"""Recorded acts kept on the disk, topic by topic, so that memory never holds those of more than one topic."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from dataclasses import fields
from operator import attrgetter
from typing import IO

from scoring.recorded_acts import ORDER, RecordedAct

NAMES = {kind: tuple(field.name for field in fields(kind)) for kind in ORDER}
VALUES = {kind: attrgetter(*names) for kind, names in NAMES.items()}
"""What acts of each kind say, in order."""

NumberedAct = tuple[int, RecordedAct]
"""The number of a line and what it says."""


class KeptActs:
    """Acts with the numbers of their lines, kept as plain values, which are read several times as fast as acts."""

    def __init__(self, kept: IO[bytes]) -> None:
        self._kept = kept
        self.topics: dict[str, list[int]] = {}

    def add(self, topic: str, acts: Iterable[NumberedAct]) -> None:
        """Keep some acts of a topic behind those that were kept of it before."""
        self._kept.seek(0, 2)
        self.topics.setdefault(topic, []).append(self._kept.tell())
        packed = [(number, type(act), VALUES[type(act)](act)) for number, act in acts]
        pickle.dump(packed, self._kept, protocol=pickle.HIGHEST_PROTOCOL)

    def of_topic(self, topic: str) -> list[NumberedAct]:
        """Return the acts of one topic in their order; none where nothing was said of it."""
        found: list[NumberedAct] = []
        for place in self.topics.get(topic, ()):
            self._kept.seek(place)
            packed = pickle.load(self._kept)  # noqa: S301 (what this process itself wrote, in a file without a name)
            found += [(line, kind(**dict(zip(NAMES[kind], said, strict=True)))) for line, kind, said in packed]
        return found

"""Lines to replay, topic by topic: in memory, or on disk if there may be a million."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, starmap
from typing import IO

from assess.replay.session import ReplayLine
from scoring.release.kept_acts import KeptActs, NumberedAct


class HeldLines:
    """Holds the lines to replay in memory."""

    def __init__(self, lines: Sequence[ReplayLine]) -> None:
        self._lines: dict[str, list[ReplayLine]] = {}
        for line in lines:
            self._lines.setdefault(line.act.topic, []).append(line)
        self.topics = {number: len(found) for number, found in self._lines.items()}
        """The number of lines of each topic, by its number."""

    def __len__(self) -> int:
        return sum(self.topics.values())

    def of_topic(self, number: str) -> list[ReplayLine]:
        """Return the lines of one topic, in order. The topic must be one of `topics`."""
        return self._lines[number]


class KeptLines:
    """Holds the lines to replay in a temporary file, so that only those of one topic are in memory."""

    def __init__(self, kept: IO[bytes]) -> None:
        self._kept = KeptActs(kept)
        self.topics: Counter[str] = Counter()
        """The number of lines of each topic, by its number."""

    def add(self, acts: Sequence[NumberedAct]) -> None:
        """Append some acts with the numbers of their lines."""
        for topic, same in groupby(acts, key=lambda numbered: numbered[1].topic):
            found = list(same)
            self.topics[topic] += len(found)
            self._kept.add(topic, found)

    def __len__(self) -> int:
        return self.topics.total()

    def of_topic(self, number: str) -> list[ReplayLine]:
        """Return the lines of one topic, in order. The topic must be one of `topics`."""
        return list(starmap(ReplayLine, self._kept.of_topic(number)))


def pieces_of(lines: HeldLines | KeptLines, *, order: Iterable[str], at_most: int) -> Iterator[list[str]]:
    """Yield topic numbers in groups. The lines of a group are together at most ``at_most``, unless it is one larger
    topic.

    Topics are in this ``order``; those that are not in it come last.
    """
    piece: list[str] = []
    count = 0
    for number in dict.fromkeys([*(each for each in order if each in lines.topics), *lines.topics]):
        size = lines.topics[number]
        if piece and count + size > at_most:
            yield piece
            piece, count = [], 0
        piece.append(number)
        count += size
    if piece:
        yield piece

"""Counts members of JSON objects that are not used, and names each once with its count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Any

from scoring.records import Issue

SHOWN = 20
"""The most names that are shown."""


class UnusedMembers:
    """The names of members that Assay found but does not use, with their counts."""

    def __init__(self) -> None:
        self._counts = Counter[str]()

    def look(self, written: Mapping[str, Any], used: AbstractSet[str], *, inside: str = "") -> None:
        """Count the members of an object that are not among ``used``; ``inside`` is the path of the object."""
        if not written.keys() <= used:
            self._counts.update(f"{inside}{name[:40]}" for name in written if name not in used)

    def issues(self, words: str = "Members of which nothing is made") -> Iterator[Issue]:
        """Yield a note with the names of the members, if there are any."""
        if self._counts:
            names = ", ".join(f"{name} ({count:,})" for name, count in islice(self._counts.items(), SHOWN))
            yield Issue(where="", code="unused", message=f"{words}: {names}.", severity="note")

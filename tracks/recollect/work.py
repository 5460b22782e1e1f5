"""Read who had which work from the lines of work.jsonl."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.release.recorded_acts import RecordedAct

ROLES = {"": "primary"}
"""The roles of work that have another name in acts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """Work that somebody had, with the number of its line.

    ``chain`` is the same for all work in a chain of hand-overs, whose acts count as those of one person. ``is_live`` is
    true if the person, or one who continues the work, still has it.
    """

    place: int
    chain: int | str
    is_live: bool = True


class Work:
    """Who had which work, as read from work.jsonl: which work continues which, who had it last, and who still
    has it.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self._last: dict[tuple[str, str, str, str], tuple[int, int]] = {}
        self._live: dict[int, int] = {}
        starts: dict[int, int] = {}
        for number, row in enumerate(rows, start=1):
            starts[number] = starts.get(row.get("after") or 0, number)
            self._last[row["topic"], row["stage"], row["by"], row["role"]] = (number, starts[number])
            if row.get("state") != "returned":
                self._live[starts[number]] = number

    def has(self, topic: str, stage: str, act: RecordedAct) -> bool:
        """Return whether the person who did an act had work of this stage, in the role in which they did it."""
        return self._place(topic, stage, act) in self._last

    def held(self, topic: str, stage: str, act: RecordedAct) -> Held:
        """Return the newest work that the person of an act had on this topic and stage, in the role of the act. If they
        had none, return work with the number 0 that is in a chain of its own.
        """
        place, chain = self._last.get(self._place(topic, stage, act), (0, act.by))
        is_live = not isinstance(chain, int) or self._live.get(chain, 0) >= place
        return Held(place=place, chain=chain, is_live=is_live)

    def _place(self, topic: str, stage: str, act: RecordedAct) -> tuple[str, str, str, str]:
        return topic, stage, act.by, ROLES.get(act.role, act.role)

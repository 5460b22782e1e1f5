"""Topics that files give more than once, each time with other gold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assess.protocol.records import TopicRecord

Findings = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenTwice:
    """How the organiser chooses what counts of such topics. The choice is about gold, never about what is judged.

    ``findings(topic)`` is what each of them had, in file order; fewer than two where nothing is to be chosen.
    ``setting`` names the track's setting that holds for all of them, and ``chosen_setting`` the one with
    `number=choice` for single ones. ``choices`` maps each of "last", "first" and "all" to what it gives.
    """

    noun: str  # "claim"
    setting: str
    chosen_setting: str
    findings: Callable[[TopicRecord], Findings]
    choices: Mapping[str, Callable[[Findings], tuple[str, ...]]]

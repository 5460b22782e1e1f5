"""The options of the kind."""

from __future__ import annotations

from dataclasses import dataclass

from assess.protocol import Work


@dataclass(frozen=True, kw_only=True, slots=True)
class Ticking(Work):
    """Items that are ticked, or not."""

    key = "ticks"

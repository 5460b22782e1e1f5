"""The lines that a box of a fixed height shows, where it cuts off what comes below them.

Lines are counted where they surely begin, at blocks and breaks, and taken to be as low as small letters allow, where
the box does not say how high they are: what is cut off by this count is cut off in a browser, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

LOWEST = 10.0
"""Pixels that a line takes at least."""
_PIXELS = re.compile(r"([0-9]*\.?[0-9]+)px\Z")


class Room:
    """How many lines such a box shows, and which of them is being written."""

    def __init__(self, height: float, line: float) -> None:
        self.height, self.line = height, line
        self.begun = 0
        self.is_fresh = True
        self.is_known = True

    def edge(self, *, is_break: bool = False) -> None:
        """A block begins or ends, or a <br> ends a line, perhaps an empty one: the next text begins another."""
        self.begun += self.is_fresh and is_break
        self.is_fresh = True

    def text(self) -> None:
        """A text stands on the line."""
        self.begun += self.is_fresh
        self.is_fresh = False

    @property
    def is_full(self) -> bool:
        """Whether what comes next stands wholly below the box."""
        above = self.begun if self.is_fresh else self.begun - 1
        return self.is_known and above * self.line >= self.height


def room_of(values: Mapping[str, str]) -> Room | None:
    """The room of a box with these values; None where it shows all that it holds, or can be scrolled."""
    if not {values.get("overflow", ""), values.get("overflow-y", "")} & {"hidden", "clip"}:
        return None
    heights = [float(match[1]) for name in ("height", "max-height") if (match := _PIXELS.match(values.get(name, "")))]
    if not heights or any(name.startswith("padding") for name in values):
        return None
    line = _PIXELS.match(values.get("line-height", ""))
    return Room(min(heights), float(line[1]) if line and float(line[1]) > 0 else LOWEST)


def is_beside(values: Mapping[str, str]) -> bool:
    """Whether an element, or what it holds, may stand beside others, so that lines can't be counted any more."""
    display = values.get("display", "")
    return (
        display.startswith(("flex", "grid", "inline-", "table"))
        or values.get("float", "none") != "none"
        or values.get("position", "") in ("absolute", "fixed")
    )

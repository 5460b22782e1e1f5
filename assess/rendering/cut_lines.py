"""The lines that a box of a fixed height shows, where it cuts off what comes below them.

Lines are counted where they surely begin, at blocks and breaks and where one is full of small letters, and taken to be
as low as small letters allow, where the box does not say how high they are: what is cut off by this count is cut off
in a browser, too.
"""

from __future__ import annotations

from assess.rendering.lengths import SCREEN_WIDTH, Values, length, pixels
from assess.rendering.unpainted import animates, cuts, room_in

LOWEST = 10.0
"""Pixels that a line takes at least."""
NARROWEST = 2.5
"""Pixels that a letter takes at least, over a whole line."""


class Room:
    """How many pixels of lines such a box shows, and where on them the next text is written."""

    def __init__(self, height: float, line: float, *, width: float | None = None, is_of_lines: bool = False) -> None:
        self.height, self.line, self.is_of_lines = height, line, is_of_lines
        self.letters = (width or SCREEN_WIDTH) / NARROWEST
        self.above = 0.0
        self.written = 0
        self.is_fresh = True
        self.is_known = True

    def edge(self, *, is_break: bool = False) -> None:
        """A block begins or ends, or a <br> ends a line, perhaps an empty one: the next text begins another."""
        if not self.is_fresh or is_break:
            self.above += self.line * max(1, -(-self.written // self.letters))
        self.is_fresh, self.written = True, 0

    def text(self, letters: int) -> None:
        """A text of so many letters stands on the line, and on as many more as it takes."""
        self.is_fresh = False
        self.written += letters

    def leave_free(self, values: Values) -> None:
        """A block with these values leaves room free before its text."""
        if not self.is_of_lines:
            self.above += max(pixels(values.get("padding-top", "")) or 0.0, 0.0)

    @property
    def is_full(self) -> bool:
        """Whether what comes next stands wholly below the box."""
        full = self.line * (self.written // self.letters)
        return self.is_known and self.above + full >= self.height


def room_of(values: Values, *, font: float | None) -> Room | None:
    """Return the room of a box with these values; None where it shows all that it holds, or can be scrolled.

    ``font`` is the height of its letters, where that is known.
    """
    if cuts(values)[1] != "cut":
        return None
    width = pixels(values.get("width", ""))
    clamp = values.get("-webkit-line-clamp", "none")
    boxes = ("-webkit-box", "-webkit-inline-box")
    is_clamp = values.get("display") in boxes and values.get("-webkit-box-orient") == "vertical"
    if clamp.isdecimal() and is_clamp and values.get("height", "auto") == "auto":
        return Room(float(clamp), 1.0, width=width, is_of_lines=True)
    height = room_in(values, "height", "top", "bottom")
    if height is None:
        return None
    return Room(height, _line(values, font), width=width)


def _line(values: Values, font: float | None) -> float:
    """Return how high the lines of a box are, at least."""
    said = length(values.get("line-height", ""))
    if said is None:
        return LOWEST
    if said.is_bare or said.share or values["line-height"].endswith("em"):
        high = (said.pixels or said.share) * (LOWEST if font is None else font)
        line = high if said.is_bare or said.share else high / 16.0
    else:
        line = said.pixels
    return line if line > 0 else LOWEST


def taken_height(values: Values) -> float | None:
    """Return how high a block is whatever stands in it, at least; None where it is as high as its lines.

    >>> taken_height({"height": "50px"}), taken_height({"max-height": "9px"}), taken_height({"color": "red"})
    (50.0, 0.0, None)
    """
    height = values.get("height", "auto")
    is_bounded = any(values.get(name, "none") not in ("none", "auto") for name in ("max-height", "min-height"))
    if height == "auto" and not is_bounded:
        return None
    return 0.0 if is_bounded else max(pixels(height) or 0.0, 0.0)


def is_lower(values: Values, room: Room, *, font: float | None) -> bool:
    """Return whether the lines of a block in a room, with letters of this height, may be lower than those of the
    room.
    """
    if not any(name in values for name in ("font", "font-size", "line-height")):
        return False
    return font is None or font < LOWEST or (room.line > LOWEST and _line(values, font) < room.line)


def is_beside(values: Values) -> bool:
    """Return whether an element, or what it holds, may stand beside others or be moved, so that lines can't be counted
    any more.
    """
    display = values.get("display", "")
    is_moved = values.get("position", "") in ("relative", "sticky") and any(
        values.get(name, "auto") != "auto" for name in ("top", "bottom")
    )
    return (
        is_moved
        or display.startswith(("flex", "grid", "inline-", "table", "-webkit-"))
        or values.get("float", "none") != "none"
        or values.get("transform", "none") != "none"
        or values.get("translate", "none") != "none"
        or values.get("writing-mode", "horizontal-tb") != "horizontal-tb"
        or any((pixels(values.get(f"margin-{side}", "")) or 0.0) < 0 for side in ("top", "bottom"))
        or any(name in values for name in ("columns", "column-count", "zoom"))
        or animates(values)
    )

"""Count the lines that a box of fixed height shows, when it cuts off what is below them.

A line is counted only where one surely begins: at a block, at a break, or when a line is full of narrow letters. If the
box does not give the height of its lines, they are taken to be as low as possible. So whatever this count cuts off is
cut off in a browser, too.
"""

from __future__ import annotations

from assess.rendering.lengths import SCREEN_WIDTH, Values, length, pixels
from assess.rendering.unpainted import animates, cuts, room_in

LOWEST = 10.0
"""The least height of a line, in pixels."""
NARROWEST = 2.5
"""The least width of a letter in pixels, averaged over a line."""


class Room:
    """The height that a box has for lines, and the line on which the next text is written.

    ``above`` is the height that is used up; ``written`` are the letters since the line began. ``is_of_lines`` means
    that heights are counted in lines, not in pixels. If ``is_known`` is false, nothing is cut off.
    """

    def __init__(self, height: float, line: float, *, width: float | None = None, is_of_lines: bool = False) -> None:
        self.height, self.line, self.is_of_lines = height, line, is_of_lines
        self.letters = (width or SCREEN_WIDTH) / NARROWEST
        self.above = 0.0
        self.written = 0
        self.is_fresh = True
        self.is_known = True

    def edge(self, *, is_break: bool = False) -> None:
        """Start a new line: a block begins or ends, or a <br> ends a line, which may be empty."""
        if not self.is_fresh or is_break:
            self.above += self.line * max(1, -(-self.written // self.letters))
        self.is_fresh, self.written = True, 0

    def text(self, letters: int) -> None:
        """Add a text with this number of letters to the current line, and to as many further lines as it needs."""
        self.is_fresh = False
        self.written += letters

    def leave_free(self, values: Values) -> None:
        """Add the free room that a block with these values leaves above its text."""
        if not self.is_of_lines:
            self.above += max(pixels(values.get("padding-top", "")) or 0.0, 0.0)

    @property
    def is_full(self) -> bool:
        """Whether the next text is wholly below the box."""
        full = self.line * (self.written // self.letters)
        return self.is_known and self.above + full >= self.height


def room_of(values: Values, *, font: float | None) -> Room | None:
    """Return the room of a box with these values, or None if it shows all its content or can be scrolled.

    ``font`` is the height of its letters, or None if unknown.
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
    """Return the least height in pixels of the lines of a box with letters of this height."""
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
    """Return the least height that a block takes regardless of its content, or None if its lines decide its height. It
    is 0 for a block with a minimum or maximum, which is not computed.

    >>> taken_height({"height": "50px"}), taken_height({"max-height": "9px"}), taken_height({"color": "red"})
    (50.0, 0.0, None)
    """
    height = values.get("height", "auto")
    is_bounded = any(values.get(name, "none") not in ("none", "auto") for name in ("max-height", "min-height"))
    if height == "auto" and not is_bounded:
        return None
    return 0.0 if is_bounded else max(pixels(height) or 0.0, 0.0)


def is_lower(values: Values, room: Room, *, font: float | None) -> bool:
    """Return whether the lines of a block, whose letters have this height, may be less high than the lines of the room
    that contains it.
    """
    if not any(name in values for name in ("font", "font-size", "line-height")):
        return False
    return font is None or font < LOWEST or (room.line > LOWEST and _line(values, font) < room.line)


def is_beside(values: Values) -> bool:
    """Return whether an element or its content may be beside other text or moved, so that lines can't be counted."""
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

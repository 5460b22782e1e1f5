"""Whether an element that is placed on the page, the screen or in a box is outside of it, as far as styles tell.

There is no layout here. Where an element begins follows from its offset; where it ends, from its width or height, or
from a generous estimate of the room that its text takes. What may still reach into sight counts as seen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree.ElementTree import Element

SCREEN_WIDTH = 1280
SCREEN_HEIGHT = 720
"""The screen, in pixels, that media queries are asked for, too."""

_LENGTH = re.compile(r"(-?[0-9]*\.?[0-9]+)(px|em|rem|ex|pt|vw|vh|%|)\Z")
_PIXELS = {"px": 1.0, "": 1.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "pt": 4 / 3, "vw": 12.8, "vh": 7.2}
_SHIFT = re.compile(r"\b(translate3d|translatex|translatey|translate)\(([^)]*)\)")
_WIDE, _HIGH, _LINE = 16.0, 40.0, 1200.0
"""The most room that a character takes in a line, a line on the page, and the least that a line has for text."""

Values = Mapping[str, str]


def offsets(values: Values) -> dict[str, str]:
    """The four offsets of an element, also where they are said at once, as ``inset``."""
    sides = values.get("inset", "").split()
    found: dict[str, str] = {}
    if 1 <= len(sides) <= 4:
        top, right = sides[0], sides[min(1, len(sides) - 1)]
        bottom = sides[2] if len(sides) > 2 else top
        left = sides[3] if len(sides) > 3 else right
        found = {"top": top, "right": right, "bottom": bottom, "left": left}
    return found | {name: values[name] for name in ("top", "right", "bottom", "left") if name in values}


def is_off_screen(values: Values, node: Element, *, is_fixed: bool) -> bool:
    """Whether an element placed on the screen, or on a page that begins where the screen does, is out of sight.

    What stands to the right of a page or below it can be scrolled to; of the screen, it can't.
    """
    placed = offsets(values)
    shift = _shifts(values.get("transform", "") or f"translate({values.get('translate', '')})")
    for axis, (start, end, size, screen) in enumerate(
        (("left", "right", "width", SCREEN_WIDTH), ("top", "bottom", "height", SCREEN_HEIGHT))
    ):
        pixels, share = shift[axis]
        extent = _extent(values, size, screen)
        begins, ends = _length(placed.get(start, ""), screen), _length(placed.get(end, ""), screen)
        if begins is not None:
            begins += pixels + share * (extent or 0)
            if is_fixed and begins >= screen:
                return True
            if begins < 0 and begins + (extent if extent is not None else _estimate(node, axis)) <= 0:
                return True
            if begins <= 0 and share <= -1:
                return True
        elif ends is not None:
            ends -= pixels + share * (extent or 0)
            if ends >= screen or (is_fixed and ends <= 0 and share >= 1):
                return True
            if is_fixed and ends < 0 and ends + (extent if extent is not None else _estimate(node, axis)) <= 0:
                return True
    return False


def is_cut_off(values: Values, *, position: str) -> bool:
    """Whether an element is moved by the whole width or height, at least, of a box around it that cuts things off."""
    if position in ("absolute", "relative"):
        shares = (_share(value) for value in offsets(values).values())
        if any(abs(share) >= 1 for share in shares):
            return True
    return any(abs(share) >= 1 for _, share in _shifts(values.get("transform", "")))


def _shifts(transform: str) -> list[tuple[float, float]]:
    """For each axis by how many pixels, and by what share of itself, an element is moved."""
    moved = [[0.0, 0.0], [0.0, 0.0]]
    for name, arguments in _SHIFT.findall(transform):
        given = [each.strip() for each in arguments.replace(",", " ").split()]
        for axis, value in enumerate(given[:2]):
            at = 1 if name == "translatey" else axis
            moved[at][0] += _length(value, None) or 0
            moved[at][1] += _share(value)
    return [(pixels, share) for pixels, share in moved]


def _extent(values: Values, name: str, screen: int) -> float | None:
    """How wide or high the element is; None where that is not said, or where a padding makes it larger."""
    if any(name.startswith("padding") for name in values) and values.get("box-sizing") != "border-box":
        return None
    return _length(values.get(name, ""), screen)


def _estimate(node: Element, axis: int) -> float:
    """More than the room that the text of an element takes, in pixels; pictures in it are not known."""
    if node.tag == "img" or node.find(".//img") is not None:
        return float(SCREEN_WIDTH)
    wide = sum(len(each) for each in node.itertext()) * _WIDE
    if axis == 0:
        return wide
    return _HIGH * (1 + wide // _LINE + sum(1 for _ in node.iter()))


def _length(value: str, screen: int | None) -> float | None:
    """A length in pixels; a share only of a screen that is given."""
    match = _LENGTH.match(value)
    if match is None:
        return None
    if match[2] == "%":
        return None if screen is None else float(match[1]) * screen / 100
    return float(match[1]) * _PIXELS[match[2]]


def _share(value: str) -> float:
    match = _LENGTH.match(value)
    return float(match[1]) / 100 if match is not None and match[2] == "%" else 0.0

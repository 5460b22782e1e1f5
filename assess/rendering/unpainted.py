"""What a page's styles keep from being painted, though it is neither ``display: none`` nor hidden.

Text is not painted where it is wholly transparent, pushed off the page, clipped to nothing, or without any size. There
is no layout here: only values that hide by themselves are told, and a length that is a share of something unknown never
is. The rules are measured against what Chromium paints (`tests/browser/test_painted_text.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from assess.rendering.allowed import words
from assess.rendering.off_screen import SCREEN_HEIGHT, offsets

FAR = 999.0
"""Pixels by which text must be moved to the left or above to be off the page, wherever it stood."""

TINY = 2.0
"""A box that clips its content and is not larger than this, in pixels, shows none of it."""

NEAR = -20.0
"""Pixels beyond the edge of a page from which on something may be wholly out of sight."""

_SIZES = words("width height max-width max-height")
OVERFLOWS = words("overflow overflow-x overflow-y")
_OFFSETS = words("left right top bottom inset")
_PADDINGS = words("padding padding-left padding-right padding-top padding-bottom")
GROUPS = (
    words("opacity animation animation-name"),
    words("filter animation animation-name"),
    words("text-indent overflow overflow-x"),
    _SIZES | OVERFLOWS | _PADDINGS,
    words("overflow overflow-y height max-height line-height"),
    _OFFSETS | OVERFLOWS | _PADDINGS | words("width height box-sizing transform translate animation animation-name"),
    words("margin margin-left margin-top"),
    words("clip"),
    words("clip-path"),
    words("font font-size"),
    _OFFSETS | OVERFLOWS | words("transform translate scale animation animation-name"),
    words("content-visibility"),
)
"""Properties that matter together: a group of which no value on a page can hide anything is not looked at."""

PAINTING = frozenset().union(*GROUPS)

_LENGTH = re.compile(r"(-?[0-9]*\.?[0-9]+)(px|em|rem|ex|pt|vw|vh|%|)\Z")
_PIXELS = {"px": 1.0, "": 1.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "pt": 4 / 3, "vw": 12.8, "vh": 7.2}
_FONT_WORDS = words("xx-small x-small small medium large x-large xx-large xxx-large initial")
_FONT_OF_NOTHING = re.compile(r"(?:^|\s)0(?:\.0*)?(?:px|em|rem|pt|%)?(?:\s*/\s*\S+)?\s+\S")
_CLIP = re.compile(r"rect\(([^)]*)\)")
_TRANSFORM = re.compile(r"(scale3d|scalex|scaley|scale|translate3d|translatex|translatey|translate)\(([^)]*)\)")
_INSET = re.compile(r"inset\(([^)]*)\)")
_FILTER_OF_NOTHING = re.compile(r"\bopacity\(\s*(?:0+(?:\.0*)?|\.0+)%?\s*\)")
_NO_SHAPE = re.compile(r"(?:circle|ellipse)\(0(?:px|%)?(?:\s|\))|(?:polygon|rect|xywh)\((?:0(?:px|%)?[\s,]*)+\)")
_MATRIX = re.compile(r"\bmatrix\(([^)]*)\)")
_ON_EDGE = re.compile(r"\brotate[xy]\(-?90deg\)")

Values = Mapping[str, str]


def may_hide(name: str, value: str) -> bool:
    """Whether a declaration can keep text from being painted, alone or with others of its group.

    >>> [may_hide("opacity", "0"), may_hide("opacity", ".5"), may_hide("left", "-9999px"), may_hide("left", "10px")]
    [True, False, True, False]
    """
    if name == "opacity":
        return _number(value) == 0
    if name == "text-indent":
        return _is_far(value) or _share(value) not in (None, 0) or (_pixels(value) or 0) >= FAR
    if name in _SIZES:
        return _is_tiny(value) or (name.endswith("height") and value.endswith("px"))
    if name == "line-height":
        return False
    if name in _OFFSETS:
        return any(_may_be_out(each) for each in value.split())
    if name in ("margin", "margin-left", "margin-top"):
        return any(_is_far(each) for each in value.split())
    if name == "clip":
        return value.startswith("rect")
    if name == "clip-path":
        return _clips_all(value)
    if name in ("font", "font-size"):
        return font_is_nothing(name, value) is True
    if name == "transform":
        return _is_moved_or_shrunk(value) or _moves_by_itself(value)
    if name == "translate":
        return any(_may_be_out(each) for each in value.split())
    if name == "scale":
        return _number(value.partition(" ")[0]) == 0
    if name == "filter":
        return _FILTER_OF_NOTHING.search(value) is not None
    return name == "content-visibility" and value == "hidden"


def relevant(declared: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The properties that have to be followed on a page with these declarations."""
    hiding = {name for name, value in declared if may_hide(name, value)}
    return frozenset().union(*(group for group in GROUPS if hiding & group))


def is_unpainted(values: Values, *, position: str) -> bool:
    """Whether an element with these values shows nothing of what it holds, whatever stands in it.

    Something that is moved or shown step by step (an animation) counts as shown: browsers play it.
    """
    moves = animates(values)
    if is_clear(values) and not moves:
        return True
    if values.get("content-visibility") == "hidden" or _clips_all(values.get("clip-path", "")):
        return True
    if not moves and (
        _is_moved_or_shrunk(values.get("transform", ""))
        or any(_is_far(each) for each in values.get("translate", "").split())
        or _number(values.get("scale", "").partition(" ")[0]) == 0
    ):
        return True
    if position in ("absolute", "fixed") and _clip_is_nothing(values.get("clip", "")):
        return True
    return _is_off_the_page(values, position)


def is_clear(values: Values) -> bool:
    """Whether an element and all in it, boxes or not, is wholly transparent, by its opacity or by a filter.

    >>> is_clear({"filter": "blur(2px) opacity(0%)"}), is_clear({"filter": "opacity(.5)"})
    (True, False)
    """
    return _number(values.get("opacity", "")) == 0 or _FILTER_OF_NOTHING.search(values.get("filter", "")) is not None


def clips_all(values: Values) -> bool:
    """Whether a box with these values has no room and cuts off what does not fit.

    >>> clips_all({"height": "1px", "overflow": "hidden"})
    True
    >>> clips_all({"height": "0", "padding-bottom": "56%", "overflow": "hidden"})
    False
    """
    cut = " ".join(values.get(name, "") for name in OVERFLOWS)
    if not any(word in cut for word in ("hidden", "clip", "auto", "scroll")):
        return False
    if any(
        _number(part.rstrip("pxemrt%")) not in (0, None) for name in _PADDINGS for part in values.get(name, "").split()
    ):
        return False
    return any(_is_tiny(values.get(name, "")) for name in _SIZES)


def indents_away(values: Values) -> bool | None:
    """Whether the first line of a block is pushed out of sight; None where nothing is said of it."""
    value = values.get("text-indent")
    if value is None or value == "inherit":
        return None
    if _is_far(value):
        return True
    cut = "hidden" in values.get("overflow", "") or "hidden" in values.get("overflow-x", "")
    share = _share(value)
    return cut and ((share is not None and abs(share) >= 100) or (_pixels(value) or 0) >= FAR)


def font_is_nothing(name: str, value: str) -> bool | None:
    """Whether text has no size; None where the size follows from the parent's.

    >>> font_is_nothing("font-size", "0"), font_is_nothing("font-size", "1.2em"), font_is_nothing("font", "0/0 a")
    (True, None, True)
    """
    if name == "font":
        return _FONT_OF_NOTHING.search(value) is not None
    if value in _FONT_WORDS:
        return False
    match = _LENGTH.match(value)
    if match is None:
        return None
    if float(match[1]) == 0:
        return True
    return None if match[2] in ("em", "ex", "%") else False


def _is_off_the_page(values: Values, position: str) -> bool:
    margin = values.get("margin", "").split()
    sides = [
        values.get("margin-left", margin[-1] if margin else ""),
        values.get("margin-top", margin[0] if margin else ""),
    ]
    if any(_is_far(side) for side in sides):
        return True
    if position in ("", "static"):
        return False
    if position == "sticky":
        return False
    placed = offsets(values)
    if any(_is_far(placed.get(name, "")) for name in ("left", "top")):
        return True
    if any((_pixels(placed.get(name, "")) or 0) >= FAR * 2 for name in ("right", "bottom")):
        return True
    if position != "fixed":
        return False  # to the right and below, a page can be scrolled
    for value in placed.values():
        if abs(_pixels(value) or 0) >= FAR * 2 or abs(_share(value) or 0) >= 100:
            return True
    return any(_is_far(placed.get(name, "")) for name in ("right", "bottom"))


def _may_be_out(value: str) -> bool:
    pixels, share = _pixels(value) or 0, _share(value) or 0
    return pixels <= NEAR or pixels >= SCREEN_HEIGHT or abs(share) >= 100


def _moves_by_itself(transform: str) -> bool:
    """Whether something is moved by its own width or height, at least."""
    return any(
        abs(_share(each.strip()) or 0) >= 100
        for _, arguments in _TRANSFORM.findall(transform)
        for each in arguments.split(",")
    )


def _is_moved_or_shrunk(value: str) -> bool:
    if _ON_EDGE.search(value):
        return True
    for arguments in _MATRIX.findall(value):
        numbers = [_number(each.strip()) for each in arguments.split(",")]
        if len(numbers) == 6 and any((each or 0) <= -FAR for each in numbers[4:]):
            return True
    for name, arguments in _TRANSFORM.findall(value):
        given = [each.strip() for each in arguments.split(",")]
        if name.startswith("scale"):
            if any(_number(each) == 0 for each in given[:2]):
                return True
        elif any(_is_far(each) for each in given[:2]):
            return True
    return False


def _clip_is_nothing(value: str) -> bool:
    match = _CLIP.match(value)
    if match is None:
        return False
    sides = [_pixels(each) for each in match[1].replace(",", " ").split()]
    if len(sides) != 4:
        return False
    top, right, bottom, left = sides
    wide = right is None or (right - (left or 0)) > TINY
    high = bottom is None or (bottom - (top or 0)) > TINY
    return not (wide and high)


def _clips_all(value: str) -> bool:
    if _NO_SHAPE.match(value):
        return True
    match = _INSET.match(value)
    if match is None:
        return False
    shares = [_share(each) for each in match[1].partition("round")[0].split()][:4]
    if not shares or None in shares:
        return False
    known = [each or 0 for each in shares]
    top, right = known[0], known[min(1, len(known) - 1)]
    bottom = known[2] if len(known) > 2 else top
    left = known[3] if len(known) > 3 else right
    return top + bottom >= 100 or left + right >= 100


def animates(values: Values) -> bool:
    names = f"{values.get('animation', '')} {values.get('animation-name', '')}".split()
    return any(name not in ("none", "initial", "unset") for name in names)


def _is_far(value: str) -> bool:
    return (_pixels(value) or 0) <= -FAR


def _is_tiny(value: str) -> bool:
    size = _pixels(value)
    return (size is not None and 0 <= size <= TINY) or _share(value) == 0


def _pixels(value: str) -> float | None:
    """A length in pixels, with a letter of 16; None for shares, words and what is computed."""
    match = _LENGTH.match(value)
    return None if match is None or match[2] == "%" else float(match[1]) * _PIXELS[match[2]]


def _share(value: str) -> float | None:
    match = _LENGTH.match(value)
    return float(match[1]) if match is not None and match[2] == "%" else None


def _number(value: str) -> float | None:
    match = _LENGTH.match(value)
    return float(match[1]) if match is not None and match[2] in ("", "%") else None

"""What a page's styles keep from being painted, though it is neither ``display: none`` nor hidden.

Text is not painted if it is wholly transparent, pushed off the page, clipped to nothing, or without any size. Nothing
is laid out here: only values that hide text by themselves are recognised, never shares of an unknown length. The rules
are tested against what Chromium paints (`tests/browser/test_painted_text.py`). Values are given by the sides of the
screen (`physical.by_sides`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal
from xml.etree.ElementTree import Element

from assess.rendering.allowed import words
from assess.rendering.lengths import SCREEN_HEIGHT, SCREEN_WIDTH, Values, length, number, pixels, sides, words_of
from assess.rendering.moves import FAR, functions, hides_its_back, is_moved_or_shrunk
from assess.rendering.physical import GEOMETRY, LOGICAL, plain_name

TINY = 2.0
"""The size in pixels up to which a box that clips its content shows none of it."""

LEAST_FONT = 6.0
"""The least height in pixels to which browsers shrink letters given as a share of others."""

NEAR = -20.0
"""The offset in pixels, beyond the edge of a page, from which something may be wholly out of sight."""

Cut = Literal["", "cut", "scroll"]
"""Whether a box shows what does not fit, cuts it off, or lets readers scroll to it."""

_TRANSFORMS = words("transform translate scale rotate backface-visibility -webkit-backface-visibility")
_ROWS = words("order flex flex-basis flex-shrink flex-direction flex-wrap flex-flow justify-content clear text-align")
_FONTS = words("font font-size line-height zoom")
_PLACED = GEOMETRY | LOGICAL | _TRANSFORMS | _ROWS | words("animation animation-name contain will-change filter")
GROUPS = (
    words("opacity animation animation-name"),
    words("filter animation animation-name"),
    words("text-indent text-align direction overflow overflow-x"),
    _PLACED,
    _PLACED | _FONTS | words("columns column-count writing-mode"),
    _PLACED | words("-webkit-line-clamp -webkit-box-orient line-height"),
    words("clip"),
    words("clip-path"),
    words("font font-size"),
    _PLACED | words("grid-template-rows grid-template"),
    words("content-visibility"),
)
"""Groups of properties that act together. A group is ignored if no value on the page can hide anything."""
_HIDING = (
    *(words("opacity"), words("filter"), words("text-indent")),
    GEOMETRY | _TRANSFORMS | words("flex flex-basis contain"),
    words("height max-height"),
    *(words("-webkit-line-clamp"), words("clip"), words("clip-path"), words("font font-size")),
    *(words("grid-template-rows grid-template"), words("content-visibility")),
)
"""The properties of each group that can hide something."""

FLOW = words("direction writing-mode")
PAINTING = frozenset().union(*GROUPS) | FLOW

_FONT_WORDS = words("xx-small x-small small medium large x-large xx-large xxx-large initial")
_FONT_SIZE = re.compile(r"(?:^|\s)([-+]?[0-9.]+(?:px|em|rem|pt|%|vw|vh)?)(?:\s*/\s*\S+)?\s+\S")
_CLIP = re.compile(r"rect\(([^)]*)\)")
_INSET = re.compile(r"inset\((.*)\)")
_FILTER_OF_NOTHING = re.compile(r"\bopacity\(\s*(?:0+(?:\.0*)?|\.0+)%?\s*\)")
_NO_SHAPE = re.compile(r"(?:circle|ellipse)\(0(?:px|%)?(?:\s|\))|(?:polygon|rect|xywh)\((?:0(?:px|%)?[\s,]*)+\)")


def may_hide(name: str, value: str) -> bool:
    """Return whether a declaration can keep text from being painted, alone or with others of its group.

    >>> [may_hide("opacity", "0"), may_hide("opacity", ".5"), may_hide("left", "-9999px"), may_hide("left", "10px")]
    [True, False, True, False]
    """
    name = plain_name(name)
    said = length(value)
    if name == "opacity":
        return said is not None and said.pixels <= 0 and said.share <= 0
    if name == "text-indent":
        return said is not None and (abs(said.pixels) >= 50 or abs(said.share) >= 1)
    if name in ("height", "max-height"):
        return said is not None and (said.pixels > 0 or not said.share)
    if name in ("width", "max-width"):
        return said is not None and (said.share > 1 or said.pixels > SCREEN_WIDTH or _is_tiny(value))
    if name in ("min-width", "flex", "flex-basis"):
        return any((part := length(each)) is not None and part.share >= 1 for each in words_of(value))
    if name.startswith("padding"):
        return False
    if name in GEOMETRY or name == "translate":
        return any(_may_be_out(each, name) for each in words_of(value))
    if name == "transform":
        return is_moved_or_shrunk({name: value}) or any(
            _may_be_out(each, name)
            for function, given in functions(value)
            if function.startswith("trans")
            for each in given
        )
    if name in ("scale", "rotate"):
        return is_moved_or_shrunk({name: value})
    if name.endswith("backface-visibility") or name == "content-visibility":
        return value == "hidden"
    if name == "contain":
        return value not in ("none", "style", "layout")
    if name == "clip":
        return value.startswith("rect")
    if name == "clip-path":
        return _clips_all(value)
    if name in ("font", "font-size"):
        return font_size(name, value, 16.0) not in (None, 16.0) and (font_size(name, value, 16.0) or 0) < 1
    if name == "filter":
        return _FILTER_OF_NOTHING.search(value) is not None
    if name in ("grid-template-rows", "grid-template"):
        return value == "0fr"
    return name == "-webkit-line-clamp" and value != "none"


def relevant(declared: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the properties that matter on a page with these (property, value) declarations; none if none can hide
    anything.
    """
    hiding = {plain_name(name) for name, value in declared if may_hide(name, value)}
    found = frozenset().union(*(group for group, own in zip(GROUPS, _HIDING, strict=True) if hiding & own))
    return found | FLOW if found else found


def is_unpainted(values: Values, *, position: str) -> bool:
    """Return whether an element with these values shows none of its content, whatever that is.

    An element with an animation counts as shown, since browsers play it.
    """
    moves = animates(values)
    if is_clear(values) and not moves:
        return True
    if values.get("content-visibility") == "hidden" or _clips_all(values.get("clip-path", "")):
        return True
    if not moves and (is_moved_or_shrunk(values) or hides_its_back(values)):
        return True
    return position in ("absolute", "fixed") and _clip_is_nothing(values.get("clip", ""))


def is_clear(values: Values) -> bool:
    """Return whether an element with all its content is wholly transparent, by its opacity or by a filter.

    >>> is_clear({"filter": "blur(2px) opacity(0%)"}), is_clear({"filter": "opacity(.5)"})
    (True, False)
    """
    opacity = number(values.get("opacity", ""))
    return (opacity is not None and opacity <= 0) or _FILTER_OF_NOTHING.search(values.get("filter", "")) is not None


def cuts(values: Values) -> tuple[Cut, Cut]:
    """Return what a box does with content that does not fit, across and down.

    >>> cuts({"overflow-x": "hidden"}), cuts({"overflow": "visible clip"}), cuts({"contain": "paint"})
    (('cut', 'scroll'), ('', 'cut'), ('cut', 'cut'))
    """
    given = (words_of(values.get("overflow", "")) or ["visible"])[:2]
    both = [values.get("overflow-x", given[0]), values.get("overflow-y", given[-1])]
    scrolls = any(each in ("hidden", "auto", "scroll", "overlay") for each in both)
    contained = bool({"paint", "strict", "content"} & set(values.get("contain", "").split()))
    found: list[Cut] = []
    for each in both:
        if each in ("hidden", "clip"):
            found.append("cut")
        elif scrolls:
            found.append("scroll")
        else:
            found.append("cut" if contained else "")
    return found[0], found[1]


def clips_all(values: Values, *, is_rtl: bool = False) -> bool:
    """Return whether a box with these values has no room and cuts off what does not fit.

    Content that overflows is visible over the paddings after it, but not over those before it.

    >>> clips_all({"height": "1px", "padding-top": "20px", "overflow": "hidden"})
    True
    >>> clips_all({"height": "0", "padding-bottom": "56%", "overflow": "hidden"})
    False
    """
    cut = cuts(values)
    if not any(cut):
        return False
    if values.get("display", "").startswith(("table", "inline-table")):
        return False
    across = ("right", "left") if is_rtl else ("left", "right")
    return any(
        cut[axis] and (room := room_in(values, name, before, after)) is not None and room <= TINY
        for axis, (name, before, after) in enumerate((("width", *across), ("height", "top", "bottom")))
    )


def room_in(values: Values, name: str, before: str, after: str) -> float | None:
    """Return how many pixels the content of a box may extend, from its beginning to the end of the box.

    It is None if the values do not limit it. A height in percent does not, and a width only where it is tiny.
    """
    said = [values.get(each, "") for each in (name, f"max-{name}")]
    if name == "width":
        limits = [pixels(each, whole=0) for each in said]
    else:
        limits = [None if each.endswith("%") else pixels(each) for each in said]
    known = [each for each in limits if each is not None]
    if not known and name == "height" and {"size", "strict"} & set(values.get("contain", "").split()):
        known = [0.0]
    least = values.get(f"min-{name}", "0")
    lowest = 0.0 if least in ("auto", "initial") else pixels(least)
    paddings = [pixels(values.get(f"padding-{side}", "0")) for side in (before, after)]
    if not known or lowest is None or paddings[1] is None:
        return None
    if name == "width" and not any(_is_tiny(values.get(each, "")) for each in ("width", "max-width")):
        return None
    inside = max(min(known), lowest)
    if values.get("box-sizing") != "border-box":
        return inside + paddings[1]
    return None if paddings[0] is None else max(inside - paddings[0], paddings[1])


def _is_tiny(value: str) -> bool:
    found = length(value)
    return found is not None and found.pixels <= TINY and found.share <= 0


def indents_away(values: Values, node: Element, *, is_rtl: bool, nowrap: bool) -> bool | None:
    """Return whether the first line of a block is pushed out of sight; None if the values set no indent.

    A letter counts as 16 pixels wide. A box that cuts off hides what is pushed out of it.
    """
    found = length(values.get("text-indent", ""))
    if found is None:
        return None
    cut = bool(cuts(values)[0])
    by = -found.pixels if is_rtl else found.pixels
    if found.share <= -FAR / 100 or by <= -FAR:
        return cut or not is_rtl
    if not cut or (found.share < 1 and abs(by) < TINY):
        return False
    text = " ".join("".join(node.itertext()).split())
    if by < 0:
        return not is_rtl and len(text) * 16.0 <= -by
    width = pixels(values.get("width", ""))
    is_beyond = found.share >= 1 or by >= FAR or (width is not None and 0 < width <= by)
    return is_beyond and (nowrap or " " not in text)


def font_size(name: str, value: str, around: float | None) -> float | None:
    """Return the height of a font in pixels; None if it is not given, or if it depends on the height ``around`` it and
    that is unknown.

    >>> font_size("font-size", "50%", 16.0), font_size("font", "0/0 a", 16.0), font_size("font", "inherit", 16.0)
    (8.0, 0.0, 16.0)
    """
    if value in ("inherit", "unset"):
        return around
    if name == "font":
        match = _FONT_SIZE.search(value)
        if match is None:
            return 16.0
        value = match[1]
    if value in ("smaller", "larger"):
        return None if around is None else around * (5 / 6 if value == "smaller" else 1.2)
    if value in _FONT_WORDS:
        return 16.0
    is_of_letters = value.endswith("em") and not value.endswith("rem")
    found = length(value)
    if found is None or ((is_of_letters or found.share) and around is None):
        return None
    if not is_of_letters and not found.share:
        return found.pixels
    size = (found.pixels / 16.0 + found.share) * (around or 0.0)
    return max(size, LEAST_FONT) if size > 0 else 0.0


def is_off_the_page(values: Values, *, position: str) -> bool:
    """Return whether an element is moved so far left or up that it is off the page from any position.

    >>> is_off_the_page({"left": "-9999px"}, position="relative"), is_off_the_page({"left": "-9999px"}, position="")
    (True, False)
    """
    if any(_is_far(values.get(f"margin-{side}", "")) for side in ("left", "top")):
        return True
    if position in ("", "static", "sticky"):
        return False
    return any(_is_far(values.get(name, "")) for name in ("left", "top")) or any(
        (pixels(values.get(name, "")) or 0) >= FAR * 2 for name in ("right", "bottom")
    )


def _may_be_out(value: str, name: str) -> bool:
    found = length(value)
    if found is None:
        return False
    is_near = found.pixels <= NEAR or (found.pixels >= 100 and not name.startswith("margin"))
    return is_near or found.pixels >= SCREEN_HEIGHT or abs(found.share) >= 1


def _clip_is_nothing(value: str) -> bool:
    match = _CLIP.match(value)
    if match is None:
        return False
    given = [pixels(each) for each in match[1].replace(",", " ").split()]
    if len(given) != 4:
        return False
    top, right, bottom, left = given
    wide = right is None or (right - (left or 0)) > TINY
    high = bottom is None or (bottom - (top or 0)) > TINY
    return not (wide and high)


def _clips_all(value: str) -> bool:
    if _NO_SHAPE.match(value):
        return True
    match = _INSET.match(value)
    if match is None:
        return False
    found = [length(each) for each in sides(match[1].partition("round")[0])]
    shares = [0.0 if each is None else each.share for each in found]
    if any(each is None or each.pixels < 0 for each in found):
        return False
    return shares[0] + shares[2] >= 1 or shares[1] + shares[3] >= 1


def animates(values: Values) -> bool:
    """Return whether an element with these values has an animation, which may show what they hide."""
    names = f"{values.get('animation', '')} {values.get('animation-name', '')}".split()
    return any(name not in ("none", "initial", "unset") for name in names)


def _is_far(value: str) -> bool:
    found = pixels(value)
    return found is not None and found <= -FAR

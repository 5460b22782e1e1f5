"""Formulas (MathML) and drawings (SVG) as still as a picture: made anew of what is on a list.

Both families can carry script, and both switch parsers back to HTML in places, which mutation attacks use. So neither
is filtered: elements on the list are made anew with attributes on the list, text is kept where it is shown and nowhere
else, and of elements in which HTML would begin again nothing but the text is kept. So what is written is read back as
the same tree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from assess.rendering.allowed import OWN, words

SVG, MATH = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1998/Math/MathML}"
ROOTS = frozenset({"svg", "math"})

_SVG_ELEMENTS = words(
    "svg g path rect circle ellipse line polyline polygon text tspan defs linearGradient radialGradient stop"
)
_MATH_ELEMENTS = words(
    """
    math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom menclose msub msup msubsup
    munder mover munderover mmultiscripts mprescripts none mtable mtr mtd semantics
    """
)
ELEMENTS = _SVG_ELEMENTS | _MATH_ELEMENTS
"""By these names, in the tree of a prepared page, no element of HTML goes."""

_TEXT = words("text tspan mi mn mo ms mtext")
_SILENT = words("title desc metadata annotation annotation-xml")
"""Left out without saying so: browsers don't show them either."""

_ATTRIBUTES = words(
    """
    class id style dir width height x y x1 y1 x2 y2 cx cy r rx ry fx fy d dx dy points offset viewBox
    preserveAspectRatio transform gradientUnits gradientTransform spreadMethod textLength rotate
    fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit
    stroke-dasharray stroke-dashoffset opacity stop-color stop-opacity color display visibility
    font-family font-size font-style font-weight text-anchor letter-spacing dominant-baseline
    accent accentunder columnalign columnspan columnspacing depth displaystyle fence form largeop linethickness lspace
    mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation rowalign rowspan rowspacing
    rspace scriptlevel separator stretchy symmetric
    """
)
_PLACE = re.compile(r"url\(\s*['\"]?#[\w.-]+['\"]?\s*\)\Z")
_ADDRESS = re.compile(r"url|image|src|[a-z]+script\s*:|\\", re.IGNORECASE)
SIZE_LIMIT = 20_000
"""Elements of one formula or drawing; a larger one is left out."""


@dataclass(frozen=True, slots=True)
class Still:
    """A drawing made anew, or None where nothing of it can be shown; whether parts of it were left out."""

    root: Element | None
    is_whole: bool


def still(node: Element) -> Still:
    """The formula or drawing that this element is, with only what is on the lists. Linear, without recursion."""
    family, known = (SVG, _SVG_ELEMENTS) if node.tag.startswith(SVG) else (MATH, _MATH_ELEMENTS)
    root = _copy(node, family)
    if root.tag not in ROOTS or sum(1 for _ in node.iter()) > SIZE_LIMIT:
        return Still(None, is_whole=False)
    shows, is_whole = False, True
    stack = [(node, root)]
    while stack:
        old, new = stack.pop()
        for child in old:
            name = child.tag.removeprefix(family) if isinstance(child.tag, str) else ""
            if name in known and child.tag.startswith(family) and name not in ROOTS:
                made = _copy(child, family)
                new.append(made)
                stack.append((child, made))
                shows = shows or name not in ("g", "defs", "mrow", "mstyle", "semantics")
            elif name not in _SILENT and isinstance(child.tag, str):
                is_whole = False
            if new.tag in _TEXT and child.tail:
                _append_text(new, child.tail)
    return Still(root if shows else None, is_whole=is_whole)


def is_allowed(name: str, value: str) -> bool:
    """Whether an attribute of a formula or drawing stays, by name and value.

    >>> is_allowed("fill", "url(#shade)"), is_allowed("fill", "url(http://example.com/x#y)"), is_allowed("onload", "x")
    (True, False, False)
    """
    if name not in _ATTRIBUTES or (name == "id" and value.startswith(OWN)):
        return False
    if name in ("style", "class", "id") or _PLACE.match(value):
        return True
    return _ADDRESS.search(value) is None


def _copy(node: Element, family: str) -> Element:
    tag = node.tag.removeprefix(family)
    made = Element(tag, {name: value for name, value in node.attrib.items() if is_allowed(name, value)})
    if tag in _TEXT:
        made.text = node.text
    return made


def _append_text(node: Element, text: str) -> None:
    """Text after the last child of a node, or in it where it has none."""
    if len(node):
        node[-1].tail = (node[-1].tail or "") + text
    else:
        node.text = (node.text or "") + text

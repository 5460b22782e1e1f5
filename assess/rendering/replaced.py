"""Formulas and drawings, which are copied into a page, and boxes in the place of what can't be shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from assess.rendering.allowed import OWN, words
from assess.rendering.encoding import quick_text

# Both families can carry script, and in places both switch parsers back to HTML, which mutation attacks use. So they
# are not filtered but copied: only listed elements with listed attributes, and text only where it is shown. Of elements
# that would switch back to HTML, only the text is copied. So the result is parsed as the same tree.

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
"""No HTML element in the tree of a prepared page has one of these names."""

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
    """A copy of a drawing, and whether it is complete. The copy is None if nothing of the drawing can be shown."""

    root: Element | None
    is_whole: bool


def still(node: Element) -> Still:
    """Return a copy of a formula or drawing with only allowed content, or no copy if it has more than `SIZE_LIMIT`
    elements. It takes linear time and does not recurse.
    """
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
    """Return whether an attribute of a formula or drawing is kept, by its name and value.

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
    """Add text after the last child of a node, or into it if it has no children."""
    if len(node):
        node[-1].tail = (node[-1].tail or "") + text
    else:
        node.text = (node.text or "") + text


# Content that can't be shown: framed pages, plug-ins, video, sound, drawings by scripts. A box of its size replaces it.
# The page's own fallback, for browsers that can't show it either, is shown in the box, and its text is viewable text.
# A note beside the page says what was left out.

LEFT_OUT = "data-assay-left-out"
"""The attribute that marks a box for left-out content, with the word for that content."""

NAMES = {
    "iframe": ("framed page", "framed pages"),
    "object": ("plug-in", "plug-ins"),
    "embed": ("plug-in", "plug-ins"),
    "applet": ("plug-in", "plug-ins"),
    "video": ("video", "videos"),
    "audio": ("sound", "sounds"),
    "canvas": ("drawing made by a script", "drawings made by scripts"),
    "svg": ("drawing", "drawings"),
    "math": ("formula", "formulas"),
}
PART = {"svg": ("part of a drawing", "parts of drawings"), "math": ("part of a formula", "parts of formulas")}
_DEFAULT = (300, 150)  # of a frame, a plug-in, a video, a canvas (CSS 2.1, 10.3.2)
_SIZE = re.compile(r"\s*([0-9]{1,5})(?:\.[0-9]+)?\s*(px|%)?\s*\Z")
_KEPT = ("class", "id", "style", "hidden", "dir", "lang", "align")

STYLE = (
    f":where([{LEFT_OUT}]){{display:inline-block;box-sizing:border-box;border:1px dashed #767676}}"
    f":where([{LEFT_OUT}])::before{{content:attr({LEFT_OUT});font:12px/1.3 sans-serif;color:#595959;background:#fff}}"
)
"""The style of the boxes. The page's rules win over it, so that what the page hides stays hidden."""


@dataclass(slots=True)
class LeftOut:
    """The boxes of a page, and its incomplete drawings, each with the tag of the original element."""

    boxes: list[tuple[Element, str]] = field(default_factory=list)
    parts: list[tuple[Element, str]] = field(default_factory=list)

    def box(self, node: Element, tag: str) -> Element | None:
        """Return a box for an element that can't be shown, and remember it. Return None if the element shows nothing:
        its size is a pixel or less, as of a counter, or it is a sound without controls.
        """
        sizes = [_size(node.get(name), default) for name, default in zip(("width", "height"), _DEFAULT, strict=True)]
        if None in sizes or (tag == "audio" and "controls" not in node.attrib):
            return None
        wide, high = sizes
        box = Element("span", {name: node.attrib[name] for name in _KEPT if name in node.attrib})
        box.set("style", f"min-width:{wide};min-height:{high};{node.get('style', '')}")
        if tag == "iframe":
            box.text = quick_text("".join(node.itertext())) or None
        elif tag not in ("svg", "math"):
            box.text = node.text
            box.extend(node)
            for embed in box.iterfind("embed"):
                embed.tag = "param"  # the same content again, for other browsers
        self.boxes.append((box, tag))
        return box

    def note(self, hidden: Collection[Element]) -> str:
        """Return a sentence that names what was left out; "" if the page would not have shown any of that."""
        unseen = {inner for outer in hidden for inner in outer.iter()}
        said = [*_counted(self.boxes, NAMES, unseen), *_counted(self.parts, PART, unseen)]
        if not said:
            return ""
        listed = said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
        boxes = " Boxes with dashed lines stand in their places." if self.boxes else ""
        return f"Left out of this page: {listed}.{boxes}"


def _counted(
    nodes: Iterable[tuple[Element, str]], names: dict[str, tuple[str, str]], unseen: Collection[Element]
) -> list[str]:
    counts = Counter(names[tag] for node, tag in nodes if node not in unseen)
    return [f"{count} {one if count == 1 else many}" for (one, many), count in counts.items()]


def _size(value: str | None, default: int) -> str | None:
    """Return a width or height for CSS; None if it is a pixel or less."""
    match = _SIZE.match(value or "")
    if match is None:
        return f"{default}px"
    number = min(int(match[1]), 2000)
    if match[2] == "%":
        return f"{min(number, 100)}%" if number else None
    return f"{number}px" if number > 1 else None

"""What of a page can't be shown: framed pages, plug-ins, video, sound, what scripts draw. A box of its size is there.

What the page has in its place for browsers that can't show it either (its fallback) is shown in the box, and its text
is viewable text. Beside the page it says what was left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from assess.rendering.quick_text import quick_text

LEFT_OUT = "data-assay-left-out"
"""Put by us on the box that stands for what was left out, with the word for it."""

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
"""The look of the boxes; a rule of the page wins over it, so that what the page hides stays hidden."""


@dataclass(slots=True)
class LeftOut:
    """The boxes of a page, and drawings of which parts are missing, each with the tag of what it stands for."""

    boxes: list[tuple[Element, str]] = field(default_factory=list)
    parts: list[tuple[Element, str]] = field(default_factory=list)

    def box(self, node: Element, tag: str) -> Element | None:
        """The box in the place of an element; None where it has no size of its own (a counter's pixel, say)."""
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
                embed.tag = "param"  # the same thing once more, for other browsers
        self.boxes.append((box, tag))
        return box

    def note(self, hidden: Collection[Element]) -> str:
        """What was left out, as a sentence; "" where it is nothing that the page would have shown."""
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
    """A width or height for CSS; None for a pixel or less."""
    match = _SIZE.match(value or "")
    if match is None:
        return f"{default}px"
    number = min(int(match[1]), 2000)
    if match[2] == "%":
        return f"{min(number, 100)}%" if number else None
    return f"{number}px" if number > 1 else None

"""Where boxes are, as far as styles show without laying out text, and whether they are out of sight.

The beginning of a box is known, known within bounds, or unknown. A box that may reach into sight counts as seen. Across
the page, the position of a block follows from the blocks around it. Down the page, the heights of texts are unknown, so
for boxes in the flow only a highest position is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from xml.etree.ElementTree import Element

from assess.rendering.allowed import INLINE
from assess.rendering.lengths import SCREEN_HEIGHT, SCREEN_WIDTH, Values, length, pixels
from assess.rendering.moves import Moved, moves
from assess.rendering.unpainted import Cut

_WIDE, _HIGH, _LINE = 16.0, 40.0, 1200.0
"""The greatest width of a character, the greatest height of a line, and the least width of a line, in pixels."""
_LEAST_LINE = 15.0
"""The height in pixels from which a box is taken to hold its content."""
BODY_LOWEST = 100.0
"""The lowest position of the <body>, in pixels from the top: margins of its content can move it down."""
_NAMES = (("left", "right", "width"), ("top", "bottom", "height"))
_ANYWHERE = (-inf, inf)
Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Axis:
    """One direction of a box that contains others: where it begins, its size, and which part can be seen."""

    begins: Span = _ANYWHERE
    size: float | None = None
    sight: Span = _ANYWHERE


Area = tuple[Axis, Axis]
SCREEN: Area = (Axis((0, 0), SCREEN_WIDTH, (0, SCREEN_WIDTH)), Axis((0, 0), SCREEN_HEIGHT, (0, SCREEN_HEIGHT)))
_PAGE: Area = (Axis((0, 0), SCREEN_WIDTH, (0, inf)), Axis((0, 0), SCREEN_HEIGHT, (0, inf)))
"""The page without its right and bottom limits: readers can scroll there."""


class Row:
    """Boxes that are side by side. ``next`` is the least distance at which the next box begins; None if unknown.

    ``is_lifted`` means that one of the boxes may let later boxes move up.
    """

    def __init__(self, width: float | None, *, breaks: bool) -> None:
        self.width, self.breaks = width, breaks
        self.next: float | None = 0.0
        self.is_lifted = False

    def take(self, width: float | None) -> float | None:
        """Add a box of this width, and return the least distance at which it begins; None if unknown."""
        begins = self.next
        if begins is not None:
            self.next = begins + max(width or 0.0, 0.0)
            if self.breaks and (width is None or self.width is None or self.next > self.width):
                begins = self.next = None
        return begins


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What surrounds a box: the ``flow`` of the text, the area ``around`` absolutely placed boxes, and the ``screen``.

    ``row`` holds boxes that are side by side; in a ``flex`` box, all of its boxes.
    """

    flow: Area = (_PAGE[0], Axis((0, inf), None, (0, inf)))
    around: Area = _PAGE
    screen: Area = SCREEN
    row: Row | None = None
    is_flex: bool = False

    def astray(self) -> Surroundings:
        """Return the surroundings of boxes inside something whose place in the flow is unknown."""
        return replace(self, flow=(Axis(), Axis()), row=None, is_flex=False)


PAGE = Surroundings()
"""The surroundings of a page's <body>."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """How an element is laid out. ``is_plain`` means that its text begins where the element begins, without boxes
    inside.
    """

    position: str
    is_block: bool
    is_rtl: bool
    wraps: bool
    cuts: tuple[Cut, Cut]
    is_plain: Callable[[], bool]

    @property
    def is_own(self) -> bool:
        """Whether the element is placed by itself, outside the flow."""
        return self.position in ("absolute", "fixed")


@dataclass(frozen=True, slots=True)
class _Placed:
    """Where a box begins, its size with paddings (None if unknown), and the farthest point at which it ends."""

    begins: Span
    size: float | None
    ends: float


def place(node: Element, values: Values, kind: Kind, within: Surroundings) -> tuple[bool, Surroundings]:
    """Return whether an element with these values (`physical.by_sides`) is out of sight, and the surroundings of its
    content.

    ``within`` are the element's own surroundings.
    """
    areas = {"absolute": within.around, "fixed": within.screen}.get(kind.position, within.flow)
    moved = moves(values)
    placed = [_placed(axis, node, values, kind, within, areas[axis], moved) for axis in (0, 1)]
    is_out = any(_is_out(area, each) for area, each in zip(areas, placed, strict=True))
    inner = [_inner(axis, values, kind, areas[axis], placed[axis]) for axis in (0, 1)]
    flow, edge = (inner[0][0], inner[1][0]), (inner[0][1], inner[1][1])
    is_moved = moved is None or any(map(any, moved)) or values.get("transform", "none") != "none" or holds(values)
    around = edge if kind.position not in ("", "static") or is_moved else within.around
    display = values.get("display", "")
    is_flex = display.endswith("flex")
    row = _row(values, flow[0]) if is_flex else Row(flow[0].size, breaks=values.get("white-space") != "nowrap")
    inside = Surroundings(
        flow=flow, around=around, screen=edge if is_moved else within.screen, row=row, is_flex=is_flex
    )
    return is_out, inside.astray() if display.startswith(("grid", "inline-grid", "table")) else inside


def _is_out(area: Axis, placed: _Placed) -> bool:
    low, high = area.sight
    return placed.begins[0] >= high or placed.ends <= low


def _placed(
    axis: int, node: Element, values: Values, kind: Kind, within: Surroundings, area: Axis, moved: Moved | None
) -> _Placed:
    start, end, name = _NAMES[axis]
    before, after = (pixels(values.get(f"margin-{side}", ""), whole=area.size) or 0.0 for side in (start, end))
    size = _size(values, name, area.size, start, end)
    at_end = False
    if kind.is_own:
        begins, size, at_end = _in_own_place(axis, values, kind, within, area, size, before, after)
    elif node.tag == "body" and axis == 1:
        begins = (0.0, BODY_LOWEST)
    elif axis == 0:
        begins, size = _in_line(values, kind, within, area, size, before, after)
    else:
        is_lifted = within.row is not None and within.row.is_lifted
        begins = (-inf if is_lifted else area.begins[0] + before, inf)
        if within.row is not None and min(before, after) < 0:
            within.row.is_lifted = True
    if kind.position == "relative":
        by = pixels(values.get(start, ""), whole=area.size)
        if by is None:
            by = -(pixels(values.get(end, ""), whole=area.size) or 0.0)
        begins = _moved(begins, by)
    if moved is None:
        return _Placed(_ANYWHERE, size, inf)
    by, share = moved[axis]
    begins = _moved(begins, by)
    text = inf
    if begins[1] < area.sight[0] or share != 0 or (at_end and begins[0] > area.sight[1]):
        is_sure = kind.is_own or (axis == 0 and kind.is_block and kind.is_plain())
        text = _estimate(node, axis) if is_sure else inf
    overflow = 0.0 if size is None else _extent(axis, kind, size, text, is_said=name in values) - size
    share -= at_end
    sizes = (0.0, text) if size is None else (size, size)
    return _Placed(
        begins=(
            begins[0] + min(_times(share, each) for each in sizes),
            begins[1] + max(_times(share, each) for each in sizes),
        ),
        size=size,
        ends=begins[1] + max(_times(1 + share, each) for each in sizes) + overflow,
    )


def _times(share: float, size: float) -> float:
    return share * size if share else 0.0


def _in_own_place(
    axis: int,
    values: Values,
    kind: Kind,
    within: Surroundings,
    area: Axis,
    size: float | None,
    before: float,
    after: float,
) -> tuple[Span, float | None, bool]:
    """Return where a box outside the flow begins, and its size (None if unknown). The last value is true if the box is
    placed by its end; the first value is then where it ends.
    """
    start, end, _ = _NAMES[axis]
    from_start, from_end = (pixels(values.get(side, ""), whole=area.size) for side in (start, end))
    if from_start is not None:
        if size is None and from_end is not None and area.size is not None:
            size = max(area.size - from_start - from_end - before - after, 0.0)
        return _moved(area.begins, from_start + before), size, False
    if from_end is not None and area.size is not None:
        return _moved(area.begins, area.size - from_end - after), size, True
    if axis == 0 and not kind.is_rtl:
        return _moved(within.flow[axis].begins, before), size, False
    return (within.flow[axis].begins[0] + min(before, 0.0), inf), size, False


def _in_line(
    values: Values,
    kind: Kind,
    within: Surroundings,
    area: Axis,
    size: float | None,
    before: float,
    after: float,
) -> tuple[Span, float | None]:
    """Return where a box in the flow begins across the page, and how wide it is (None: unknown)."""
    is_beside = values.get("float", "none") != "none" or values.get("display", "").startswith("inline-")
    if within.row is not None and (within.is_flex or is_beside):
        is_turned = values.get("float") == "right" or values.get("order", "0") != "0" or kind.is_rtl
        if is_turned or values.get("clear", "none") != "none":
            within.row.next = None
        least = _least(values, area, size) if within.is_flex else size
        far = within.row.take(None if least is None else before + least + after)
        return (_ANYWHERE if far is None else (area.begins[0] + far + min(before, 0.0), inf)), size
    if within.row is not None and kind.is_block:
        within.row.next = None
    if not kind.is_block or is_beside or kind.is_rtl:
        return _ANYWHERE, size
    if area.size is not None:
        if size is None:
            size = max(area.size - before - after, 0.0)
        elif values.get("margin-left") == values.get("margin-right") == "auto":
            before = max((area.size - size) / 2, 0.0)
    return _moved(area.begins, before), size


def _least(values: Values, area: Axis, size: float | None) -> float | None:
    """Return the least width to which a box in a flex box may shrink: its minimum width or, if it can't shrink, its own
    width, which is None if unknown.
    """
    flex = values.get("flex", "").split()
    if values.get("flex-shrink") == "0" or flex[:1] == ["none"] or (len(flex) == 3 and flex[1] == "0"):
        basis = pixels(values.get("flex-basis", flex[2] if len(flex) == 3 else ""), whole=area.size)
        return size if basis is None else basis
    return pixels(values.get("min-width", ""), whole=area.size) or 0.0


def _row(values: Values, across: Axis) -> Row | None:
    """Return the row of a flex box. The positions in it are unknown if its boxes may not run from left to right in one
    line.
    """
    row = Row(across.size, breaks=False)
    said = f"{values.get('flex-flow', '')} {values.get('flex-direction', '')} {values.get('flex-wrap', '')}"
    begins = values.get("justify-content", "") in ("", "normal", "start", "flex-start", "left", "space-between")
    if "reverse" in said or "column" in said or "wrap" in said.replace("nowrap", "") or not begins:
        row.next = None
    return row


def _size(values: Values, name: str, whole: float | None, start: str, end: str) -> float | None:
    """Return the width or height of a box with its paddings; None if the styles do not give it."""
    found = pixels(values.get(name, ""), whole=whole)
    if found is None:
        return None
    for bound, choose in ((f"max-{name}", min), (f"min-{name}", max)):
        if values.get(bound, "auto") not in ("auto", "none", "0"):
            limit = pixels(values[bound], whole=whole)
            if limit is None:
                return None
            found = choose(found, limit)
    if values.get("box-sizing") == "border-box":
        return found
    paddings = [pixels(values.get(f"padding-{side}", "0"), whole=None) for side in (start, end)]
    return None if None in paddings else found + sum(each or 0.0 for each in paddings)


def _extent(axis: int, kind: Kind, size: float, text: float, *, is_said: bool) -> float:
    """Return how far from its beginning a box may show something.

    A box without a given size fills the available room, but its text may take only the beginning of it.
    """
    if not is_said and not kind.is_own:
        return text
    if kind.cuts[axis] or (axis == 0 and kind.wraps) or (axis == 1 and size >= _LEAST_LINE):
        return size
    return max(size, text)


def _inner(axis: int, values: Values, kind: Kind, area: Axis, placed: _Placed) -> tuple[Axis, Axis]:
    """Return the content areas of a box: for boxes in its flow, and for boxes placed inside it."""
    start, end, _ = _NAMES[axis]
    before, after = (pixels(values.get(f"padding-{side}", "0")) for side in (start, end))
    begins, sight = placed.begins, area.sight
    if kind.cuts[axis]:
        is_open = placed.size is None or kind.cuts[axis] == "scroll"
        begins, sight = (0.0, 0.0), (0.0, inf if is_open else placed.size or 0.0)
    size = None
    if placed.size is not None and before is not None and after is not None:
        size = max(placed.size - before - after, 0.0)
    inside = _moved(begins, before or 0.0) if axis == 0 else (begins[0] + (before or 0.0), inf)
    return Axis(inside, size, sight), Axis(begins, placed.size, sight)


def holds(values: Values) -> bool:
    """Return whether a box keeps positioned and fixed boxes inside it, although it is not moved by a transform."""
    return (
        values.get("filter", "none") != "none"
        or values.get("will-change", "") == "transform"
        or bool({"paint", "layout", "strict", "content"} & set(values.get("contain", "").split()))
    )


def is_cut_off(values: Values, *, position: str) -> bool:
    """Return whether an element is moved at least by its own size or by that of the box around it, so that a box which
    cuts off shows none of it. ``values`` may move it by ``position`` or by a transform.
    """
    if position in ("absolute", "relative"):
        found = (length(values.get(name, "")) for name in ("top", "right", "bottom", "left"))
        if any(each is not None and abs(each.share) >= 1 and each.share * each.pixels >= 0 for each in found):
            return True
    moved = moves(values)
    return moved is not None and any(abs(share) >= 1 and share * by >= 0 for by, share in moved)


_STICKING = (
    *("float", "flex", "min-width", "left", "right", "top", "bottom", "inset", "margin", "margin-left", "margin-top"),
    *("transform", "translate"),
)


def may_leave_parent(values: Values) -> bool:
    """Return whether a box with these values may be elsewhere than the element around it."""
    if values.get("position", "") in ("absolute", "fixed"):
        return True
    return any(values.get(name, "none") not in ("none", "auto", "0", "0px") for name in _STICKING)


def moves_into_sight(values: Values, kind: Kind, within: Surroundings, *, far: float) -> bool:
    """Return whether a box moves back into sight by at least ``far``, although the element around it is out of
    sight.
    """
    if kind.position == "fixed" and within.screen is SCREEN:
        return True
    names = ("margin-left", "margin-top", *(("left", "top", "right", "bottom") if kind.position else ()))
    return any(
        (found := length(values.get(name, ""))) is not None and (abs(found.pixels) >= far or abs(found.share) >= 1)
        for name in names
    )


def _moved(span: Span, by: float) -> Span:
    return span[0] + by, span[1] + by


def _estimate(node: Element, axis: int) -> float:
    """Return an upper estimate, in pixels, of the room that an element's text takes. The sizes of images are
    unknown.
    """
    if node.tag == "img" or node.find(".//img") is not None:
        return float(SCREEN_WIDTH)
    wide = sum(len(each) for each in node.itertext()) * _WIDE
    if axis == 0:
        return wide
    return _HIGH * (1 + wide // _LINE + sum(1 for each in node.iter() if each is not node and each.tag not in INLINE))

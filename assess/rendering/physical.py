"""Properties by the sides of the screen, for stylesheets that name them by text direction or several at once."""

from __future__ import annotations

from assess.rendering.lengths import Values, sides, words_of

_SIDES = ("top", "right", "bottom", "left")
_BY_START = {
    **{f"{axis}-size": size for axis, size in (("inline", "width"), ("block", "height"))},
    **{
        f"{bound}-{axis}-size": f"{bound}-{size}"
        for bound in ("min", "max")
        for axis, size in (("inline", "width"), ("block", "height"))
    },
    "overflow-inline": "overflow-x",
    "overflow-block": "overflow-y",
}
_EDGES = {
    f"{kind}-{axis}": tuple(f"{before}{side}" for side in ends)
    for kind, before in (("inset", ""), ("margin", "margin-"), ("padding", "padding-"))
    for axis, ends in (("inline", ("left", "right")), ("block", ("top", "bottom")))
}
_ENDS = {f"{name}-{end}": edges[place] for name, edges in _EDGES.items() for place, end in enumerate(("start", "end"))}
_FOUR = {"inset": "", "margin": "margin-", "padding": "padding-"}

LOGICAL = frozenset({*_BY_START, *_EDGES, *_ENDS})
GEOMETRY = LOGICAL | {
    *_BY_START.values(),
    *_FOUR,
    *(before + side for before in _FOUR.values() for side in _SIDES),
    *("overflow", "box-sizing"),
}
"""Properties that decide where a box is, how large it is, and whether it cuts content off."""


def by_sides(values: Values, *, is_rtl: bool) -> dict[str, str]:
    """Return the values with offsets, margins, paddings and sizes by side. ``is_rtl`` means text from right to left.

    A property for one side wins over one for several sides.

    >>> by_sides({"margin": "1px 2px", "inset-inline-start": "3px"}, is_rtl=True)["right"]
    '3px'
    """
    found: dict[str, str] = {}
    for name, before in _FOUR.items():
        if name in values:
            found |= {before + side: each for side, each in zip(_SIDES, sides(values[name]), strict=True)}
    for name, edges in _EDGES.items():
        if name in values:
            given = words_of(values[name])[:2] or [""]
            found |= {_turned(edges[0], is_rtl): given[0], _turned(edges[1], is_rtl): given[-1]}
    for name, value in values.items():
        if name in _BY_START:
            found[_BY_START[name]] = value
        elif name in _ENDS:
            found[_turned(_ENDS[name], is_rtl)] = value
    return {**found, **{name: value for name, value in values.items() if name not in LOGICAL and name not in _FOUR}}


def plain_name(name: str) -> str:
    """Return the physical property for a logical one, in text from left to right."""
    if name in _EDGES:
        return name.partition("-")[0]
    return _BY_START.get(name) or _ENDS.get(name) or name


def _turned(edge: str, is_rtl: bool) -> str:
    if not is_rtl:
        return edge
    before, dash, side = edge.rpartition("-")
    return before + dash + {"left": "right", "right": "left"}.get(side, side)


_DEFAULTS = {
    **{tag: {"padding-left": "40px"} for tag in ("ul", "ol", "menu", "dir")},
    **{tag: {"margin-left": "40px", "margin-right": "40px"} for tag in ("blockquote", "figure")},
    "dd": {"margin-left": "40px"},
    "body": dict.fromkeys(("margin-top", "margin-right", "margin-bottom", "margin-left"), "8px"),
}


def of_browsers(tag: str) -> Values:
    """Return the margins and paddings that browsers set for an element before any stylesheet, by side."""
    return _DEFAULTS.get(tag, {})

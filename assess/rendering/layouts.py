"""How each element of a page is laid out, and what of its content is present but not visible."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from assess.rendering.allowed import INLINE, words
from assess.rendering.cut_lines import Room, is_beside, is_lower, room_of, taken_height
from assess.rendering.hidden_elements import STYLED, Declarations, PageStyles, cascaded, declarations_of
from assess.rendering.lengths import Values
from assess.rendering.moves import FAR
from assess.rendering.physical import by_sides, of_browsers
from assess.rendering.places import (
    PAGE,
    SCREEN,
    Kind,
    Surroundings,
    holds,
    is_cut_off,
    may_leave_parent,
    moves_into_sight,
    place,
)
from assess.rendering.unpainted import (
    animates,
    clips_all,
    cuts,
    font_size,
    indents_away,
    is_clear,
    is_off_the_page,
    is_unpainted,
)

NOT_SHOWN = words("head title style link datalist area col colgroup rp source defs")
_BLOCK = words(
    """
    html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre search section
    summary table tbody tfoot thead tr caption ul option optgroup text mtr
    """
)
SPACED = words("p h1 h2 h3 h4 h5 h6 blockquote ul ol dl pre table")
_CELLS = frozenset({"td", "th", "mtd"})
_PARTED = words("mfrac mroot munder mover munderover menclose")
"""Elements of formulas whose parts are above one another, and so separate in the text."""
_BOXED = words("button input textarea select")
_SIMPLE = INLINE | words("p div br wbr h1 h2 h3 h4 h5 h6 section article")
_TABLES = words("table tbody thead tfoot tr caption")
_INLINE_DISPLAYS = frozenset(
    {"inline", "inline-block", "inline-flex", "inline-table", "inline-grid", "contents", "ruby"}
)


class FirstLine:
    """Whether a block's text is still on a first line that is pushed out of sight. Its inline elements share the
    object.
    """

    def __init__(self, away: bool = False) -> None:
        self.away = away


@dataclass(slots=True)
class Layout:
    """How one element's text is laid out.

    ``font`` is the height of its letters in pixels, or None if unknown; ``within`` is what is known of its
    surroundings; ``cut`` says whether a box around it cuts off what does not fit ("open" or "shut", as in ``clip``).

    ``room`` is the box that cuts off its lines. ``began`` is the height in the room at which the element begins.
    ``takes`` is the part of the room's height that it fills, or None if its lines decide that. An element with a place
    of its own (``is_own``) takes none.

    ``clip`` says what hides all of it: "" for nothing; "open" for a box that an element placed elsewhere can leave;
    "shut" for one that it can't leave; "away" and "far" for a box that is itself out of sight.
    """

    shown: bool
    block: bool
    cell: bool
    visible: bool
    white_space: str
    line: FirstLine
    indented: bool = False
    font: float | None = 16.0
    is_rtl: bool = False
    is_left: bool = True
    clip: str = ""
    cut: str = ""
    room: Room | None = None
    within: Surroundings = PAGE
    is_folded: bool = False
    boxed: bool = False
    parted: bool = False
    keeps_place: bool = False
    is_own: bool = False
    began: float = 0.0
    takes: float | None = None

    @property
    def painted(self) -> bool:
        """Whether text here is visible."""
        is_below = self.room is not None and self.room.is_full
        is_sized = self.font is None or self.font >= 1
        return self.visible and is_sized and not self.clip and not self.line.away and not is_below


def lay_out(node: Element, styles: PageStyles, parent: Layout) -> Layout:
    """Return how an element is laid out inside its parent. ``styles`` is what the page's stylesheets set."""
    tag = node.tag
    layout = Layout(
        shown=_shown_by_default(node),
        block=tag in _BLOCK,
        cell=tag in _CELLS,
        visible=parent.visible,
        white_space="pre" if tag in ("pre", "textarea") else parent.white_space,
        line=parent.line,
        indented=parent.indented,
        font=parent.font,
        is_rtl=parent.is_rtl,
        is_left=parent.is_left,
        clip=parent.clip,
        cut=parent.cut,
        room=parent.room,
        within=parent.within,
        is_folded=parent.is_folded,
        boxed=tag in _BOXED,
        parted=tag in _PARTED,
    )
    if "nowrap" in node.attrib and layout.cell:
        layout.white_space = "nowrap"
    declared = styles.set.get(node)
    inline = node.get("style")
    if inline and STYLED.search(inline):
        declared = cascaded((declared or {}, declarations_of(inline)))
    values = {name: value for name, (value, _) in declared.items()} if declared else {}
    if values:
        _apply(layout, values)
    if styles.hides:
        _follow(layout, values, node, styles.set, parent)
    if tag == "table" and parent.room is not None:
        parent.room.is_known = False
    if (layout.block or layout.cell or layout.boxed) and tag != "br":
        layout.line = FirstLine(layout.indented)
    return layout


def _follow(
    layout: Layout, values: dict[str, str], node: Element, styles: dict[Element, Declarations], parent: Layout
) -> None:
    """Record in the layout where the element is and what its values hide. Used only if something on the page may be
    hidden.
    """
    if "dir" in node.attrib:
        layout.is_rtl = node.attrib["dir"].lower() == "rtl"
    if node.tag == "center" or node.get("align", "left").lower() not in ("left", "justify"):
        layout.is_left = False
    if values:
        layout.is_rtl = values.get("direction", "rtl" if layout.is_rtl else "") == "rtl"
        values = {**of_browsers(node.tag), **by_sides(values, is_rtl=layout.is_rtl)}
        _hide(layout, values, node, styles, parent)
    elif usual := of_browsers(node.tag):
        _, layout.within = place(node, usual, _kind(layout, usual, node, styles), parent.within)
    elif layout.cell or node.tag in _TABLES:
        layout.within = parent.within.astray()
    elif layout.block and parent.within.row is not None and not parent.within.is_flex:
        parent.within.row.next = None


def _shown_by_default(node: Element) -> bool:
    tag = node.tag
    if tag in NOT_SHOWN or "hidden" in node.attrib or "popover" in node.attrib:
        return False
    return tag != "dialog" or "open" in node.attrib


def _apply(layout: Layout, values: dict[str, str]) -> None:
    display = values.get("display", "")
    if display == "none":
        layout.shown = False
    elif display:
        layout.shown = True
        layout.cell = display == "table-cell"
        layout.block = not layout.cell and display not in _INLINE_DISPLAYS
        layout.boxed = display.startswith("inline-")
    floats = values.get("float") in ("left", "right") or values.get("position") in ("absolute", "fixed")
    if floats:
        layout.block, layout.cell = True, False
    visibility = values.get("visibility")
    if visibility in ("visible", "hidden", "collapse"):
        layout.visible = visibility == "visible"
    elif visibility == "initial":
        layout.visible = True
    white_space = values.get("white-space")
    if white_space in ("normal", "nowrap", "pre", "pre-wrap", "pre-line", "break-spaces"):
        layout.white_space = white_space


def _kind(layout: Layout, values: Values, node: Element, styles: dict[Element, Declarations]) -> Kind:
    """Return the aspects of an element's layout that decide where it is."""
    is_box = layout.block or layout.cell or layout.boxed
    cutting = cuts(values) if is_box and node.tag not in ("html", "body") else ("", "")
    return Kind(
        position=values.get("position", ""),
        is_block=layout.block and node.tag not in _TABLES,
        is_rtl=layout.is_rtl,
        wraps=layout.white_space not in ("nowrap", "pre"),
        cuts=cutting,
        is_plain=lambda: layout.is_left and not layout.is_rtl and _is_plain(node, styles),
    )


def _is_plain(node: Element, styles: dict[Element, Declarations]) -> bool:
    inner = node.iter()
    next(inner)
    return all(each.tag in _SIMPLE and each not in styles and "style" not in each.attrib for each in inner)


def _hide(
    layout: Layout, values: dict[str, str], node: Element, styles: dict[Element, Declarations], parent: Layout
) -> None:
    """Set in a layout what its values hide. ``parent`` is the layout of the element around it."""
    if not layout.shown:
        return
    position = values.get("position", "")
    layout.is_own = position in ("absolute", "fixed")
    is_box = layout.block or layout.cell or layout.boxed
    if "text-align" in values:
        layout.is_left = values["text-align"] in ("left", "start", "justify", "initial")
    kind = _kind(layout, values, node, styles)
    is_out, layout.within = place(node, values, kind, parent.within)
    _get_out(layout, values, kind, parent, is_out=is_out)
    is_gone = is_unpainted(values, position=position) and (is_box or is_clear(values) or bool(position))
    is_far = is_off_the_page(values, position=position) and (is_box or bool(position))
    if is_gone or ((is_out or is_far) and not animates(values)):
        if is_gone or not _may_stick_out(node, values, styles):
            layout.shown, layout.keeps_place = False, True
        else:
            layout.clip = "far" if is_far else "away"
    elif _is_within(layout, position) and is_cut_off(values, position=position) and not animates(values):
        layout.shown = _may_stick_out(node, values, styles)
        layout.keeps_place = not layout.shown
    for name in ("font", "font-size"):
        if name in values:
            layout.font = font_size(name, values[name], layout.font)
    _bound_lines(layout, values, node, is_box=is_box)
    kept_in = "open" if position in ("", "static") and not holds(values) else "shut"
    if is_box and layout.cut != "shut" and "cut" in kind.cuts:
        layout.cut = kept_in
    is_shut = layout.is_folded and kind.cuts[1] == "cut" and position in ("", "static", "relative")
    is_table = layout.cell or node.tag in _TABLES
    if is_box and not layout.clip and not is_table and (is_shut or clips_all(values, is_rtl=layout.is_rtl)):
        layout.clip = kept_in
    rows = values.get("grid-template-rows", values.get("grid-template", "").partition("/")[0].strip())
    layout.is_folded = values.get("display", "") == "grid" and rows == "0fr"
    if "text-indent" in values:
        nowrap = layout.white_space in ("nowrap", "pre")
        away = indents_away(values, node, is_rtl=layout.is_rtl, nowrap=nowrap)
        layout.indented = layout.indented if away is None else away


def _get_out(layout: Layout, values: Values, kind: Kind, parent: Layout, *, is_out: bool) -> None:
    """Make an element visible if its parent is out of sight but the element itself is placed in sight."""
    if layout.clip in ("open", "shut"):
        if (kind.position == "fixed" and parent.within.screen is SCREEN) or (layout.clip == "open" and kind.is_own):
            layout.clip = ""
        elif layout.clip == "open" and kind.position in ("relative", "sticky"):
            layout.clip = "shut"
    elif (
        layout.clip
        and not is_out
        and moves_into_sight(values, kind, parent.within, far=FAR if layout.clip == "far" else 0)
    ):
        layout.clip = ""


def _may_stick_out(node: Element, values: Values, styles: dict[Element, Declarations]) -> bool:
    """Return whether something inside an element may be in sight although the element is not."""
    if values.get("display", "").endswith("flex"):
        return True
    inner = node.iter()
    next(inner)
    for each in inner:
        declared = styles.get(each, {})
        if "style" in each.attrib:
            declared = cascaded((declared, declarations_of(each.attrib["style"])))
        if declared and may_leave_parent({name: value for name, (value, _) in declared.items()}):
            return True
    return False


def _bound_lines(layout: Layout, values: dict[str, str], node: Element, *, is_box: bool) -> None:
    """Set in a layout what cuts off its lines, and count the element in the room of the box around it."""
    if layout.room is not None:
        if is_beside(values) or is_lower(values, layout.room, font=layout.font):
            layout.room.is_known = False
        if layout.is_own:
            layout.room = None
        elif layout.block:
            layout.takes = taken_height(values)
            layout.room.leave_free(values)
    if is_box and node.tag not in ("html", "body"):
        is_row = values.get("display", "").startswith(("flex", "grid", "table")) or layout.cell or node.tag in _TABLES
        is_upright = values.get("writing-mode", "horizontal-tb") != "horizontal-tb" or "columns" in values
        layout.room = None if is_row or is_upright else room_of(values, font=layout.font) or layout.room


def _is_within(layout: Layout, position: str) -> bool:
    """Return whether a box around an element with this ``position`` cuts off what of it does not fit."""
    return layout.cut == "shut" or (layout.cut == "open" and position not in ("absolute", "fixed"))

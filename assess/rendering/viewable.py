"""The viewable text of a page: what a person sees of it in a browser, which is what counts for judging.

Close to the browsers' innerText: blocks on lines of their own, cells apart by tabs, white space collapsed
as CSS says, and nothing of what is hidden by the `hidden` attribute, closed <details>, `style` attributes
or the page's own stylesheets, nor of what these keep from being painted (`unpainted.py`). What stands in fields and on
buttons is shown, and of a list that opens on a click the choice that is made. META, comments, scripts and alternative
texts are not seen and not in it. Paragraphs, headings and lists are set apart by an empty line, for reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from assess.rendering.allowed import words
from assess.rendering.cut_lines import Room, is_beside, room_of
from assess.rendering.hidden_elements import STYLED, Declarations, declarations_of
from assess.rendering.lines import Lines
from assess.rendering.off_screen import is_cut_off, is_off_screen
from assess.rendering.unpainted import (
    OVERFLOWS,
    animates,
    clips_all,
    font_is_nothing,
    indents_away,
    is_clear,
    is_unpainted,
)

_NOT_SHOWN = words("head title style link datalist area col colgroup rp source defs")
_WITHOUT_TEXT = words("meter progress input textarea select")
_TYPED = words("text search email url tel number submit reset button")
_BLOCK = words(
    """
    html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre search section
    summary table tbody tfoot thead tr caption ul option optgroup text mtr
    """
)
_SPACED = words("p h1 h2 h3 h4 h5 h6 blockquote ul ol dl pre table")
_CELLS = frozenset({"td", "th", "mtd"})
_PARTED = words("mfrac mroot munder mover munderover menclose")
"""Of formulas: what stands in them stands apart, one above the other."""
_BOXED = words("button input textarea select")
_INLINE_DISPLAYS = frozenset(
    {"inline", "inline-block", "inline-flex", "inline-table", "inline-grid", "contents", "ruby"}
)


class _FirstLine:
    """Whether a block's text is still on a first line that is pushed out of sight; its inline elements share it."""

    def __init__(self, away: bool = False) -> None:
        self.away = away


@dataclass(slots=True)
class _Layout:
    """How one element's text is laid out; children inherit all but the first three and the last three.

    ``placed`` says whether something around it has a place of its own, against which others are placed, and ``cut``
    whether a box around it cuts off what does not fit ("open", "shut": as ``clip``).

    ``clip`` is what cuts all of it off: "" nothing, "open" a box that an element placed elsewhere gets out of, "shut"
    one that it does not.
    """

    shown: bool
    block: bool
    cell: bool
    visible: bool
    white_space: str
    line: _FirstLine
    indented: bool = False
    sized: bool = True
    clip: str = ""
    boxed: bool = False
    parted: bool = False
    keeps_place: bool = False
    placed: bool = False
    cut: str = ""
    room: Room | None = None

    @property
    def painted(self) -> bool:
        """Whether text here is seen."""
        is_below = self.room is not None and self.room.is_full
        return self.visible and self.sized and not self.clip and not self.line.away and not is_below


def viewable_text(root: Element, styles: dict[Element, Declarations]) -> tuple[str, list[Element]]:
    """The text that a prepared page shows, and the outermost elements that are hidden.

    ``styles`` is what the page's stylesheets set (``visibility.styles_of_page``). Linear in the page's size;
    without recursion.
    """
    lines = Lines()
    hidden: list[Element] = []
    body = root.find("body")
    if body is None:
        return "", hidden
    tailless = {body}  # what stands after these is not shown
    top = _Layout(shown=True, block=True, cell=False, visible=True, white_space="normal", line=_FirstLine())
    stack: list[tuple[Element, _Layout, _Layout | None]] = [(body, _inherited(root, styles, top), None)]
    while stack:
        node, parent, leaving = stack.pop()
        if leaving is not None:
            _leave(node, leaving, lines)
            lines.space = lines.space or parent.parted
            if parent.room is not None and (leaving.block or node.tag == "br"):
                parent.room.edge(is_break=node.tag == "br")
            if node not in tailless:
                _write(node.tail, parent, lines)
            continue
        layout = _inherited(node, styles, parent)
        if layout.shown and layout.block and node.tag != "br" and parent.room is not None:
            parent.room.edge()
            layout.shown, layout.keeps_place = not parent.room.is_full, parent.room.is_full
        if not layout.shown:
            if node.tag not in _NOT_SHOWN:
                hidden.append(node)
            if layout.keeps_place:
                lines.apart(layout.block or layout.cell)
            if node not in tailless:
                _write(node.tail, parent, lines)
            continue
        stack.append((node, parent, layout))
        _enter(node, layout, lines)
        if node.tag in _WITHOUT_TEXT:
            if layout.painted and node.get("type", "").strip().lower() != "hidden":
                lines.control(_control_text(node))
        else:
            children = _shown_children(node)
            if _is_closed(node):
                tailless.update(children)
            else:
                _write(node.text, layout, lines)
            stack.extend((child, layout, None) for child in reversed(children))
    return lines.result(), hidden


def _write(text: str | None, layout: _Layout, lines: Lines) -> None:
    """Add a text of an element that is laid out like this, where it is seen."""
    if text and layout.painted:
        if layout.room is not None and not text.isspace():
            layout.room.text()
        lines.text(text, layout.white_space)


def _control_text(node: Element) -> str:
    """What stands in a field, on a button or in a list of choices."""
    if node.tag == "textarea":
        return (node.text or "").removeprefix("\n") or node.get("placeholder") or ""
    if node.tag == "select":
        return "\n".join(_chosen(node))
    if node.tag == "input" and node.get("type", "text").strip().lower() in _TYPED:
        return node.get("value") or node.get("placeholder") or ""
    return ""


def _chosen(select: Element) -> list[str]:
    """The choices that a list shows: all where it has lines for them, else the last that is chosen or the first."""
    options = [" ".join("".join(each.itertext()).split()) or each.get("label", "") for each in select.iter("option")]
    size = select.get("size", "").strip()
    if "multiple" in select.attrib or (size.isdecimal() and int(size[:4]) > 1):
        return options
    marked = [place for place, each in enumerate(select.iter("option")) if "selected" in each.attrib]
    return [options[marked[-1] if marked else 0]] if options else []


def _shown_children(node: Element) -> list[Element]:
    """All children, but of a closed <details> its first summary alone."""
    children = list(node)
    return [child for child in children if child.tag == "summary"][:1] if _is_closed(node) else children


def _is_closed(node: Element) -> bool:
    return node.tag == "details" and node.get("open") is None


def _enter(node: Element, layout: _Layout, lines: Lines) -> None:
    if node.tag == "br":
        lines.line_break()
        layout.line.away = False
    elif layout.block:
        lines.block(2 if node.tag in _SPACED else 1)
    elif node.tag == "button":
        lines.space = True


def _leave(node: Element, layout: _Layout, lines: Lines) -> None:
    if layout.cell:
        lines.tab()
    elif layout.block and node.tag != "br":
        lines.block(2 if node.tag in _SPACED else 1)
    elif node.tag == "button":
        lines.space = True


def _inherited(node: Element, styles: dict[Element, Declarations], parent: _Layout) -> _Layout:
    tag = node.tag
    layout = _Layout(
        shown=_shown_by_default(node),
        block=tag in _BLOCK,
        cell=tag in _CELLS,
        visible=parent.visible,
        white_space="pre" if tag in ("pre", "textarea") else parent.white_space,
        line=parent.line,
        indented=parent.indented,
        sized=parent.sized,
        clip=parent.clip,
        placed=parent.placed,
        cut=parent.cut,
        room=parent.room,
        boxed=tag in _BOXED,
        parted=tag in _PARTED,
    )
    if "nowrap" in node.attrib and layout.cell:
        layout.white_space = "nowrap"
    declared = styles.get(node)
    inline = node.get("style")
    if inline and STYLED.search(inline):
        declared = _with_inline(declared, declarations_of(inline))
    if declared:
        values = {name: value for name, (value, _) in declared.items()}
        _apply(layout, values)
        _hide(layout, values, node)
    if tag == "table" and parent.room is not None:
        parent.room.is_known = False
    if (layout.block or layout.cell or layout.boxed) and tag != "br":
        layout.line = _FirstLine(layout.indented)
    return layout


def _shown_by_default(node: Element) -> bool:
    tag = node.tag
    if tag in _NOT_SHOWN or "hidden" in node.attrib or "popover" in node.attrib:
        return False
    return tag != "dialog" or "open" in node.attrib


def _with_inline(declared: Declarations | None, inline: Declarations) -> Declarations:
    """A style attribute wins over rules, but for important ones."""
    result = dict(declared or {})
    for name, (value, important) in inline.items():
        if important or not result.get(name, ("", False))[1]:
            result[name] = (value, important)
    return result


def _apply(layout: _Layout, values: dict[str, str]) -> None:
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


def _hide(layout: _Layout, values: dict[str, str], node: Element) -> None:
    """What is not painted, though it is there."""
    position = values.get("position", "")
    if layout.clip == "open" and position in ("absolute", "fixed"):
        layout.clip = ""
    elif layout.clip == "open" and position in ("relative", "sticky"):
        layout.clip = "shut"
    is_box = layout.block or layout.cell or layout.boxed
    if is_unpainted(values, position=position) and (is_box or is_clear(values) or position):
        layout.shown, layout.keeps_place = False, True
    if layout.shown and _is_out(layout, values, node, position):
        layout.shown, layout.keeps_place = False, True
    if position not in ("", "static") or values.get("transform", "none") != "none":
        layout.placed = True
    if layout.room is not None and is_beside(values):
        layout.room.is_known = False
    if is_box and node.tag not in ("html", "body"):
        is_row = values.get("display", "").startswith(("flex", "grid"))
        layout.room = None if is_row else room_of(values) or layout.room
    if is_box and (layout.cut != "shut") and any(values.get(name) in ("hidden", "clip") for name in OVERFLOWS):
        layout.cut = "open" if position in ("", "static") else "shut"
    if is_box and not layout.clip and clips_all(values):
        layout.clip = "open" if position in ("", "static") else "shut"
    away = indents_away(values)
    if away is not None:
        layout.indented = away
    for name in ("font", "font-size"):
        if name in values:
            nothing = font_is_nothing(name, values[name])
            layout.sized = layout.sized if nothing is None else not nothing


def _is_out(layout: _Layout, values: dict[str, str], node: Element, position: str) -> bool:
    """Whether an element is placed beyond the screen, the page, or a box that cuts it off."""
    if animates(values):
        return False
    if position == "fixed" and not layout.placed:
        return is_off_screen(values, node, is_fixed=True)
    if position == "absolute" and not layout.placed:
        return is_off_screen(values, node, is_fixed=False)
    is_within = layout.cut == "shut" or (layout.cut == "open" and position not in ("absolute", "fixed"))
    return is_within and is_cut_off(values, position=position)

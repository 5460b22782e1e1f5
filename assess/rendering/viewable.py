"""The viewable text of a page: what a person sees of it in a browser, which is what counts for judging.

Close to the browsers' innerText: blocks on lines of their own, cells apart by tabs, white space collapsed
as CSS says, and nothing of what is hidden by the `hidden` attribute, closed <details>, `style` attributes
or the page's own stylesheets, nor of what these keep from being painted (`unpainted.py`). What stands in fields and on
buttons is shown, and of a list that opens on a click the choice that is made. META, comments, scripts and alternative
texts are not seen and not in it. Paragraphs, headings and lists are set apart by an empty line, for reading.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from assess.rendering.allowed import words
from assess.rendering.encoding import drop_controls
from assess.rendering.hidden_elements import STYLED, Declarations, declarations_of
from assess.rendering.unpainted import clips_all, font_is_nothing, indents_away, is_clear, is_unpainted

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
_SPACES = re.compile(r"[ \t\n\r\f]+")
_BLANKS = re.compile(r"[ \t\r\f]+")
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

    @property
    def painted(self) -> bool:
        """Whether text here is seen."""
        return self.visible and self.sized and not self.clip and not self.line.away


def _one_space(text: str) -> str:
    """The text with one space for each stretch of white space; most texts have no other, which is told much faster."""
    return text if text.isprintable() and "  " not in text else _SPACES.sub(" ", text)


class _Lines:
    """Collects text with white space collapsed and line breaks merged."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.space = False
        self.breaks = 0
        self.fresh = True  # nothing yet on this line
        self.tabbed = False  # a cell has just ended

    def text(self, text: str, white_space: str) -> None:
        """Add text of an element whose white-space is this."""
        if white_space in ("pre", "pre-wrap", "break-spaces"):
            self._put(text.replace("\r\n", "\n").replace("\r", "\n"))
        elif white_space == "pre-line":
            for index, line in enumerate(text.split("\n")):
                if index:
                    self.line_break()
                self._collapsed(_BLANKS.sub(" ", line))
        else:
            self._collapsed(_one_space(text))

    def _collapsed(self, text: str) -> None:
        if text.startswith(" "):
            self.space = True
        stripped = text.strip(" ")
        if stripped:
            self._put(stripped)
            self.space = text.endswith(" ")

    def _put(self, text: str) -> None:
        if not text:
            return
        if self.breaks and self.parts:
            self.parts.append("\n" * self.breaks)
            self.fresh = True
        elif self.space and not self.fresh and not self.tabbed:
            self.parts.append(" ")
        self.breaks, self.space, self.tabbed = 0, False, False
        self.parts.append(text)
        self.fresh = text.endswith("\n")

    def control(self, text: str) -> None:
        """Add what stands in a field or on a button, apart from the text around it; it parts words even when empty."""
        self.space = True
        for index, line in enumerate(text.strip().split("\n")):
            if index:
                self.line_break()
            self._collapsed(_one_space(line))
        self.space = True

    def apart(self, block: bool) -> None:
        """Something that is not seen and yet stands between the text before it and after it."""
        if block:
            self.block(1)
        self.space = self.space or not block

    def line_break(self) -> None:
        """A <br>: it ends this line, or makes an empty one."""
        if self.breaks and self.parts:
            self.parts.append("\n" * self.breaks)
        self.breaks, self.space = 0, False
        self.parts.append("\n")
        self.fresh = True

    def block(self, breaks: int) -> None:
        """The edge of a block: the next text starts a new line, or after an empty one."""
        wanted = max(0, breaks - 1) if self.fresh else breaks
        self.breaks, self.space = max(self.breaks, wanted), False

    def tab(self) -> None:
        """The edge between two cells of a row."""
        if not self.fresh and not self.breaks:
            self.parts.append("\t")
            self.space, self.tabbed = False, True

    def result(self) -> str:
        """All of it, without space at line ends and with one empty line at most."""
        text = drop_controls("".join(self.parts))
        if " \n" in text or "\t\n" in text:
            text = re.sub(r"[ \t]+\n", "\n", text)
        return re.sub(r"\n{3,}", "\n\n", text).strip("\n\t ")


def viewable_text(root: Element, styles: dict[Element, Declarations]) -> tuple[str, list[Element]]:
    """The text that a prepared page shows, and the outermost elements that are hidden.

    ``styles`` is what the page's stylesheets set (``visibility.styles_of_page``). Linear in the page's size;
    without recursion.
    """
    lines = _Lines()
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
            if node.tail and parent.painted and node not in tailless:
                lines.text(node.tail, parent.white_space)
            continue
        layout = _inherited(node, styles, parent)
        if not layout.shown:
            if node.tag not in _NOT_SHOWN:
                hidden.append(node)
            if layout.keeps_place:
                lines.apart(layout.block or layout.cell)
            if node.tail and parent.painted and node not in tailless:
                lines.text(node.tail, parent.white_space)
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
            elif node.text and layout.painted:
                lines.text(node.text, layout.white_space)
            stack.extend((child, layout, None) for child in reversed(children))
    return lines.result(), hidden


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


def _enter(node: Element, layout: _Layout, lines: _Lines) -> None:
    if node.tag == "br":
        lines.line_break()
        layout.line.away = False
    elif layout.block:
        lines.block(2 if node.tag in _SPACED else 1)
    elif node.tag == "button":
        lines.space = True


def _leave(node: Element, layout: _Layout, lines: _Lines) -> None:
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
        _hide(layout, values)
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


def _hide(layout: _Layout, values: dict[str, str]) -> None:
    """What is not painted, though it is there."""
    position = values.get("position", "")
    if layout.clip == "open" and position in ("absolute", "fixed"):
        layout.clip = ""
    elif layout.clip == "open" and position in ("relative", "sticky"):
        layout.clip = "shut"
    is_box = layout.block or layout.cell or layout.boxed
    if is_unpainted(values, position=position) and (is_box or is_clear(values) or position):
        layout.shown, layout.keeps_place = False, True
    if is_box and not layout.clip and clips_all(values):
        layout.clip = "open" if position in ("", "static") else "shut"
    away = indents_away(values)
    if away is not None:
        layout.indented = away
    for name in ("font", "font-size"):
        if name in values:
            nothing = font_is_nothing(name, values[name])
            layout.sized = layout.sized if nothing is None else not nothing

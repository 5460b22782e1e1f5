"""The viewable text of a page: what a person sees of it in a browser, which is what counts for judging.

It is close to the browsers' innerText: blocks on lines of their own, cells separated by tabs, and white space collapsed
as CSS says. Content is left out that is hidden by the `hidden` attribute, a closed <details>, `style` attributes or the
page's own stylesheets, or that these keep from being painted (`unpainted.py`). The text of fields and buttons is
included, and of a drop-down list the selected choice. Metadata, comments, scripts and alternative texts are not seen
and so not included. Paragraphs, headings and lists are separated by an empty line, for reading.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from assess.rendering.allowed import words
from assess.rendering.hidden_elements import PageStyles
from assess.rendering.layouts import NOT_SHOWN, SPACED, FirstLine, Layout, lay_out
from assess.rendering.lines import Lines

_WITHOUT_TEXT = words("meter progress input textarea select")
_TYPED = words("text search email url tel number submit reset button")


def viewable_text(root: Element, styles: PageStyles) -> tuple[str, list[Element]]:
    """Return the text that a prepared page shows, and the outermost elements that are hidden.

    ``styles`` is what the page's stylesheets set (`hidden_elements.styles_of_page`). It takes time linear in the page's
    size and does not recurse.
    """
    lines = Lines()
    hidden: list[Element] = []
    body = root.find("body")
    if body is None:
        return "", hidden
    tailless = {body}  # text after these elements is not shown
    top = Layout(shown=True, block=True, cell=False, visible=True, white_space="normal", line=FirstLine())
    stack: list[tuple[Element, Layout, Layout | None]] = [(body, lay_out(root, styles, top), None)]
    while stack:
        node, parent, leaving = stack.pop()
        if leaving is not None:
            _leave(node, leaving, lines)
            lines.space = lines.space or parent.parted
            if parent.room is not None and (leaving.block or node.tag == "br") and not leaving.is_own:
                parent.room.edge(is_break=node.tag == "br")
                if leaving.takes is not None and not parent.room.is_of_lines:
                    parent.room.above = leaving.began + leaving.takes
            if node not in tailless:
                _write(node.tail, parent, lines)
            continue
        layout = lay_out(node, styles, parent)
        if layout.shown and layout.block and node.tag != "br" and parent.room is not None and not layout.is_own:
            parent.room.edge()
            layout.began = parent.room.above
            if layout.shown and parent.room.is_full:
                layout.shown, layout.keeps_place = False, True
        if not layout.shown:
            if node.tag not in NOT_SHOWN:
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


def _write(text: str | None, layout: Layout, lines: Lines) -> None:
    """Add a text of an element with this layout, if it is visible."""
    if text and layout.painted:
        if layout.room is not None and not text.isspace():
            layout.room.text(len(text))
        lines.text(text, layout.white_space)


def _control_text(node: Element) -> str:
    """Return the text of a field, a button or a list of choices; "" for one that shows none, such as a tick box."""
    if node.tag == "textarea":
        return (node.text or "").removeprefix("\n") or node.get("placeholder") or ""
    if node.tag == "select":
        return "\n".join(_chosen(node))
    if node.tag == "input" and node.get("type", "text").strip().lower() in _TYPED:
        return node.get("value") or node.get("placeholder") or ""
    return ""


def _chosen(select: Element) -> list[str]:
    """Return the choices that a list shows: all if it has several lines, otherwise the last selected one or the
    first.
    """
    options = [" ".join("".join(each.itertext()).split()) or each.get("label", "") for each in select.iter("option")]
    size = select.get("size", "").strip()
    if "multiple" in select.attrib or (size.isdecimal() and int(size[:4]) > 1):
        return options
    marked = [place for place, each in enumerate(select.iter("option")) if "selected" in each.attrib]
    return [options[marked[-1] if marked else 0]] if options else []


def _shown_children(node: Element) -> list[Element]:
    """Return all children; but for a closed <details>, only its first summary."""
    children = list(node)
    return [child for child in children if child.tag == "summary"][:1] if _is_closed(node) else children


def _is_closed(node: Element) -> bool:
    return node.tag == "details" and node.get("open") is None


def _enter(node: Element, layout: Layout, lines: Lines) -> None:
    if node.tag == "br":
        lines.line_break()
        layout.line.away = False
    elif layout.block:
        lines.block(2 if node.tag in SPACED else 1)
    elif node.tag == "button":
        lines.space = True


def _leave(node: Element, layout: Layout, lines: Lines) -> None:
    if layout.cell:
        lines.tab()
    elif layout.block and node.tag != "br":
        lines.block(2 if node.tag in SPACED else 1)
    elif node.tag == "button":
        lines.space = True

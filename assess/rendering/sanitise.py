"""Make a whole crawled page safe to show: parse it, prepare its tree, filter every token, write it.

This is one layer of three; the sandboxed frame and the response's Content-Security-Policy are the others
(`csp.py`). html5lib and bleach do the parsing, filtering and writing (`markup.py`).

Known traps, each with a test:

* the filter expects a parser that leaves entities alone, so ``sanitize_characters`` is overridden;
  otherwise `&amp;lt;` is decoded twice;
* filters cannot drop subtrees and cannot see the DOCTYPE, so `sanitise_tree` goes first;
* quirks mode is kept by one of three fixed DOCTYPEs, never the page's own;
* the tree walker reads an attribute `{x}href` as `href` in a namespace, so it would not be checked as an address but
  written as `href`: names that begin with a brace are dropped first;
* bleach lets `javascript:123` through and checks CSS by property name only, so addresses and stylesheets
  are rewritten before.

Links do not leave the page: they point to a place that does not exist, and have the address as their title.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast
from xml.etree.ElementTree import Element, SubElement

from assess.rendering.addresses import Addresses, Sheets
from assess.rendering.allowed import DROPPED, ELEMENTS, HIDDEN, allow_attribute, is_custom_element, shown_tag
from assess.rendering.css import Sheet, StyleAttributes, rewrite_sheet
from assess.rendering.markup import PageFilter, serialise, tokens_of
from assess.rendering.media import screen_shows
from assess.rendering.replaced import ELEMENTS as DRAWN
from assess.rendering.replaced import LEFT_OUT, NAMES, ROOTS, STYLE, LeftOut, is_allowed, still
from assess.rendering.unstored import Unstored

# The tree is html5lib's, as xml.etree elements without namespace prefixes. It is changed in place, without
# recursion, since pages nest as deep as they like.


@dataclass(slots=True)
class Prepared:
    """A page's tree after it was prepared.

    ``sheets`` holds (media attribute, stylesheet) of its <style> elements. ``stored`` are the collection's stylesheets;
    those that the page links to are written into it. ``unstored`` holds the stylesheets and images on the web that its
    elements refer to. ``dropped_frames`` counts the frames that were left out, since a page made only of frames shows
    nothing.
    """

    root: Element
    addresses: Addresses
    sheets: list[tuple[str, Sheet]] = field(default_factory=list)
    dropped_frames: int = 0
    left_out: LeftOut = field(default_factory=LeftOut)
    stored: Sheets = field(default_factory=dict)
    unstored: Unstored = field(default_factory=Unstored)


def sanitise_tree(root: Element, url: str, stored: Sheets | None = None) -> Prepared:
    """Make a parsed page harmless as far as its tree allows, by dropping and rewriting elements in place.

    The viewable text is read from the result; `write_page` then checks every element again.
    """
    base = next((node.get("href") for node in root.iter("base") if node.get("href")), None)
    page = Prepared(root=root, addresses=Addresses(url, base), stored=stored or {})
    _rewrite(root, page)
    stack = [root]
    while stack:
        parent = stack.pop()
        _drop_children(parent, page)
        for child in parent:
            if child.tag not in ROOTS:
                _rewrite(child, page)
                stack.append(child)
    for box, tag in page.left_out.boxes:
        box.set(LEFT_OUT, NAMES[tag][0])
    _complete(root, with_boxes=bool(page.left_out.boxes))
    return page


def _drop_children(parent: Element, page: Prepared) -> None:
    """Remove comments and dropped elements with their content, or put what is shown instead in their place. The text
    after them stays.
    """
    kept: list[Element] = []
    children = list(parent)
    for child in children:
        shown = child if _is_shown(child) else _instead(child, page)
        if shown is not None:
            shown.tail = child.tail
            kept.append(shown)
            continue
        if child.tail:
            if kept:
                kept[-1].tail = (kept[-1].tail or "") + child.tail
            else:
                parent.text = (parent.text or "") + child.tail
    if kept != children:
        parent[:] = kept


def _instead(node: Element, page: Prepared) -> Element | None:
    """Return what is shown instead of an element that can't be: a copied drawing, a box, or nothing."""
    tag: object = node.tag
    if tag in ("frame", "frameset", "iframe"):
        page.dropped_frames += 1
    if not isinstance(tag, str):  # a comment
        return None
    if tag.startswith("{"):
        tag = tag.rpartition("}")[2]
        found = still(node)
        if found.root is not None:
            if not found.is_whole:
                page.left_out.parts.append((found.root, tag))
            return found.root
    return page.left_out.box(node, tag) if tag in NAMES else None


def _is_shown(node: Element) -> bool:
    tag = node.tag
    if not isinstance(tag, str) or tag.startswith("{"):  # comments; svg and math
        return False
    if tag.lower() in DROPPED or tag != tag.lower():
        return False
    if tag == "link":
        rels = (node.get("rel") or "").lower().split()
        return "stylesheet" in rels and "alternate" not in rels and bool(node.get("href"))
    return True


def _rewrite(node: Element, page: Prepared) -> None:
    node.tag = tag = shown_tag(node.tag)
    attributes = node.attrib
    for name in [each for each in attributes if each.startswith("{")]:
        del attributes[name]
    attributes.pop(HIDDEN, None)
    attributes.pop(LEFT_OUT, None)
    addresses = page.addresses
    if tag == "style":
        _rewrite_sheet(node, page)
    elif tag == "link":
        address = addresses.fetched(attributes.get("href", ""))
        if address is not None and address in page.stored:
            _write_in(node, address, page)
        else:
            _replace(node, "href", address)
            attributes["rel"] = "stylesheet"
            if address is not None and screen_shows(attributes.get("media", "")):
                page.unstored.sheets.append(address)
    elif tag in ("a", "area"):
        _rewrite_link(node, addresses)
    elif tag in ("input", "button"):
        _disarm(node)
    for name in ("src", "background"):
        if name in attributes:
            _replace(node, name, addresses.resource(attributes[name]))
    if "srcset" in attributes:
        _replace(node, "srcset", addresses.srcset(attributes["srcset"]) or None)
    _note_image(node, page)
    if "usemap" in attributes and not attributes["usemap"].startswith("#"):
        del attributes["usemap"]


def _note_image(node: Element, page: Prepared) -> None:
    """Record the image on the web that an element shows: its source, or else the first of its srcset, or its
    background.
    """
    shown = node.get("src", "") or node.get("srcset", "").split(" ")[0] if node.tag in ("img", "input") else ""
    if node.tag == "input" and node.get("type", "").strip().lower() != "image":
        shown = ""
    for address in (shown, node.get("background", "")):
        if address.startswith("http"):
            page.unstored.images.append((node, address))


def _replace(node: Element, name: str, value: str | None) -> None:
    if value is None:
        node.attrib.pop(name, None)
    else:
        node.set(name, value)


def _rewrite_sheet(node: Element, page: Prepared) -> None:
    css = "".join(node.itertext())
    for child in list(node):
        node.remove(child)
    if node.get("type", "text/css").strip().lower() in ("", "text/css"):
        sheet = rewrite_sheet(css, page.addresses.base)
        node.text = sheet.written
        page.sheets.append((node.get("media", ""), sheet))
    else:
        node.text = ""


def _write_in(link: Element, address: str, page: Prepared) -> None:
    """Replace a link to a stored stylesheet with the stylesheet, whose addresses are resolved against its own
    address.
    """
    sheet = rewrite_sheet(page.stored[address], address)
    media = link.get("media", "")
    tail = link.tail
    link.clear()
    link.tag, link.tail, link.text = "style", tail, sheet.written
    if media:
        link.set("media", media)
    page.sheets.append((media, sheet))


def _rewrite_link(node: Element, addresses: Addresses) -> None:
    value = node.get("href")
    if value is None:
        return
    href, target = addresses.link(value)
    node.set("href", href)
    if target and not node.get("title"):
        node.set("title", target)


def _disarm(node: Element) -> None:
    """Make a control inactive without changing its look: it can't submit anything or choose files."""
    kind = node.get("type", "").strip().lower()
    if node.tag == "button":
        node.set("type", "button")
    elif kind in ("submit", "reset"):
        node.set("type", "button")
        node.set("value", node.get("value", kind.capitalize()))
    elif kind in ("image", "file"):
        node.set("disabled", "")


def _complete(root: Element, *, with_boxes: bool) -> None:
    """Put a <meta charset> first and the style of the boxes last in the head, and add a missing head or body."""
    head = root.find("head")
    if head is None:
        head = Element("head")
        root.insert(0, head)
    head.insert(0, Element("meta", {"charset": "utf-8"}))
    if with_boxes:
        SubElement(head, "style").text = STYLE
    if root.find("body") is None:
        SubElement(root, "body")


# Filtering a prepared page and writing it.

DOCTYPES = {
    "no quirks": "<!DOCTYPE html>",
    "limited quirks": '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" '
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
    "quirks": '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">',
}

_SCHEMES = frozenset({"http", "https", "data"})


def write_page(page: Prepared, mode: str) -> str:
    """Return a prepared page as filtered text, beginning with the DOCTYPE of its ``mode``.

    Every attribute value is in double quotes with `<`, `&` and `"` escaped, and every end tag is written.
    `highlight.py` relies on it.
    """
    stream = PageFilter(
        cast(Any, tokens_of(page.root)),
        allowed_tags=ELEMENTS | DRAWN | {node.tag for node in page.root.iter() if is_custom_element(node.tag)},
        attributes=_allow,
        allowed_protocols=_SCHEMES,
        strip_disallowed_tags=True,
        css_sanitizer=StyleAttributes(page.addresses.resource),
    )
    return DOCTYPES[mode] + serialise(stream)


def _allow(tag: str, name: str, value: str) -> bool:
    """Return whether an attribute is kept: it is allowed in pages or in drawings, or was added here."""
    if tag in DRAWN:
        return is_allowed(name, value)
    return name == LEFT_OUT or allow_attribute(tag, name, value)

"""Pages in XML: XHTML as it is, feeds and other XML as blocks of text. libxml2 parses them, as in Chromium.

In XML, `<script/>` and `<div/>` are whole elements, CDATA is text, and names are case-sensitive. A page that is not
well-formed is read as HTML. Nothing outside the page is read: no DTD, no external entity.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.entities import html5
from xml.etree.ElementTree import Element, SubElement

from lxml import etree

from assess.rendering.markup import parse_page

XHTML = "{http://www.w3.org/1999/xhtml}"
KEPT = ("{http://www.w3.org/2000/svg}", "{http://www.w3.org/1998/Math/MathML}")
"""The namespaces of drawings and formulas, by which `replaced.py` recognises them."""
_DECLARATION = re.compile(r"\A\s*<\?xml\b[^>]*\?>")
_ENTITY = re.compile(r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|&([A-Za-z][A-Za-z0-9]*);", re.DOTALL)
_OWN_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|&(?:#[0-9]+|#x[0-9a-fA-F]+|[a-zA-Z]+);")
_SILENT = frozenset({"script", "style", "guid", "id", "generator", "docs", "cloud", "ttl"})


def is_xml(media_type: str) -> bool:
    """Return whether documents of this type are XML.

    >>> is_xml("application/xhtml+xml"), is_xml("text/html")
    (True, False)
    """
    return media_type.endswith("+xml") or media_type in ("application/xml", "text/xml")


def parse_xml(text: str) -> Element | None:
    """Return the page as the tree that the sanitiser takes, as if it were parsed HTML; None if it is not
    well-formed.
    """
    source = _ENTITY.sub(_resolved, _DECLARATION.sub("", text, count=1)).lstrip()
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_pis=True, huge_tree=False)
    try:
        root = etree.fromstring(source.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    if root.tag in (f"{XHTML}html", "html"):
        return _copied(root, _xhtml_tag)
    page = Element("html")
    SubElement(page, "head")
    body = SubElement(page, "body")
    if root.tag.startswith(KEPT):
        body.append(_copied(root, _xhtml_tag))
    else:
        body.append(_feed(root) if _is_feed(root) else _copied(root, _block_tag))
    return page


def _resolved(match: re.Match[str]) -> str:
    """Return a named character of HTML as a number. XML has only five names, and browsers know the others in XHTML."""
    name = match[1]
    if name is None or name in _OWN_ENTITIES or f"{name};" not in html5:
        return match[0]
    return "".join(f"&#{ord(char)};" for char in html5[f"{name};"])


def _copied(root: etree._Element, tag_of: Callable[[str, bool], str]) -> Element:
    """Return a copy of the tree without comments, made without recursion. ``tag_of`` gives each element's tag from its
    name, and from whether there is text beside the element.
    """
    top = Element(tag_of(str(root.tag), False), _attributes(root))
    top.text = root.text
    stack = [(root, top)]
    while stack:
        old, new = stack.pop()
        last: Element | None = None
        is_mixed = any(text and not text.isspace() for text in [old.text, *(child.tail for child in old)])
        for child in old:
            if type(child) is etree._Element:
                last = SubElement(new, tag_of(child.tag, is_mixed), _attributes(child))
                last.text, last.tail = child.text, child.tail
                stack.append((child, last))
            elif child.tail and last is not None:  # a comment, or an entity that nobody declared
                last.tail = (last.tail or "") + child.tail
            elif child.tail:
                new.text = (new.text or "") + child.tail
    return top


def _attributes(node: etree._Element) -> dict[str, str]:
    return {str(name): str(value) for name, value in node.attrib.items() if not str(name).startswith("{")}


def _xhtml_tag(tag: str, is_within: bool) -> str:
    """Return the tag of an XHTML element. An element of another vocabulary becomes one that only shows its text."""
    del is_within
    if tag.startswith(KEPT):
        return tag
    name = tag.removeprefix(XHTML)
    return "span" if name.startswith("{") or name != name.lower() else name


def _block_tag(tag: str, is_within: bool) -> str:
    """Return a block for each element of other XML, or a span for one inside a text."""
    del tag
    return "span" if is_within else "div"


def _is_feed(root: etree._Element) -> bool:
    name = etree.QName(root).localname
    return name in ("rss", "feed") or (name == "RDF" and any("purl.org/rss" in str(uri) for uri in root.nsmap.values()))


def _feed(root: etree._Element) -> Element:
    """Return a page for a feed: its titles and those of its entries as headings, the rest as blocks with their
    markup.
    """
    top = Element("div")
    for node, is_entry in _texts_of_feed(root):
        name = etree.QName(node).localname
        if name in _SILENT:
            continue
        text = "".join(str(each) for each in node.itertext()).strip()
        address = node.get("href", "")
        if name == "link" and (text or address):
            link = SubElement(SubElement(top, "p"), "a", {"href": text or address})
            link.text = text or address
        elif len(node):
            top.append(_copied(node, _xhtml_tag))
        elif text and name == "title":
            SubElement(top, "h2" if is_entry else "h1").text = "".join(_marked_up(text).itertext())
        elif text:
            top.append(_marked_up(text))
    return top


def _texts_of_feed(root: etree._Element) -> Iterator[tuple[etree._Element, bool]]:
    """Yield the elements of a feed that hold text (leaves, and whole pieces of XHTML), and whether each belongs to an
    entry.
    """
    stack = [(root, False)]
    while stack:
        node, is_entry = stack.pop()
        is_entry = is_entry or etree.QName(node).localname in ("item", "entry")
        children = [child for child in node if type(child) is etree._Element]
        if not children or any(child.tag.startswith(XHTML) for child in children):
            yield node, is_entry
        else:
            stack.extend((child, is_entry) for child in reversed(children))


def _marked_up(text: str) -> Element:
    """Return a text of a feed as a block; markup in it is parsed as HTML."""
    block = Element("div")
    if _MARKUP.search(text) is None:
        block.text = text
        return block
    body = parse_page(text)[0].find("body")
    if body is not None:
        block.text = body.text
        block.extend(list(body))
    return block

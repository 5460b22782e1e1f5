"""A whole crawled page made safe to show: html5lib parses, a pass prepares, bleach's filter checks, html5lib writes.

This is one layer of three; the sandboxed frame and the response's Content-Security-Policy are the others
(`csp.py`). bleach gets no more releases, so all that is used of it is here: its filter class.

Traps met, each with a test:

* the filter expects a parser that leaves entities alone, so ``sanitize_characters`` is overridden;
  otherwise `&amp;lt;` is decoded twice;
* filters cannot drop subtrees and cannot see the DOCTYPE, so `prepare.py` goes first;
* quirks mode is kept by one of three fixed DOCTYPEs, never the page's own;
* bleach lets `javascript:123` through and checks CSS by property name only, so addresses and stylesheets
  are rewritten before.

Links do not lead away: they point to nowhere in the same page, with the address as their title.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
from bleach.sanitizer import BleachSanitizerFilter
from html5lib.serializer import HTMLSerializer

from assess.rendering.allowed import ELEMENTS, allow_attribute, is_custom_element
from assess.rendering.css import StyleAttributes
from assess.rendering.drawings import ELEMENTS as DRAWN
from assess.rendering.drawings import is_allowed
from assess.rendering.encoding import drop_controls
from assess.rendering.left_out import LEFT_OUT
from assess.rendering.linked_sheets import Sheets
from assess.rendering.prepare import Prepared, prepare_tree

DOCTYPES = {
    "no quirks": "<!DOCTYPE html>",
    "limited quirks": '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" '
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
    "quirks": '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">',
}

_SCHEMES = frozenset({"http", "https", "data"})
_VERBATIM_START = frozenset({"pre", "textarea"})
Token = dict[str, Any]


class PageFilter(BleachSanitizerFilter):
    """bleach's filter over a whole page: the same checks, for a tree whose entities are already resolved."""

    def sanitize_characters(self, token: Token) -> Token:
        """Text as it is, but for control characters; the serializer escapes it."""
        token["data"] = drop_controls(token.get("data", ""))
        return token

    def sanitize_token(self, token: Token) -> Any:
        """As bleach does; the one meta element that the pass put in stays."""
        if token["type"] in ("StartTag", "EmptyTag", "EndTag") and token["name"] == "meta":
            token["data"] = {(None, "charset"): "utf-8"}
            return token
        return super().sanitize_token(token)


def parse_page(text: str) -> tuple[Element, str]:
    """The tree of a page and its mode: "no quirks", "limited quirks" or "quirks"."""
    builder = html5lib.treebuilders.getTreeBuilder("etree")
    parser = html5lib.HTMLParser(tree=builder, namespaceHTMLElements=False)
    root: Element = parser.parse(text, scripting=True)
    return root, parser.compatMode


def sanitise_tree(root: Element, url: str, stored: Sheets | None = None) -> Prepared:
    """The first half: drop and rewrite. Viewable text is read from what it returns."""
    return prepare_tree(root, url, stored or {})


def write_page(page: Prepared, mode: str) -> str:
    """The second half: the filtered page as text, beginning with its DOCTYPE.

    Every attribute value stands in double quotes with `<`, `&` and `"` escaped and no end tag is left out:
    `highlight.py` relies on it.
    """
    walker = html5lib.getTreeWalker("etree")
    stream = PageFilter(
        walker(page.root),
        allowed_tags=ELEMENTS | DRAWN | {node.tag for node in page.root.iter() if is_custom_element(node.tag)},
        attributes=_allow,
        allowed_protocols=_SCHEMES,
        strip_disallowed_tags=True,
        css_sanitizer=StyleAttributes(page.addresses.resource),
    )
    serializer = HTMLSerializer(
        quote_attr_values="always",
        quote_char='"',
        escape_lt_in_attrs=True,
        omit_optional_tags=False,
        minimize_boolean_attributes=False,
        inject_meta_charset=False,
        resolve_entities=False,
    )
    return DOCTYPES[mode] + serializer.render(_keep_first_newline(stream))


def _allow(tag: str, name: str, value: str) -> bool:
    """Whether an attribute stays: by the lists of pages, of drawings, or because we put it in."""
    if tag in DRAWN:
        return is_allowed(name, value)
    return name == LEFT_OUT or allow_attribute(tag, name, value)


def _keep_first_newline(stream: Any) -> Iterator[Token]:
    """Parsers drop a line break right after <pre>; where the text has one, write it twice."""
    verbatim = False
    for token in stream:
        if verbatim and token["type"] in ("Characters", "SpaceCharacters") and token["data"].startswith("\n"):
            token["data"] = "\n" + token["data"]
        verbatim = token["type"] == "StartTag" and token["name"] in _VERBATIM_START
        yield token


def sanitise_page(text: str, *, url: str = "") -> str:
    """A page from its decoded source, safe to put in the frame. Costs about 1 s a megabyte, or far more.

    Hostile pages take html5lib minutes: call it through `worker.RenderPool`.
    """
    root, mode = parse_page(text)
    return write_page(sanitise_tree(root, url), mode)

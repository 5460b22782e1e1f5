"""Parse, filter and write pages. Only this module imports html5lib and bleach, which both get no more releases.

Possible replacements were tried (decision 38).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
from bleach.css_sanitizer import CSSSanitizer
from bleach.sanitizer import BleachSanitizerFilter
from html5lib.constants import voidElements
from html5lib.serializer import HTMLSerializer

from assess.rendering.encoding import drop_controls

__all__ = ["CSSSanitizer", "PageFilter", "Token", "parse_page", "serialise", "tokens_of"]

Token = dict[str, Any]
_WHITE = "\t\n\x0c \r"
_VERBATIM_START = frozenset({"pre", "textarea"})


class _Parser(html5lib.HTMLParser):
    """html5lib's parser without the search for invalid characters, whose errors nobody reads."""

    def reset(self) -> None:
        """Reset the parser as html5lib does, and switch that search off."""
        super().reset()
        self.tokenizer.stream.reportCharacterErrors = lambda data: None


def parse_page(text: str) -> tuple[Element, str]:
    """Return the tree of a page and its mode: "no quirks", "limited quirks" or "quirks"."""
    builder = html5lib.treebuilders.getTreeBuilder("etree")
    parser = _Parser(tree=builder, namespaceHTMLElements=False)
    root: Element = parser.parse(text, scripting=True)
    return root, parser.compatMode


class PageFilter(BleachSanitizerFilter):
    """bleach's filter for a whole page.

    It makes the same checks, for a tree whose entities are already resolved, so that adjacent texts need not be joined
    first.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.checked: dict[str, str | None] = {}

    def __iter__(self) -> Iterator[Token]:
        """Yield the tokens that are kept."""
        return self.sanitize_stream(self.source)

    def sanitize_token(self, token: Token) -> Any:
        """Check a token as bleach does, with two exceptions.

        Text only loses its control characters, since the serializer escapes it. The one meta element that the
        preparation added stays.
        """
        if token["type"] == "Characters":
            token["data"] = drop_controls(token["data"])
            return token
        if token["type"] != "SpaceCharacters" and token["name"] == "meta":
            token["data"] = {(None, "charset"): "utf-8"}
            return token
        return super().sanitize_token(token)

    def sanitize_uri_value(self, value: str, allowed_protocols: Any) -> Any:
        """Check an address as bleach does, once for each address: most links of a page have the same inert target."""
        if value not in self.checked:
            self.checked[value] = super().sanitize_uri_value(value, allowed_protocols)
        return self.checked[value]


def tokens_of(root: Element) -> Iterator[Token]:
    """Yield the tokens of a prepared tree as html5lib's tree walker would. The tree has no comments and no
    namespaces.
    """
    stack: list[tuple[Element, bool]] = [(root, False)]
    while stack:
        node, is_over = stack.pop()
        tag = node.tag
        if is_over:
            yield {"type": "EndTag", "name": tag, "namespace": None}
        else:
            attributes = {(None, name): value for name, value in node.attrib.items()}
            is_void = tag in voidElements
            kind = "EmptyTag" if is_void else "StartTag"
            yield {"type": kind, "name": tag, "namespace": None, "data": attributes}
            if not is_void:
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(node))
                if node.text:
                    yield from _text(node.text)
                continue
        if node.tail and node is not root:
            yield from _text(node.tail)


def _text(text: str) -> Iterator[Token]:
    """Yield a text with the white space at its ends as separate tokens, as bleach and the serializer need it."""
    if text[0] not in _WHITE and text[-1] not in _WHITE:
        yield {"type": "Characters", "data": text}
        return
    middle, begin = text.strip(_WHITE), len(text) - len(text.lstrip(_WHITE))
    for kind, some in (
        ("SpaceCharacters", text[:begin]),
        ("Characters", middle),
        ("SpaceCharacters", text[begin + len(middle) :]),
    ):
        if some:
            yield {"type": kind, "data": some}


class _Serializer(HTMLSerializer):
    """html5lib's serializer without encoding."""

    def encode(self, string: str) -> str:
        """Return the text unchanged."""
        return string

    encodeStrict = encode  # noqa: N815 (html5lib's name)


def serialise(stream: Any) -> str:
    """Return the tokens as text.

    Every attribute value is in double quotes with `<`, `&` and `"` escaped, and every end tag is written.
    """
    serializer = _Serializer(
        quote_attr_values="always",
        quote_char='"',
        escape_lt_in_attrs=True,
        omit_optional_tags=False,
        minimize_boolean_attributes=False,
        inject_meta_charset=False,
        resolve_entities=False,
    )
    return str(serializer.render(_keep_first_newline(stream)))


def _keep_first_newline(stream: Any) -> Iterator[Token]:
    """Yield the tokens, with a line break right after <pre> doubled, since parsers drop the first one."""
    verbatim = False
    for token in stream:
        if verbatim and token["type"] in ("Characters", "SpaceCharacters") and token["data"].startswith("\n"):
            token["data"] = "\n" + token["data"]
        verbatim = token["type"] == "StartTag" and token["name"] in _VERBATIM_START
        yield token

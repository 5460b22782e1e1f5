r"""Rewrite stylesheets so that they are harmless: tinycss2 reads tokens, each is checked, and the result is written.

* url() and @import keep absolute http(s) addresses and embedded raster images; anything else is `none`.
  The response's Content-Security-Policy decides whether they are loaded.
* expression() is removed, and so are the properties with which old browsers ran script from CSS.
* `<` is written as `\3c `, so that no stylesheet can end its <style> element.

Property names are not limited: a page must look as it does in normal browsing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import tinycss2 as tinycss2_untyped
from tinycss2 import ast

from assess.rendering.addresses import Addresses
from assess.rendering.markup import CSSSanitizer
from assess.rendering.media import screen_shows

tinycss2: Any = tinycss2_untyped  # it has no types
_IDENT: Any = ast.IdentToken
_AT_KEYWORD: Any = ast.AtKeywordToken
_URL: Any = ast.URLToken
Resolve = Callable[[str], str | None]

_KEPT_LIMIT = 50_000  # characters: the tokens of as many take some megabytes
SHEET_LIMIT = 2_000_000
"""The most characters of one stylesheet; a longer one is dropped."""

_PLAIN = re.compile(r"[\w\s:;#.,%!-]*\Z", re.ASCII)
_SCRIPT_PROPERTIES = frozenset({"behavior", "behaviour", "-ms-behavior", "-moz-binding", "binding"})
_SCRIPT_FUNCTIONS = frozenset({"expression", "-moz-element", "-moz-binding"})
_STRING_ADDRESS_FUNCTIONS = frozenset({"url", "src", "image", "image-set", "-webkit-image-set"})
_BLOCKS = frozenset({"() block", "[] block", "{} block"})


@dataclass(slots=True)
class Sheet:
    """A stylesheet as harmless text, with the rewritten component values from which its rules are read once."""

    written: str
    tokens: list[Any]
    rules: list[Any] | None = None


def rewrite_sheet(css: str, base: str) -> Sheet:
    """Return the stylesheet made harmless, with its addresses resolved against ``base``; an empty one if it is too long
    or nests too deeply.

    Pages of one site share stylesheets, so the last few short ones are cached.
    """
    return (_kept if len(css) <= _KEPT_LIMIT else _sheet)(css, base)


def _sheet(css: str, base: str) -> Sheet:
    try:
        tokens = _rewritten(tokenise(css), Addresses(base).resource)
        return Sheet(_escaped(tinycss2.serialize(tokens)), tokens)
    except RecursionError:
        return Sheet("", [])


_kept = lru_cache(maxsize=8)(_sheet)


def tokenise(css: str) -> list[Any]:
    """Return the component values of a stylesheet without comments, or an empty list if it is too long."""
    if len(css) > SHEET_LIMIT:
        return []
    tokens: list[Any] = tinycss2.parse_component_value_list(css, skip_comments=True)
    return tokens


def write_stylesheet(tokens: Sequence[Any], resolve: Resolve) -> str:
    """Return the text of a harmless stylesheet, safe inside <style>; "" if it nests too deeply."""
    try:
        return _escaped(tinycss2.serialize(_rewritten(tokens, resolve)))
    except RecursionError:
        return ""


def imported(sheet: Sheet) -> Iterator[str]:
    """Yield the addresses on the web that a stylesheet imports for the screen. An @import after its first rule is
    ignored.
    """
    said: list[Any] | None = None
    for token in sheet.tokens:
        if token.type == "{} block":
            return
        if token.type == "at-keyword":
            said = [] if token.lower_value == "import" else None
        elif token.type == "literal" and token.value == ";":
            if said and screen_shows(_media_of(said)):
                yield said[0].value
            said = None
        elif said is not None and (said or token.type == "url"):
            said.append(token)
    if said and screen_shows(_media_of(said)):
        yield said[0].value


def _media_of(said: list[Any]) -> str:
    """Return the media query of an import, without its layer and supports conditions."""
    beside = [
        each
        for each in said[1:]
        if not (each.type == "function" and each.lower_name in ("layer", "supports"))
        and not (each.type == "ident" and each.lower_value == "layer")
    ]
    return str(tinycss2.serialize(beside)).strip()


class StyleAttributes(CSSSanitizer):
    """Rewrites the values of `style` attributes of one page. bleach's filter calls it for each of them.

    Pages repeat the same few values, so the results are cached.
    """

    def __init__(self, resolve: Resolve) -> None:
        super().__init__()
        self.resolve = resolve
        self.known: dict[str, str] = {}

    def sanitize_css(self, style: str) -> str:
        """Return the declarations made harmless."""
        if _PLAIN.match(style) and not any(name in style.lower() for name in ("behavio", "binding")):
            return style
        if style not in self.known:
            self.known[style] = write_stylesheet(tokenise(style), self.resolve)
        return self.known[style]


def _escaped(css: str) -> str:
    return css.replace("\0", "").replace("<", "\\3c ")


def _rewritten(tokens: Sequence[Any], resolve: Resolve) -> list[Any]:
    """Return the tokens with addresses resolved and scripts removed. Blocks are changed in place."""
    result: list[Any] = []
    importing = False
    for index, token in enumerate(tokens):
        kind = token.type
        if kind == "error" or (kind == "literal" and token.value in ("<!--", "-->")):
            continue
        if kind == "url" or (kind == "string" and importing):
            token = _address(token, token.value, resolve)
        elif kind == "function":
            token = _function(token, resolve)
        elif kind in _BLOCKS:
            token.content = _rewritten(token.content, resolve)
        elif kind == "ident" and token.lower_value in _SCRIPT_PROPERTIES and _is_property(tokens, index):
            token = _ident(token, "assay-dropped")
        if kind == "at-keyword":
            importing = token.lower_value == "import"
            if importing and not _imports(tokens[index + 1 : index + 3], resolve):
                # Chromium looks for imports before it parses, and would request any address it finds here.
                token = _AT_KEYWORD(token.source_line, token.source_column, "assay-dropped")
        elif kind != "whitespace":
            importing = False
        result.append(token)
    return result


def _imports(following: Sequence[Any], resolve: Resolve) -> bool:
    """Return whether the tokens after an `@import` begin with an allowed address."""
    for token in following:
        if token.type in ("string", "url"):
            return resolve(token.value) is not None
        if token.type == "function" and token.lower_name == "url":
            return any(each.type == "string" and resolve(each.value) is not None for each in token.arguments)
        if token.type != "whitespace":
            return False
    return False


def _function(token: Any, resolve: Resolve) -> Any:
    name = token.lower_name
    if name in _SCRIPT_FUNCTIONS:
        return _ident(token, "none")
    if name == "url":
        strings = [argument.value for argument in token.arguments if argument.type == "string"]
        return _address(token, strings[0] if strings else "", resolve)
    token.arguments = _rewritten(token.arguments, resolve)
    if name in _STRING_ADDRESS_FUNCTIONS:
        token.arguments = [
            _address(argument, argument.value, resolve) if argument.type == "string" else argument
            for argument in token.arguments
        ]
    return token


def _address(token: Any, value: str, resolve: Resolve) -> Any:
    address = resolve(value)
    if address is None:
        return _ident(token, "none")
    # Addresses come percent-encoded, so no quote, backslash or line break can be in them.
    return _URL(token.source_line, token.source_column, address, f'url("{address}")')


def _ident(token: Any, value: str) -> Any:
    return _IDENT(token.source_line, token.source_column, value)


def _is_property(tokens: Sequence[Any], index: int) -> bool:
    """Return whether the identifier is followed by a colon, as a property is."""
    for token in tokens[index + 1 : index + 3]:
        if token.type != "whitespace":
            return bool(token.type == "literal" and token.value == ":")
    return False

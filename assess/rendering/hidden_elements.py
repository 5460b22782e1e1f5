"""Which elements of a page its own stylesheets hide, and how they lay out text.

Only the properties that change a page's text are read: display, visibility, white-space, float, position, and of those
in `unpainted.py` the ones by which something on this page is hidden. Rules come from <style> elements, among which
stand the linked stylesheets that are stored (others are not fetched), through tinycss2 and cssselect2, for a screen of
fixed size; `style` attributes are read in `viewable.py` with the same function.

The work is capped by counts, never by the clock, so that the same page always gives the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree.ElementTree import Element

import cssselect2 as cssselect2_untyped
import tinycss2 as tinycss2_untyped

from assess.rendering.css import Sheet
from assess.rendering.off_screen import SCREEN_HEIGHT, SCREEN_WIDTH
from assess.rendering.unpainted import PAINTING, relevant

tinycss2: Any = tinycss2_untyped  # both have no types
cssselect2: Any = cssselect2_untyped

RULE_LIMIT = 4000
"""Selectors that set one of the properties; a page with more has its later ones left out."""
WORK_LIMIT = 3_000_000
"""Elements times selectors that any element may match; past it stylesheets are not applied."""
NESTING_LIMIT = 12

LAYOUT = frozenset({"display", "visibility", "white-space", "float", "position"})
PROPERTIES = LAYOUT | PAINTING
STYLED = re.compile(
    "|".join(sorted({name.partition("-")[0] for name in PROPERTIES} | {"white-space", "text-indent"})), re.I
)
"""What a `style` attribute that changes the text has in it."""
Declarations = dict[str, tuple[str, bool]]
"""Property -> (value, whether it is !important)."""

_WORD = re.compile(r"[^ \t\r\n\f]+")
"""A class among those that an element has, by the white space that HTML knows."""
_LENGTH = re.compile(r"([0-9.]+)(px|em|rem)?\Z")
_PIXELS = {"px": 1.0, "em": 16.0, "rem": 16.0, None: 1.0}


class _Wrapped(cssselect2.ElementWrapper):  # type: ignore[misc] # it has no types
    """An element of a prepared page as cssselect2 looks at it. What it asks of every element is told beforehand: each
    of its cached properties takes a lock when it is first asked.
    """

    def __init__(self, etree_element: Element, *given: Any, **named: Any) -> None:
        super().__init__(etree_element, *given, **named)
        self.namespace_url, self.local_name = "", etree_element.tag
        self.etree_children = list(etree_element)
        self.id = etree_element.get("id")
        self.classes = set(_WORD.findall(etree_element.get("class", "")))


def styles_of_page(root: Element, sheets: Sequence[tuple[str, Sheet]]) -> tuple[dict[Element, Declarations], bool]:
    """What the page's own rules set for its elements, and whether the cap cut anything off."""
    found: list[tuple[list[Any], Declarations]] = []
    for media, sheet in sheets:
        if media_matches(tinycss2.parse_component_value_list(media)):
            if sheet.rules is None:
                sheet.rules = list(_rules(sheet.tokens))
            found.extend(sheet.rules)
    rules = _followed(root, found)
    if not rules:
        return {}, False
    matcher, capped = _matcher(rules)
    count = sum(1 for _ in root.iter())
    if count * (len(matcher.other_selectors) + 1) > WORK_LIMIT:
        return {}, True
    styles: dict[Element, Declarations] = {}
    for wrapped in _Wrapped.from_html_root(root).iter_subtree():
        matches = matcher.match(wrapped)
        if matches:
            styles[wrapped.etree_element] = _cascaded(matches)
    return styles, capped


def _followed(root: Element, rules: list[tuple[list[Any], Declarations]]) -> list[tuple[list[Any], Declarations]]:
    """The rules with the declarations that can change this page's text: most say what hides nothing."""
    declared = {(name, value) for _, declarations in rules for name, (value, _) in declarations.items()}
    for style in {node.get("style", "") for node in root.iter()}:
        if STYLED.search(style):
            declared |= {(name, value) for name, (value, _) in declarations_of(style).items()}
    followed = LAYOUT | relevant(declared)
    kept = (
        (prelude, {name: each for name, each in declarations.items() if name in followed})
        for prelude, declarations in rules
    )
    return [(prelude, declarations) for prelude, declarations in kept if declarations]


def _matcher(rules: list[tuple[list[Any], Declarations]]) -> tuple[Any, bool]:
    matcher = cssselect2.Matcher()
    added = 0
    for prelude, declarations in rules:
        try:
            selectors = cssselect2.compile_selector_list(prelude)
        except (cssselect2.SelectorError, RecursionError):
            continue
        for selector in selectors:
            if selector.pseudo_element is None and not selector.never_matches:
                if added == RULE_LIMIT:
                    return matcher, True
                matcher.add_selector(selector, declarations)
                added += 1
    return matcher, False


def _cascaded(matches: list[tuple[Any, int, str | None, Declarations]]) -> Declarations:
    """Later and more specific rules win; important ones win over all others."""
    result: Declarations = {}
    for _specificity, _order, _pseudo, declarations in matches:
        for name, (value, important) in declarations.items():
            if important or not result.get(name, ("", False))[1]:
                result[name] = (value, important)
    return result


def _rules(tokens: list[Any], depth: int = 0) -> Iterator[tuple[list[Any], Declarations]]:
    """(selector tokens, declarations) of the style rules that apply to the screen, in order."""
    for rule in tinycss2.parse_stylesheet(tokens, skip_comments=True, skip_whitespace=True):
        if rule.type == "qualified-rule":
            declarations = declarations_of(rule.content)
            if declarations:
                yield rule.prelude, declarations
        elif rule.type == "at-rule" and rule.content is not None and depth < NESTING_LIMIT:
            name = rule.lower_at_keyword
            if name in ("supports", "layer") or (name == "media" and media_matches(rule.prelude)):
                yield from _rules(rule.content, depth + 1)


def declarations_of(content: Any) -> Declarations:
    """The declarations of the properties that change text, from a rule's content or a style attribute."""
    found: Declarations = {}
    for each in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
        if each.type == "declaration" and each.lower_name in PROPERTIES:
            value = tinycss2.serialize(each.value).strip().lower()
            if each.important or not found.get(each.lower_name, ("", False))[1]:
                found[each.lower_name] = (value, each.important)
    return found


def media_matches(prelude: Sequence[Any]) -> bool:
    """Whether a media query list is true for the assessor's screen. Features not known are false.

    >>> media_matches(tinycss2.parse_component_value_list("print"))
    False
    >>> media_matches(tinycss2.parse_component_value_list("screen and (min-width: 900px)"))
    True
    """
    queries: list[list[Any]] = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            queries.append([])
        elif token.type not in ("whitespace", "comment"):
            queries[-1].append(token)
    if queries == [[]]:
        return True
    return any(_query_matches(query) for query in queries)


def _query_matches(query: list[Any]) -> bool:
    if not query:
        return False
    negated, result = False, True
    for token in query:
        if token.type == "ident":
            word = token.lower_value
            if word == "not":
                negated = True
            elif word not in ("and", "only", "all", "screen"):
                result = False
        elif token.type == "() block":
            result = result and _feature_matches(tinycss2.serialize(token.content))
        else:
            result = False
    return result != negated


def _feature_matches(text: str) -> bool:
    name, colon, value = (part.strip().lower() for part in text.partition(":"))
    if not colon:
        return name in ("color", "hover", "width", "height")
    if name == "orientation":
        return value == "landscape"
    if name in ("hover", "any-hover"):
        return value == "hover"
    if name == "prefers-color-scheme":
        return value == "light"
    match = _LENGTH.match(value)
    if match is None or name.count(".") or match[1].count(".") > 1 or match[1] == ".":
        return False
    size = float(match[1]) * _PIXELS[match[2]]
    screen = SCREEN_WIDTH if name.endswith("width") else SCREEN_HEIGHT
    if name in ("min-width", "min-device-width", "min-height", "min-device-height"):
        return screen >= size
    if name in ("max-width", "max-device-width", "max-height", "max-device-height"):
        return screen <= size
    return False

"""Which elements of a page its own stylesheets hide, how they lay out text, and which images they show.

Only properties that change a page's text are read: display, visibility, white-space, float, position, and those of
`unpainted.py` with which something on this page is hidden. Rules are read from <style> elements with tinycss2 and
cssselect2, for a screen of fixed size. Stored stylesheets that the page links to have been written into such elements;
others are not fetched. `style` attributes are read in `viewable.py` with the same function.

The work is limited by counts and never by time, so that the same page always gives the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

import cssselect2 as cssselect2_untyped
import tinycss2 as tinycss2_untyped

from assess.rendering.css import Sheet
from assess.rendering.media import media_matches, screen_shows
from assess.rendering.unpainted import PAINTING, relevant

tinycss2: Any = tinycss2_untyped  # both have no types
cssselect2: Any = cssselect2_untyped

RULE_LIMIT = 4000
"""The most selectors that set one of the properties; later ones of a page are ignored."""
WORK_LIMIT = 3_000_000
"""The most elements times selectors that any element may match; above it, stylesheets are not applied."""
NESTING_LIMIT = 12
_BESIDE = frozenset({"before", "after"})
"""The pseudo-elements with which styles add content before and after that of an element."""

LAYOUT = frozenset({"display", "visibility", "white-space", "float", "position"})
PROPERTIES = LAYOUT | PAINTING
PICTURED = {
    "background": "background",
    "background-image": "background",
    "list-style": "list-style",
    "list-style-image": "list-style",
    "border-image": "border-image",
    "border-image-source": "border-image",
    "content": "content",
}
"""Properties with which styles show images, each with the property that it sets; the last declaration counts."""
_ADDRESS = re.compile(r'url\("(https?://[^"]+)"\)')
"""An address in a stylesheet that was made harmless (`css.py`)."""
STYLED = re.compile(
    "|".join(sorted({name.partition("-")[0] for name in PROPERTIES} | {"white-space", "text-indent"})), re.I
)
"""A pattern found in every `style` attribute that changes the text."""
ADDRESSED = ("url", "function")
"""The types of tokens that may contain an address."""
Declarations = dict[str, tuple[str, bool]]
"""Property -> (value, whether it is !important)."""
Rule = tuple[list[Any], Declarations]
"""Compiled selectors and what they set."""

_WORD = re.compile(r"[^ \t\r\n\f]+")
"""A class among those that an element has, by the white space that HTML knows."""


class _Wrapped(cssselect2.ElementWrapper):  # type: ignore[misc] # it has no types
    """An element of a prepared page for cssselect2.

    The attributes that are read for every element are set in advance, since each of cssselect2's cached properties
    takes a lock when it is first read.
    """

    def __init__(self, etree_element: Element, *given: Any, **named: Any) -> None:
        super().__init__(etree_element, *given, **named)
        self.namespace_url, self.local_name = "", etree_element.tag
        self.etree_children = list(etree_element)
        self.id = etree_element.get("id")
        self.classes = set(_WORD.findall(etree_element.get("class", "")))


@dataclass(frozen=True, slots=True)
class PageStyles:
    """What a page's own rules set for its elements, whether the limit cut any rules off, and the images that the rules
    show.

    ``hides`` says whether anything on the page may be kept from being painted.
    """

    set: dict[Element, Declarations]
    hides: bool = False
    is_capped: bool = False
    images: Sequence[tuple[Element, str]] = ()


def styles_of_page(root: Element, sheets: Sequence[tuple[str, Sheet]]) -> PageStyles:
    """Return what the page's own rules set for its elements. ``sheets`` are (media attribute, stylesheet).

    If there would be too much work (`WORK_LIMIT`), nothing is set, and ``is_capped`` is true.
    """
    found: list[Rule] = []
    for media, sheet in sheets:
        if screen_shows(media):
            if sheet.rules is None:
                sheet.rules = list(_rules(sheet.tokens))
            found.extend(sheet.rules)
    (rules, hides), pictured = _followed(root, found), _pictured(found)
    if not rules and not pictured:
        return PageStyles({}, hides)
    (matcher, capped), (pictures, _) = _matcher(rules), _matcher(pictured, beside=_BESIDE)
    count = sum(1 for _ in root.iter())
    if count * (len(matcher.other_selectors) + 1) > WORK_LIMIT:
        return PageStyles({}, hides, is_capped=True)
    if count * (len(pictures.other_selectors) + 1) > WORK_LIMIT:
        pictured = []
    styles: dict[Element, Declarations] = {}
    images: list[tuple[Element, str]] = []
    for wrapped in _Wrapped.from_html_root(root).iter_subtree():
        matches = matcher.match(wrapped)
        if matches:
            styles[wrapped.etree_element] = cascaded(match[3] for match in matches)
        if pictured and (matches := pictures.match(wrapped)):
            for pseudo in (None, *sorted(_BESIDE)):
                said = cascaded(match[3] for match in matches if match[2] == pseudo)
                images.extend((wrapped.etree_element, address) for address in _images(said))
    return PageStyles(styles, hides, is_capped=capped, images=images)


def images_of(style: str) -> Iterator[str]:
    """Yield the web addresses of the images that a harmless `style` attribute shows."""
    yield from _images(declarations_of(style))


def _images(declarations: Declarations) -> Iterator[str]:
    for name in dict.fromkeys(PICTURED.values()):
        if name in declarations:
            yield from _ADDRESS.findall(declarations[name][0])


def _pictured(rules: list[Rule]) -> list[Rule]:
    """Return the rules with only the declarations that set or remove an image; an empty list if no rule has an
    image.
    """
    names = frozenset(PICTURED.values())
    kept = [
        (selectors, {name: each for name, each in declarations.items() if name in names})
        for selectors, declarations in rules
        if names & declarations.keys()
    ]
    return kept if any(value for _, declarations in kept for value, _ in declarations.values()) else []


def _followed(root: Element, rules: list[Rule]) -> tuple[list[Rule], bool]:
    """Return the rules without declarations that cannot change this page's text, and whether any can hide text.

    Most properties hide nothing with the values on the page, in rules and attributes, and are left out.
    """
    declared = {(name, value) for _, declarations in rules for name, (value, _) in declarations.items()}
    for style in {node.get("style", "") for node in root.iter()}:
        if STYLED.search(style):
            declared |= {(name, value) for name, (value, _) in declarations_of(style).items()}
    hiding = relevant(declared)
    followed = LAYOUT | hiding
    kept = (
        (selectors, {name: each for name, each in declarations.items() if name in followed})
        for selectors, declarations in rules
    )
    return [(selectors, declarations) for selectors, declarations in kept if declarations], bool(hiding)


def _matcher(rules: list[Rule], *, beside: frozenset[str] = frozenset()) -> tuple[Any, bool]:
    """Return a matcher of elements with these rules, and whether the limit cut rules off.

    ``beside`` names the pseudo-elements whose rules are matched as well.
    """
    matcher = cssselect2.Matcher()
    added = 0
    for selectors, declarations in rules:
        for selector in selectors:
            if selector.pseudo_element in (None, *beside) and not selector.never_matches:
                if added == RULE_LIMIT:
                    return matcher, True
                matcher.add_selector(selector, declarations)
                added += 1
    return matcher, False


def cascaded(sets: Iterable[Declarations]) -> Declarations:
    """Return the winning declarations. Those of later sets win, and important ones win over all others."""
    result: Declarations = {}
    for declarations in sets:
        for name, (value, important) in declarations.items():
            if important or not result.get(name, ("", False))[1]:
                result[name] = (value, important)
    return result


def _rules(tokens: list[Any], depth: int = 0) -> Iterator[Rule]:
    """Yield (selectors, declarations) of the style rules that apply to the screen, in order."""
    for rule in tinycss2.parse_stylesheet(tokens, skip_comments=True, skip_whitespace=True):
        if rule.type == "qualified-rule":
            declarations = declarations_of(rule.content)
            if declarations:
                yield _selectors(rule.prelude), declarations
        elif rule.type == "at-rule" and rule.content is not None and depth < NESTING_LIMIT:
            name = rule.lower_at_keyword
            if name in ("supports", "layer") or (name == "media" and media_matches(rule.prelude)):
                yield from _rules(rule.content, depth + 1)


def _selectors(prelude: list[Any]) -> list[Any]:
    try:
        selectors: list[Any] = cssselect2.compile_selector_list(prelude)
    except (cssselect2.SelectorError, RecursionError):
        return []
    return selectors


def declarations_of(content: Any) -> Declarations:
    """Return the declarations that change text or show images, from a rule's content or a style attribute."""
    found: Declarations = {}
    for each in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
        if each.type != "declaration":
            continue
        name = PICTURED.get(each.lower_name, each.lower_name)
        if name in PROPERTIES:
            value = tinycss2.serialize(each.value).strip().lower()
        elif name in PICTURED:
            value = tinycss2.serialize(each.value) if any(token.type in ADDRESSED for token in each.value) else ""
        else:
            continue
        if each.important or not found.get(name, ("", False))[1]:
            found[name] = (value, each.important)
    return found

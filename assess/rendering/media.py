"""Evaluate media queries for a screen of fixed size, so that the same page always gives the same text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import tinycss2 as tinycss2_untyped

from assess.rendering.lengths import SCREEN_HEIGHT, SCREEN_WIDTH

tinycss2: Any = tinycss2_untyped  # it has no types

_LENGTH = re.compile(r"([0-9.]+)(px|em|rem)?\Z")
_PIXELS = {"px": 1.0, "em": 16.0, "rem": 16.0, None: 1.0}


def screen_shows(media: str) -> bool:
    """Return whether a `media` attribute is true for the assessor's screen."""
    return not media or media_matches(tinycss2.parse_component_value_list(media))


def media_matches(prelude: Sequence[Any]) -> bool:
    """Return whether a media query list is true for the assessor's screen. Unknown features are false.

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

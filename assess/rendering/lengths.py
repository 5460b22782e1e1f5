"""Read lengths of styles, even computed ones, as pixels plus a share of another length.

A letter is taken to be 16 pixels high. A length that depends on a variable, or that compares pixels with shares, has no
value here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import tinycss2 as tinycss2_untyped

tinycss2: Any = tinycss2_untyped  # it has no types

SCREEN_WIDTH = 1280
SCREEN_HEIGHT = 720
"""The size of the screen in pixels, for media queries as well."""

_PIXELS = {
    "px": 1.0,
    "": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 9.6 / 2.54,
    "q": 2.4 / 2.54,
    "em": 16.0,
    "rem": 16.0,
    "lh": 16.0,
    "ex": 8.0,
    "ch": 8.0,
    **{f"{kind}vw": SCREEN_WIDTH / 100 for kind in ("", "s", "l", "d")},
    **{f"{kind}vh": SCREEN_HEIGHT / 100 for kind in ("", "s", "l", "d")},
    "vi": SCREEN_WIDTH / 100,
    "vb": SCREEN_HEIGHT / 100,
    "vmax": SCREEN_WIDTH / 100,
    "vmin": SCREEN_HEIGHT / 100,
}
_PLAIN = re.compile(
    rf"([-+]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:e[-+]?[0-9]++)?)({'|'.join(filter(None, _PIXELS))}|%|)\Z"
)
_CALCULATED = re.compile(r"(?:-webkit-|-moz-)?(?:calc|min|max|clamp)\(")
_DEEPEST = 12
Values = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Length:
    """A number of pixels plus a share of another length. ``is_bare`` means that it is written without a unit."""

    pixels: float = 0.0
    share: float = 0.0
    is_bare: bool = False

    def of(self, whole: float | None) -> float | None:
        """Return the length in pixels; None if it includes a share of a ``whole`` that is unknown."""
        if self.share == 0:
            return self.pixels
        return None if whole is None else self.pixels + self.share * whole


@lru_cache(maxsize=4096)
def length(value: str) -> Length | None:
    """Return the length that a value gives, or None for keywords and unsupported units.

    >>> length("-2em"), length("calc(100% - 20px)"), length("auto")
    (Length(pixels=-32.0, share=0.0, is_bare=False), Length(pixels=-20.0, share=1.0, is_bare=False), None)
    >>> length("min(1px, -3px)")
    Length(pixels=-3.0, share=0.0, is_bare=False)
    """
    if match := _PLAIN.match(value):
        number = float(match[1])
        if match[2] == "%":
            return Length(share=number / 100)
        return Length(pixels=number * _PIXELS[match[2]], is_bare=not match[2])
    if not _CALCULATED.match(value):
        return None
    return _sum([token for token in tinycss2.parse_component_value_list(value) if token.type != "comment"], 0)


def pixels(value: str, *, whole: float | None = None) -> float | None:
    """Return a length in pixels, or None if it has no value or is a share of an unknown ``whole``."""
    found = length(value)
    return None if found is None else found.of(whole)


def number(value: str) -> float | None:
    """Return the value of a number or percentage, such as that of opacity or scale: 50% is .5. None for anything
    else.
    """
    found = length(value)
    if found is None or not (found.is_bare or found.pixels == 0):
        return None
    return found.pixels if found.share == 0 else found.share


def sides(value: str) -> tuple[str, str, str, str]:
    """Return the values for top, right, bottom and left, from a value that gives one to four of them."""
    given = words_of(value)[:4] or [""]
    top, right = given[0], given[min(1, len(given) - 1)]
    bottom = given[2] if len(given) > 2 else top
    return top, right, bottom, given[3] if len(given) > 3 else right


def words_of(value: str) -> list[str]:
    """Return the parts of a value that are separated by spaces; a function is one part."""
    return [each for each in parted(value, str.isspace) if each] if "(" in value else value.split()


def parted(value: str, parts: Callable[[str], bool]) -> list[str]:
    """Return the pieces of a value between the characters that part them, except inside parentheses."""
    found, depth = [""], 0
    for character in value:
        depth += (character == "(") - (character == ")")
        if depth <= 0 and parts(character):
            found.append("")
        else:
            found[-1] += character
    return found


def _sum(tokens: list[Any], depth: int) -> Length | None:
    """Return the value of terms that are separated by plus and minus signs, or None if that has no value."""
    total, term, sign = Length(is_bare=True), [], 1.0
    for token in [*tokens, None]:
        if token is not None and not (token.type == "literal" and token.value in "+-"):
            term.append(token)
            continue
        value = _product([each for each in term if each.type != "whitespace"], depth)
        if value is None:
            return None
        total = Length(
            total.pixels + sign * value.pixels, total.share + sign * value.share, total.is_bare and value.is_bare
        )
        term, sign = [], -1.0 if token is not None and token.value == "-" else 1.0
    return total


def _product(tokens: list[Any], depth: int) -> Length | None:
    result: Length | None = None
    for place, token in enumerate(tokens):
        if place % 2:
            if token.type != "literal" or token.value not in "*/":
                return None
            continue
        value = _one(token, depth)
        if value is None or result is None:
            if value is None or place:
                return None
            result = value
        elif tokens[place - 1].value == "/":
            if not value.is_bare or value.pixels == 0:
                return None
            result = Length(result.pixels / value.pixels, result.share / value.pixels, result.is_bare)
        elif value.is_bare or result.is_bare:
            by, other = (value, result) if value.is_bare else (result, value)
            result = Length(other.pixels * by.pixels, other.share * by.pixels, other.is_bare)
        else:
            return None
    return result if len(tokens) % 2 else None


def _one(token: Any, depth: int) -> Length | None:
    if depth > _DEEPEST:
        return None
    if token.type in ("dimension", "percentage", "number"):
        return length(token.serialize().lower())
    if token.type == "() block":
        return _sum(token.content, depth + 1)
    if token.type != "function":
        return None
    name = token.lower_name.removeprefix("-webkit-").removeprefix("-moz-")
    parts: list[list[Any]] = [[]]
    for each in token.arguments:
        if each.type == "literal" and each.value == ",":
            parts.append([])
        else:
            parts[-1].append(each)
    values = [_sum(part, depth + 1) for part in parts]
    if name == "calc" and len(values) == 1:
        return values[0]
    return _chosen(name, [each for each in values if each is not None]) if None not in values else None


def _chosen(name: str, values: list[Length]) -> Length | None:
    """Return the length that min(), max() or clamp() chooses; None if pixels and shares are mixed, and for any other
    function.
    """
    if any(each.share for each in values) and any(each.pixels for each in values):
        return None

    def size(each: Length) -> float:
        return each.share or each.pixels

    choose: Callable[..., Length]
    if name in ("min", "max"):
        choose = min if name == "min" else max
        return choose(values, key=size)
    if name == "clamp" and len(values) == 3:
        return max(values[0], min(values[1], values[2], key=size), key=size)
    return None

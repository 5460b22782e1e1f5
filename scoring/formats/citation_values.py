"""The numbers by which an answer cites: {"D7": 0.9, "D3": 0.2} is read by value, descending."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.formats.spec import real


def numbers_of(citations: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers of what is cited, also where they are written as texts; none where one is no number.

    >>> numbers_of({"D7": "0.9", "D3": 0.2}), numbers_of({"D7": "high", "D3": 0.2})
    ({'D7': 0.9, 'D3': 0.2}, {})
    """
    found: dict[str, float] = {}
    for name, written in citations.items():
        value = real(written) if isinstance(written, str) else written
        if value is None or type(value) not in (int, float):
            return {}
        found[name] = value
    return found


def values_of(citations: list[Any] | dict[str, Any]) -> tuple[float, ...]:
    """Return the numbers of citations, the highest first; none where they are a list, or not all numbers."""
    return tuple(sorted(numbers_of(citations).values(), reverse=True)) if isinstance(citations, dict) else ()

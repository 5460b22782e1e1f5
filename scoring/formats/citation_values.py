"""Reads citations with numbers: {"D7": 0.9, "D3": 0.2} cites documents in descending order of their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.formats.spec import real


def numbers_of(citations: Mapping[str, Any]) -> dict[str, float]:
    """Return docno -> number for the cited documents, or {} if any value is not a number or a text with a number.

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
    """Return the numbers of the citations, the highest first. Return () if the citations are a list, or if any of them
    has no number.
    """
    return tuple(sorted(numbers_of(citations).values(), reverse=True)) if isinstance(citations, dict) else ()

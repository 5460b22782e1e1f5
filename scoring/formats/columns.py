"""What files of plain columns have in common: whole numbers, real numbers, and the issues about them."""

from __future__ import annotations

import math
import re

from scoring.reading import excerpt_of
from scoring.records import Issue

_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_REAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,5})?")


def whole(text: str) -> int | None:
    """The whole number written, or None. Digits are ASCII, at most nine.

    >>> whole("-1"), whole("1.5"), whole("1_000")
    (-1, None, None)
    """
    return int(text) if _WHOLE.fullmatch(text) else None


def real(text: str) -> float | None:
    """The finite number written, or None: no "nan", no "inf", no underscores.

    >>> real("2.5e-3"), real("nan"), real("1e999")
    (0.0025, None, None)
    """
    if not _REAL.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def columns_issue(number: int, text: str, layout: str, found: int) -> Issue:
    """The issue of a line with too few or too many columns."""
    message = f"The line has {found} column(s); it needs {len(layout.split())}: {layout}."
    return Issue(where=number, code="columns", message=message, excerpt=excerpt_of(text))


def value_issue(number: int, text: str, message: str) -> Issue:
    """The issue of a column that does not hold what it should."""
    return Issue(where=number, code="value", message=message, excerpt=excerpt_of(text))


def duplicate_issue(number: int, text: str, what: str) -> Issue:
    """The issue of a line that says again what an earlier line said."""
    message = f"{what} stands in the file already. Keep one of the lines."
    return Issue(where=number, code="duplicate", message=message, excerpt=excerpt_of(text))


def short(text: str) -> str:
    """A value quoted in a message: never long, never with control characters."""
    return f'"{excerpt_of(text, length=40)}"'

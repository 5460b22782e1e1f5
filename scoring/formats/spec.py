"""What a file format is to the rest of the house, what files of plain columns share, and what a file begins with."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from scoring.file_kinds.names import HEADER_NAMES
from scoring.reading.opening import excerpt_of
from scoring.records import Issue

Reader = Callable[[BinaryIO], Iterator[Any | Issue]]
Writer = Callable[[Iterable[Any]], Iterator[str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """One file format.

    ``read`` streams records and issues in file order, never raises on bad input and never skips a line
    in silence. ``write`` gives lines without their ends, the same for the same records. Either is None
    where the format needs more than a file (a campaign's topics), or is only read. ``record`` is the
    type that both sides speak of: two formats of one record convert into each other.
    """

    name: str  # "trec-run": what people type
    label: str
    source: str  # the guideline, README or paper that defines it
    layout: str  # one line of it, in words
    record: type
    read: Reader | None = None
    write: Writer | None = None


# What files of plain columns have in common: whole numbers, real numbers, and the issues about them.

_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_REAL = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]{1,5})?")


def whole(text: str) -> int | None:
    """The whole number written, or None. Digits are ASCII, at most nine.

    >>> whole("-1"), whole("1.5"), whole("1_000")
    (-1, None, None)
    """
    if text.isdecimal() and text.isascii():  # as most are, told sooner than by the pattern
        return int(text) if len(text) <= 9 else None
    return int(text) if _WHOLE.fullmatch(text) else None


def whole_value(text: str) -> int | None:
    """The whole number written, also as tools of tables write it, or None.

    >>> whole_value("2.0"), whole_value("-1"), whole_value("1.5")
    (2, -1, None)
    """
    number, point, decimals = text.partition(".")
    return whole(number) if not point or (0 < len(decimals) <= 9 and not decimals.strip("0")) else None


def real(text: str) -> float | None:
    """Return the finite number written, or None: no "nan", no "inf", no underscores.

    >>> real("2.5e-3"), real("nan"), real("1e999")
    (0.0025, None, None)
    """
    if not _REAL.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def columns_issue(number: int, text: str, layout: str, found: int) -> Issue:
    """Return the issue of a line with too few or too many columns."""
    message = f"The line has {found} column(s); it needs {len(layout.split())}: {layout}."
    return Issue(where=number, code="columns", message=message, excerpt=excerpt_of(text))


def value_issue(number: int, text: str, message: str) -> Issue:
    """The issue of a column that does not hold what it should; a line of words alone may be a header."""
    is_header = not any(word[0].isdigit() for word in text.split())
    if is_header and (number == 1 or sum(word.lower() in HEADER_NAMES for word in text.split()) > 1):
        message += " If the line names the columns, take it out."
    return Issue(where=number, code="value", message=message, excerpt=excerpt_of(text))


def duplicate_issue(number: int, text: str, what: str) -> Issue:
    """Return the issue of a line that says again what an earlier line said."""
    message = f"{what} stands in the file already. Keep one of the lines."
    return Issue(where=number, code="duplicate", message=message, excerpt=excerpt_of(text))


def short(text: str) -> str:
    """Return a value quoted in a message: never long, never with control characters."""
    return f'"{excerpt_of(text, length=40)}"'


# What a file begins with, by which formats are told apart; what was looked at can still be read.

LOOKED_AT = 1 << 12
"""Bytes of the beginning that are looked at."""


def first_columns(file: BinaryIO) -> list[str]:
    """Return the words of the first line that is not blank, as far as it is looked at; none where there is no such
    line.
    """
    start = _start(file).removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    return next((line.split() for line in start.split("\n") if line.strip()), [])


def _start(file: BinaryIO) -> bytes:
    peek: Callable[[int], bytes] | None = getattr(file, "peek", None)
    if peek is not None:
        return peek(LOOKED_AT)[:LOOKED_AT]
    place = file.tell()
    start = file.read(LOOKED_AT)
    file.seek(place)
    return start

"""Defines a file format for the rest of the library, what formats of plain columns share, and the first words of a
file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO
from unicodedata import category

from scoring.file_kinds.names import HEADER_NAMES
from scoring.reading.opening import excerpt_of
from scoring.records import Issue
from scoring.wording import counted

Reader = Callable[[BinaryIO], Iterator[Any | Issue]]
Writer = Callable[[Iterable[Any]], Iterator[str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """One file format.

    ``read`` streams records and issues in file order, never raises on bad input and never skips a line silently.
    ``write`` yields lines without their ends, and always the same lines for the same records. Both are None if the
    format needs more than a file, such as a campaign's topics; ``write`` is None if the format is only read. ``record``
    is the type of the records: formats with the same type can be converted into each other.
    """

    name: str  # the name that people type, such as "trec-run"
    label: str
    source: str  # the guideline, README or paper that defines it
    layout: str  # one line of the format, in words
    record: type
    read: Reader | None = None
    write: Writer | None = None


# What files of plain columns have in common: whole numbers, real numbers, and the issues about them.

_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_REAL = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]{1,5})?")


def whole(text: str) -> int | None:
    """Return the whole number in the text, or None. Digits are ASCII, and at most nine.

    >>> whole("-1"), whole("1.5"), whole("1_000")
    (-1, None, None)
    """
    if text.isdecimal() and text.isascii():  # most numbers end here, faster than by the pattern
        return int(text) if len(text) <= 9 else None
    return int(text) if _WHOLE.fullmatch(text) else None


def whole_value(text: str) -> int | None:
    """Return the whole number in the text, or None. It may be written as spreadsheet tools write it, as "2.0".

    >>> whole_value("2.0"), whole_value("-1"), whole_value("1.5")
    (2, -1, None)
    """
    number, point, decimals = text.partition(".")
    return whole(number) if not point or (0 < len(decimals) <= 9 and not decimals.strip("0")) else None


def real(text: str) -> float | None:
    """Return the finite number in the text, or None: "nan", "inf" and underscores are not accepted.

    >>> real("2.5e-3"), real("nan"), real("1e999")
    (0.0025, None, None)
    """
    if not _REAL.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def columns_issue(number: int, text: str, layout: str, found: int) -> Issue:
    """Return the issue of a line with too few or too many columns."""
    message = f"The line has {counted(found, 'column')}; it needs {len(layout.split())}: {layout}."
    return Issue(where=number, code="columns", message=message, excerpt=excerpt_of(text))


def value_issue(number: int, text: str, message: str) -> Issue:
    """Return the issue that a column has a bad value. If the line has only words, it may be a header, and the message
    says so.
    """
    is_header = not any(word[0].isdigit() for word in text.split())
    if is_header and (number == 1 or sum(word.lower() in HEADER_NAMES for word in text.split()) > 1):
        message += " If the line names the columns, take it out."
    return Issue(where=number, code="value", message=message, excerpt=excerpt_of(text))


def duplicate_issue(number: int, text: str, what: str) -> Issue:
    """Return the issue that a line repeats an earlier one."""
    message = f"{what} stands in the file already. Keep one of the lines."
    return Issue(where=number, code="duplicate", message=message, excerpt=excerpt_of(text))


def unseen_sign(text: str) -> str:
    r"""Return the first sign of a text that nobody sees, such as a zero-width space, or "".

    >>> unseen_sign("D1\u200b") == "\u200b", unseen_sign("D1")
    (True, '')
    """
    return "" if text.isascii() else next((each for each in text if category(each) == "Cf"), "")


def unseen_in_docno(line: int, docno: str, excerpt: str) -> Issue | None:
    """Return a warning about a docno with a sign that nobody sees, or None if it has none."""
    if not (sign := unseen_sign(docno)):
        return None
    message = (
        f'The docno "{excerpt_of(docno, length=60)}" has a sign that nobody sees (U+{ord(sign):04X}), so it is not the '
        "document that it reads like. Take the sign out, here and in other lines."
    )
    return Issue(where=line, code="unseen-sign", message=message, severity="warning", excerpt=excerpt)


def short(text: str) -> str:
    """Return a value quoted for a message, shortened and without control characters."""
    return f'"{excerpt_of(text, length=40)}"'


# The beginning of a file, which tells formats apart. What was looked at can still be read.

LOOKED_AT = 1 << 12
"""The number of bytes at the beginning that are looked at."""


def first_columns(file: BinaryIO) -> list[str]:
    """Return the words of the first line that is not blank; [] if there is no such line near the beginning of
    the file. In UTF-16 and UTF-32, only words of ASCII are as written.
    """
    start = _start(file).replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe").decode("utf-8", "replace")
    return next((line.split() for line in start.split("\n") if line.strip()), [])


def _start(file: BinaryIO) -> bytes:
    peek: Callable[[int], bytes] | None = getattr(file, "peek", None)
    if peek is not None:
        return peek(LOOKED_AT)[:LOOKED_AT]
    place = file.tell()
    start = file.read(LOOKED_AT)
    file.seek(place)
    return start

"""What a file begins with, by which formats are told apart; what was looked at can still be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

LOOKED_AT = 1 << 12
"""Bytes of the beginning that are looked at."""


def first_columns(file: BinaryIO) -> list[str]:
    """The words of the first line that is not blank, as far as it is looked at; none where there is no such line."""
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

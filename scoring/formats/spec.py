"""What a file format is to the rest of the house: a name, its source, a reader and a writer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

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

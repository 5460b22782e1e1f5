"""How far a long job is, told to whoever watches: a terminal, or the row of a background job.

Whoever is told may answer by raising `Stopped`: the job ends there, and keeps nothing that it has not kept yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

Row = TypeVar("Row")
EVERY = 1_000


class Stopped(Exception):
    """Somebody asked to stop."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """``done`` of ``total`` (None: not known) things of a kind, and a few words on the present step."""

    done: int
    total: int | None = None
    unit: str = "documents"
    note: str = ""


Tell = Callable[[Progress], None]


def quiet(progress: Progress) -> None:
    """Tell nobody."""


def told(rows: Iterable[Row], progress: Tell, *, unit: str, note: str) -> Iterator[Row]:
    """Pass on rows as they are asked for, and tell of each thousand of them."""
    for number, row in enumerate(rows):
        if number % EVERY == 0:
            progress(Progress(done=number, unit=unit, note=note))
        yield row

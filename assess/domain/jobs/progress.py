"""How far a long job is, told to whoever watches: a terminal, or the row of a background job."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """``done`` of ``total`` (None: not known) things of a kind, and a few words on the present step."""

    done: int
    total: int | None = None
    unit: str = "documents"
    note: str = ""


def quiet(progress: Progress) -> None:
    """Tell nobody."""

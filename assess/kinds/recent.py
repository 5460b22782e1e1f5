"""A person's latest answers, item by item, for a second look; each kind of work gives them in one form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assess.assignments.models import Assignment


@dataclass(frozen=True, kw_only=True, slots=True)
class RecentAct:
    """A person's current answer on one item in one assignment (id).

    ``label`` is what their bench calls the thing, ``said`` what they said in words, or "" where they took it back.
    ``item`` is the id of the item that it is or lies in, at which the bench opens; None where it is no item.
    ``nugget`` is the number of the nugget at which a bench of nuggets opens in its place.
    """

    assignment: int
    label: str
    said: str
    at: datetime
    item: int | None = None
    nugget: int | None = None
    note: str = ""


Recent = Callable[["Mapping[int, Assignment]", int], list[RecentAct]]
"""A function (one person's assignments by id, how many acts) that gives what was said last."""

"""A person's latest answers, item by item, for a second look. Each kind of work returns them in the same form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assess.assignments.models import Assignment


@dataclass(frozen=True, kw_only=True, slots=True)
class RecentAct:
    """A person's current answer about one thing in one assignment (id).

    ``label`` is the thing's name on the bench; ``said`` is the answer in words, or "" if it was withdrawn. ``item`` is
    the id of the item at which the bench opens, or None. ``nugget`` is the number of the nugget at which a bench of
    nuggets opens instead.
    """

    assignment: int
    label: str
    said: str
    at: datetime
    item: int | None = None
    nugget: int | None = None
    note: str = ""


Recent = Callable[["Mapping[int, Assignment]", int], list[RecentAct]]
"""A function (one person's assignments by id, a number of acts) that returns their latest acts."""

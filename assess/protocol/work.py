"""The options of kinds of work, a record each, and what designs say of them; those of nuggets: `nuggets.options`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field
from typing import Any

from assess.protocol.judging import Work

SAID = "said"
"""Where the metadata of an option holds its `SaidOption`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SaidOption:
    """An option that a design may set: ``help`` describes it, and a number lies between ``least`` and ``most``.

    With ``may_change`` another value changes nothing of what is recorded; else it is refused once there is something.
    """

    help: str
    least: float | None = None
    most: float | None = None
    may_change: bool = False


def option(said: SaidOption, *, default: Any = MISSING) -> Any:
    """Return an option that designs may say, too, under its own name: a truth value, a number, a text or one of some
    words.

    Without a default they have to.
    """
    return field(default=default, metadata={SAID: said})


@dataclass(frozen=True, kw_only=True, slots=True)
class Grading(Work):
    """Criteria asked of each pooled item. With ``in_response`` a segment is shown with the response around it."""

    key = "grade"

    in_response: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Picking(Work):
    """Items that are picked and put in order.

    ``normalise`` gives the proper form of a label that an assessor types, or None for what is no label; the stage's
    ``help`` then says what is one.
    """

    key = "picks"

    may_add: bool = True
    normalise: Callable[[str], str | None] | None = None

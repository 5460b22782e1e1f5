"""The options of kinds of work, one record each, and how designs describe them. For nuggets, see `nuggets.options`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field
from typing import Any

from assess.protocol.judging import Work

SAID = "said"
"""The key of an option's `DesignOption` in its metadata."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignOption:
    """An option that a design may set. ``help`` describes it; a number must be from ``least`` to ``most``.

    With ``may_change``, another value does not affect what is recorded; otherwise a change is refused once something is
    recorded.
    """

    help: str
    least: float | None = None
    most: float | None = None
    may_change: bool = False


def option(said: DesignOption, *, default: Any = MISSING) -> Any:
    """Return the field of a dataclass for an option that designs may set under its name: a boolean, a number, a text or
    one of several fixed words.

    Without a default, designs must set it.
    """
    return field(default=default, metadata={SAID: said})


@dataclass(frozen=True, kw_only=True, slots=True)
class Grading(Work):
    """Criteria for each pooled item. With ``in_response``, a segment is shown with the response around it."""

    key = "grade"

    in_response: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Picking(Work):
    """Items that are picked and put in order.

    ``normalise`` returns the proper form of a label that an assessor types, or None if it is not a label. With
    ``normalise``, the stage's ``help`` must say what a label is.
    """

    key = "picks"

    may_add: bool = True
    normalise: Callable[[str], str | None] | None = None

"""How what a machine judge says is recorded, by the kind of work that a stage names. Apps register theirs.

So an import of machine judgments need not know which apps bring which work (`assess.kinds.base` does so for pages).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoring.deeds import Deed
from scoring.records import Issue

if TYPE_CHECKING:
    from assess.models import Assignment
    from assess.protocol import Stage

PlacedDeed = tuple[int | str, Deed]
Record = Callable[["Assignment", "Stage", Sequence[PlacedDeed], Callable[[Issue], None]], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class MachineWork:
    """One kind of work that machines do, with the deeds that belong to it.

    ``record(assignment, stage, deeds, report)`` adds the rows of one topic under the machine's own assignment. What
    can't be recorded is reported and passed over; what was recorded before adds nothing.
    """

    key: str
    deeds: tuple[type, ...]
    record: Record


_KINDS: dict[str, MachineWork] = {}


def register(kind: MachineWork) -> None:
    """Make a kind of work known that machines do; called once by each app when the site starts."""
    _KINDS[kind.key] = kind


def machine_work(key: str) -> MachineWork | None:
    """What machines do in stages with this kind of work, or None where they do nothing."""
    return _KINDS.get(key)

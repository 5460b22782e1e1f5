"""What comes of a rehearsal, and what not to read into it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from assess.rehearsals.domain.choices import Wish
from scoring.rehearsal import Outcome

FEW_RUNS = 10
"""Below so many, one pair of runs moves tau by more than 0.04."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StagePlayed:
    """One stage: what was taken as given, in words, and what came of it, planned, by size and by share judged twice.

    ``expected_agreement`` is the share of equal judgments that the error rate leads to by itself; None for nuggets.
    """

    stage: str
    label: str
    given: tuple[str, ...]
    size_label: str
    planned: Outcome
    by_size: tuple[Outcome, ...]
    by_double: tuple[Outcome, ...]
    expected_agreement: float | None
    cautions: tuple[str, ...] = ()
    """What not to read into the numbers, in sentences."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Played:
    """All stages that were played, and sentences on those that were not."""

    wish: Wish
    stages: tuple[StagePlayed, ...]
    left_out: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain values, as files and the API hold them."""
        found: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return found


def cautions(runs: int, by_size: Sequence[Outcome], size_label: str) -> tuple[str, ...]:
    """What not to read into a stage's numbers: ranges of tau with few runs, sizes that are no different.

    >>> cautions(4, (), "")[0][:63]
    'With 4 runs a single pair that changes places moves tau by 0.33'
    """
    found = []
    if runs < FEW_RUNS:
        found.append(
            f"With {runs} runs a single pair that changes places moves tau by {4 / (runs * (runs - 1)):.2f}, so its "
            f"ranges are mostly chance: compare ways by it only with {FEW_RUNS} runs or more (simulated ones will do)."
        )
    same = [
        str(each.size)
        for place, each in enumerate(by_size)
        if any(other.items == each.items for other in (*by_size[:place], *by_size[place + 1 :]))
    ]
    if same:
        found.append(
            f"{size_label} {', '.join(same[:-1])} and {same[-1]} lead to the same numbers: the runs return nothing "
            "further that could be pooled."
        )
    return tuple(found)

"""How much of a nugget list a response supports, by nuggetizer's assignments (TREC RAG 2024).

    s of a nugget: support 1, partial_support 1/2, anything else 0; strict: support 1, anything else 0
    V = mean of s over the vital nuggets      A = mean of s over all nuggets
    W = (sum of s over vital + 1/2 sum of s over okay) / (number of vital + 1/2 number of okay)

    R = sum of weight * s over the nuggets / sum of the weights above 0

R is that of lists whose nuggets come with weights of their own (ResearchRubrics, DRAGUN; a nugget without one weighs 1
where it is vital, else 1/2). A weight below 0 is that of what an answer should not hold: R may be below 0, and the
other values leave such nuggets out.

V strict is the primary score of TREC RAG 2024 (Pradeep et al. 2024, arXiv 2411.09607). A list without vital nuggets has
no V, one without nuggets no value at all: undefined (None); nuggetizer prints 0 there. Values are exact fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from scoring.records import AssignedNugget

_SHARES = {"support": Fraction(1), "partial_support": Fraction(1, 2)}
_OKAY = Fraction(1, 2)


@dataclass(frozen=True, kw_only=True, slots=True)
class AssignmentScore:
    """The values of one response on one list, and the sums that they are quotients of."""

    vital_found: Fraction
    vital_strict_found: Fraction
    okay_found: Fraction
    okay_strict_found: Fraction
    vital_count: int
    okay_count: int

    def sums(self, name: str) -> tuple[Fraction, Fraction] | None:
        """What is divided by what for V, A, W or V_strict, A_strict, W_strict; None where the value is undefined."""
        is_strict = name.endswith("_strict")
        vital = self.vital_strict_found if is_strict else self.vital_found
        okay = self.okay_strict_found if is_strict else self.okay_found
        weight = {"V": Fraction(0), "A": Fraction(1), "W": _OKAY}[name.removesuffix("_strict")]
        below = self.vital_count + weight * self.okay_count
        return (vital + weight * okay, below) if below else None

    def value(self, name: str) -> Fraction | None:
        """The value with this name, as in `sums`."""
        sums = self.sums(name)
        return None if sums is None else sums[0] / sums[1]


def assignment_score(nuggets: Sequence[AssignedNugget]) -> AssignmentScore:
    """The score of a response from all nuggets of its topic's list, each with what it was assigned.

    >>> def nugget(importance, assignment):
    ...     return AssignedNugget(text="x", importance=importance, assignment=assignment)
    >>> score = assignment_score([nugget("vital", "support"), nugget("vital", "partial_support"), nugget("okay", "")])
    >>> [str(score.value(name)) for name in ("V_strict", "V", "A", "W")]
    ['1/2', '3/4', '1/2', '3/5']
    """
    vital = [each.assignment for each in nuggets if each.importance == "vital"]
    okay = [each.assignment for each in nuggets if each.importance != "vital"]
    return AssignmentScore(
        vital_found=_found(vital),
        vital_strict_found=Fraction(vital.count("support")),
        okay_found=_found(okay),
        okay_strict_found=Fraction(okay.count("support")),
        vital_count=len(vital),
        okay_count=len(okay),
    )


def weighed_share(
    nuggets: Sequence[AssignedNugget], weights: Sequence[Fraction | None]
) -> tuple[tuple[Fraction, Fraction], Fraction | None]:
    """What is divided by what for R, and R: None where no weight is above 0.

    >>> said = [AssignedNugget(text="x", importance="okay", assignment=each) for each in ("support", "", "support")]
    >>> weighed_share(said, [Fraction(5), Fraction(2), Fraction(-4)])[1]
    Fraction(1, 7)
    """
    pairs = [
        (_own(each) if weight is None else weight, _SHARES.get(each.assignment, Fraction(0)))
        for each, weight in zip(nuggets, weights, strict=True)
    ]
    found = sum((weight * share for weight, share in pairs), Fraction(0))
    below = sum((weight for weight, _ in pairs if weight > 0), Fraction(0))
    return (found, below), found / below if below else None


def _own(nugget: AssignedNugget) -> Fraction:
    return Fraction(1) if nugget.importance == "vital" else _OKAY


def _found(assignments: Sequence[str]) -> Fraction:
    return sum((_SHARES.get(assignment, Fraction(0)) for assignment in assignments), Fraction(0))

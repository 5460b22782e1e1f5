"""Computes how much of a nugget list a response supports, from nuggetizer's assignments (TREC RAG 2024).

    s of a nugget: support 1, partial_support 1/2, anything else 0; strict: support 1, anything else 0
    V = mean of s over the vital nuggets      A = mean of s over all nuggets
    W = (sum of s over vital + 1/2 sum of s over okay) / (number of vital + 1/2 number of okay)

    R = sum of weight * s over the nuggets / sum of the weights above 0

In W a vital nugget weighs 1 and an okay one 1/2, and partial support counts 1/2; `NuggetWeights` can change these
figures.

R is for lists whose nuggets have weights of their own (ResearchRubrics, DRAGUN); a nugget without one weighs as in W. A
weight below 0 marks a nugget that answers should not contain. R may therefore be below 0; the other values leave such
nuggets out.

V strict is the primary score of TREC RAG 2024 (Pradeep et al. 2024, arXiv 2411.09607). For a list without vital nuggets
V is undefined (None), and for an empty list all values are; nuggetizer prints 0 in these cases. Values are exact
fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from scoring.records import AssignedNugget


@dataclass(frozen=True, kw_only=True, slots=True)
class NuggetWeights:
    """The weights of vital and okay nuggets in W, and the share that partial support counts."""

    vital: Fraction = Fraction(1)
    okay: Fraction = Fraction(1, 2)
    partial: Fraction = Fraction(1, 2)

    def of(self, nugget: AssignedNugget) -> Fraction:
        """Return the weight of a nugget by its importance."""
        return self.vital if nugget.importance == "vital" else self.okay

    def share(self, assignment: str) -> Fraction:
        """Return the share of a nugget that an assignment counts."""
        return {"support": Fraction(1), "partial_support": self.partial}.get(assignment, Fraction(0))


USUAL = NuggetWeights()
"""The weights of TREC RAG 2024."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AssignmentScore:
    """The counts and sums for one response on one list of nuggets, from which its values are computed.

    ``vital_found`` and ``okay_found`` are the sums of s over these nuggets, in which partial support has its share; in
    the strict ones it counts 0. ``vital_count`` and ``okay_count`` are the numbers of these nuggets on the list.
    """

    vital_found: Fraction
    vital_strict_found: Fraction
    okay_found: Fraction
    okay_strict_found: Fraction
    vital_count: int
    okay_count: int
    weights: NuggetWeights = USUAL

    def sums(self, name: str) -> tuple[Fraction, Fraction] | None:
        """Return the numerator and denominator of V, A, W or V_strict, A_strict, W_strict; None if the value is
        undefined.
        """
        is_strict = name.endswith("_strict")
        vital = self.vital_strict_found if is_strict else self.vital_found
        okay = self.okay_strict_found if is_strict else self.okay_found
        own = self.weights.vital, self.weights.okay
        weights = {"V": (Fraction(1), Fraction(0)), "A": (Fraction(1), Fraction(1)), "W": own}
        of_vital, of_okay = weights[name.removesuffix("_strict")]
        below = of_vital * self.vital_count + of_okay * self.okay_count
        return (of_vital * vital + of_okay * okay, below) if below else None

    def value(self, name: str) -> Fraction | None:
        """Return the value with this name, which must be one that `sums` allows; None if it is undefined."""
        sums = self.sums(name)
        return None if sums is None else sums[0] / sums[1]


def assignment_score(nuggets: Sequence[AssignedNugget], weights: NuggetWeights = USUAL) -> AssignmentScore:
    """Return the score of a response. ``nuggets`` are all nuggets of its topic's list, each with its assignment in this
    response.

    >>> def nugget(importance, assignment):
    ...     return AssignedNugget(text="x", importance=importance, assignment=assignment)
    >>> score = assignment_score([nugget("vital", "support"), nugget("vital", "partial_support"), nugget("okay", "")])
    >>> [str(score.value(name)) for name in ("V_strict", "V", "A", "W")]
    ['1/2', '3/4', '1/2', '3/5']

    If a vital nugget weighs 3 and partial support counts a quarter, W is (3 + 3/4) / (3 + 3 + 1/2):

    >>> own = NuggetWeights(vital=Fraction(3), partial=Fraction(1, 4))
    >>> said = [nugget("vital", "support"), nugget("vital", "partial_support"), nugget("okay", "")]
    >>> str(assignment_score(said, own).value("W"))
    '15/26'
    """
    vital = [each.assignment for each in nuggets if each.importance == "vital"]
    okay = [each.assignment for each in nuggets if each.importance != "vital"]
    return AssignmentScore(
        vital_found=_found(vital, weights),
        vital_strict_found=Fraction(vital.count("support")),
        okay_found=_found(okay, weights),
        okay_strict_found=Fraction(okay.count("support")),
        vital_count=len(vital),
        okay_count=len(okay),
        weights=weights,
    )


def weighed_share(
    nuggets: Sequence[AssignedNugget], weights: Sequence[Fraction | None], others: NuggetWeights = USUAL
) -> tuple[tuple[Fraction, Fraction], Fraction | None]:
    """Return ((numerator, denominator) of R, R), in which R is None if no weight is above 0.

    ``weights`` are those of the nuggets, in order; a nugget with None gets its weight from ``others``. Raises
    ValueError if there are more nuggets than weights, or fewer.

    >>> said = [AssignedNugget(text="x", importance="okay", assignment=each) for each in ("support", "", "support")]
    >>> weighed_share(said, [Fraction(5), Fraction(2), Fraction(-4)])[1]
    Fraction(1, 7)
    """
    pairs = [
        (others.of(each) if weight is None else weight, others.share(each.assignment))
        for each, weight in zip(nuggets, weights, strict=True)
    ]
    found = sum((weight * share for weight, share in pairs), Fraction(0))
    below = sum((weight for weight, _ in pairs if weight > 0), Fraction(0))
    return (found, below), found / below if below else None


def _found(assignments: Sequence[str], weights: NuggetWeights) -> Fraction:
    return sum(map(weights.share, assignments), Fraction(0))

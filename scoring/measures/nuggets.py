"""Computes nugget F: the share of a topic's nugget list that a response contains, against its length.

    NR = sum of the weights of the nuggets returned / sum of the weights of all nuggets on the list
    allowance = 100 * number of nuggets returned (vital and okay alike)
    NP = 1 if length < allowance, else 1 - (length - allowance) / length
    F  = (beta^2 + 1) NP NR / (beta^2 NP + NR)

``length`` is the number of non-white-space characters of all answer strings. With single-assessor weights a vital
nugget weighs 1 and an okay one 0 (TREC QA 2003-2005: beta 5, later 3). With pyramid weights a nugget weighs the number
of assessors who voted it vital over the largest such number on the topic's list (Lin and Demner-Fushman, HLT/NAACL
2006; TAC 2008).

Edge cases: if no nugget on the list has a weight, which is to say none is vital, NR and F are undefined (None), never 0
or 1. For an empty response NP is 0. If NP and NR are both 0, F is 0. A nugget counts once, however often it is
returned. A nugget marked in parts (5.1, 5.2) counts if the response contains all its parts: those that it was split
into in any response, or (`nuggets_of_own_parts`) parts 1 to k of this response.

Marks that say that a nugget is there in part (`partial`) do not reach this module; who makes its records leaves them
out.

Values are exact fractions; convert them to floats when you print them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from fractions import Fraction
from math import lcm

from scoring.measures.spec import Measure, Parameter
from scoring.quick_records import quick_record
from scoring.records import Nugget, NuggetVote

_LIN = "Lin and Demner-Fushman 2006; TAC 2008 QA guidelines"
_ALLOWANCE = Parameter(name="allowance", default=100, help="characters allowed for each nugget returned", low=0)
_BETA = Parameter(name="beta", default=3.0, help="how much more recall counts than precision", low=0)
_PYRAMID = Parameter(name="pyramid", default=False, help="weights from votes instead of vital 1, okay 0")
_NO_VITAL = "undefined where no nugget of the list weighs anything; the topic is left out of the mean"
MEASURES = (
    Measure(
        name="nuggetR", family="nuggets", label="NR, nugget recall: weight returned / weight of the list",
        source=_LIN, parameters=(_PYRAMID,), edge_cases=_NO_VITAL,
    ),
    Measure(
        name="nuggetP", family="nuggets", label="NP, 1 within the allowance, else 1 - (length - allowance) / length",
        source=_LIN, parameters=(_ALLOWANCE,), edge_cases="0 for an empty response",
    ),
    Measure(
        name="nuggetF", family="nuggets", label="F of NR and NP", source=_LIN,
        parameters=(_BETA, _ALLOWANCE, _PYRAMID), edge_cases=_NO_VITAL,
    ),
)  # fmt: skip

Weights = Mapping[int, Fraction]
Mark = tuple[int, int]  # (nugget number, part); part 0 is the whole nugget


class ListWeights(Mapping[int, Fraction]):
    """The weights of a list's nuggets, by number, in a form that is cheap to add.

    Each weight is a whole number (in ``shares``) over a common denominator (``unit``).

    >>> weights = ListWeights({1: Fraction(1), 2: Fraction(1, 3)})
    >>> weights.shares, weights.unit, weights.total, weights == {1: 1, 2: Fraction(1, 3)}
    ({1: 3, 2: 1}, 3, 4, True)
    """

    def __init__(self, weights: Weights) -> None:
        self._weights = dict(weights)
        ratios = {number: weight.as_integer_ratio() for number, weight in weights.items()}
        self.unit = lcm(*(below for _, below in ratios.values()))
        self.shares = {number: above * (self.unit // below) for number, (above, below) in ratios.items()}
        self.total = sum(self.shares.values())

    def __getitem__(self, number: int) -> Fraction:
        return self._weights[number]

    def __iter__(self) -> Iterator[int]:
        return iter(self._weights)

    def __len__(self) -> int:
        return len(self._weights)


@quick_record(frozen=True, kw_only=True, slots=True)
class NuggetScore:
    """NR, NP and F of one response on one topic, with the figures they were computed from.

    ``recall`` and ``f`` are None if no nugget of the list weighs more than 0. ``length`` and ``allowance`` (that of all
    nuggets returned) are in characters. ``returned`` holds only numbers that are on the list.
    """

    recall: Fraction | None
    precision: Fraction
    f: Fraction | None
    length: int
    allowance: int
    returned: frozenset[int]
    weight_returned: Fraction
    weight_all: Fraction


def importance_weights(nuggets: Iterable[Nugget]) -> ListWeights:
    """Return weights by the importance that the list's author gave: vital 1, okay 0."""
    return ListWeights({nugget.number: Fraction(nugget.importance == "vital") for nugget in nuggets})


def vote_weights(nuggets: Iterable[Nugget], votes: Iterable[NuggetVote]) -> ListWeights:
    """Return the pyramid weights of one topic's list. A nugget's weight is its number of vital votes, divided by the
    highest number of vital votes that any nugget on the list has.

    ``votes`` holds all votes that count, including the author's; a nugget without votes weighs 0. If there are no votes
    at all, the author's importance is used (`importance_weights`).
    """
    nuggets = list(nuggets)
    votes = list(votes)
    if not votes:
        return importance_weights(nuggets)
    counts = Counter(vote.number for vote in votes if vote.importance == "vital")
    most = max((counts[nugget.number] for nugget in nuggets), default=0)
    return ListWeights({nugget.number: Fraction(counts[nugget.number], most or 1) for nugget in nuggets})


def part_counts(marks: Iterable[Mark]) -> dict[int, int]:
    """Return nugget -> number of parts, for each nugget that is marked in parts anywhere.

    A nugget has as many parts as the highest number of a marked part says, but at least 2.

    >>> part_counts([(4, 0), (5, 1), (5, 3), (6, 1)])
    {5: 3, 6: 2}
    """
    highest: dict[int, int] = {}
    for number, part in marks:
        if part:
            highest[number] = max(highest.get(number, 2), part)
    return highest


def returned_nuggets(marks: Iterable[Mark], parts: Mapping[int, int]) -> frozenset[int]:
    """Return the nuggets that a response contains: those marked as a whole, and those of which all parts are marked.

    ``parts`` is the result of `part_counts`; a nugget that is not in it has two parts.

    >>> sorted(returned_nuggets([(4, 0), (4, 0), (5, 1), (5, 2), (6, 1)], {5: 2, 6: 2}))
    [4, 5]
    """
    whole: set[int] = set()
    found: dict[int, set[int]] = {}
    for number, part in marks:
        if part:
            found.setdefault(number, set()).add(part)
        else:
            whole.add(number)
    return frozenset(whole).union(
        number for number, seen in found.items() if seen >= set(range(1, max(2, parts.get(number, 2)) + 1))
    )


def nuggets_of_own_parts(marks: Iterable[Mark]) -> frozenset[int]:
    """Return the nuggets that a response contains by its own marks alone, whatever parts other responses have.

    A nugget counts if it is marked as a whole, or if exactly its parts 1 to k are marked, where k is at least 2: "those
    item combined produce nugget 5" (AQUAINT definition pilot, section 2.2).

    >>> sorted(nuggets_of_own_parts([(4, 0), (5, 1), (5, 2), (6, 1), (7, 1), (7, 3), (8, 2), (8, 3)]))
    [4, 5]
    """
    found: dict[int, set[int]] = {}
    for number, part in marks:
        found.setdefault(number, set()).add(part)
    return frozenset(
        number
        for number, seen in found.items()
        if 0 in seen or (len(seen) > 1 and seen == set(range(1, len(seen) + 1)))
    )


def nugget_score(
    weights: Weights, returned: Set[int], length: int, *, beta: float = 3.0, allowance: int = 100
) -> NuggetScore:
    """Return NR, NP and F of a response with ``length`` non-white-space characters.

    ``returned`` are nugget numbers; those that are not on the list are ignored. ``allowance`` is the number of
    characters allowed for each nugget returned.

    >>> list_of_five = {number: Fraction(1) for number in range(1, 6)} | {6: Fraction(0)}
    >>> score = nugget_score(list_of_five, {1, 2, 6}, 450)
    >>> score.recall, score.precision, score.f
    (Fraction(2, 5), Fraction(2, 3), Fraction(5, 12))
    """
    listed = weights if isinstance(weights, ListWeights) else ListWeights(weights)
    kept = frozenset(number for number in returned if number in listed.shares)
    share = sum([listed.shares[number] for number in kept])
    recall = Fraction(share, listed.total) if listed.total else None
    allowed = allowance * len(kept)
    precision = length_precision(length, allowed)
    return NuggetScore(
        recall=recall,
        precision=precision,
        f=None if recall is None else f_measure(precision, recall, beta=beta),
        length=length,
        allowance=allowed,
        returned=kept,
        weight_returned=Fraction(share, listed.unit),
        weight_all=Fraction(listed.total, listed.unit),
    )


def length_precision(length: int, allowance: int) -> Fraction:
    """Return 1 below the allowance, and allowance / length from there on; 0 for an empty response without nuggets.

    >>> length_precision(299, 300), length_precision(300, 300), length_precision(301, 300), length_precision(0, 0)
    (Fraction(1, 1), Fraction(1, 1), Fraction(300, 301), Fraction(0, 1))
    """
    if length < allowance:
        return Fraction(1)
    return Fraction(allowance, length) if length else Fraction(0)


def f_measure(precision: Fraction, recall: Fraction, *, beta: float) -> Fraction:
    """Return (beta^2 + 1) P R / (beta^2 P + R), or 0 if the divisor is 0.

    >>> f_measure(Fraction(1), Fraction(2, 5), beta=5)
    Fraction(52, 127)
    """
    (above, below), (p, q), (r, s) = (each.as_integer_ratio() for each in (beta, precision, recall))
    above, below = above * above, below * below  # numerator and denominator of beta squared
    denominator = above * p * s + below * q * r
    return Fraction((above + below) * p * r, denominator) if denominator else Fraction(0)

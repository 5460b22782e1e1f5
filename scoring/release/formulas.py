"""Writes formulas with their numbers filled in, as text that can be computed again: "(1/2 + 0) / 2".

They consist of whole numbers, decimals, + - × / ( ) and log2( ). Numbers are exact if a measure is a fraction, and
otherwise the shortest decimals that identify a float, so that computing the text gives the value that it explains.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import cast

from scoring.release.phrases import Phrase

Number = Fraction | float | int


def exact(value: Number) -> str:
    """Return a number as part of a formula.

    >>> exact(Fraction(3)), exact(Fraction(2, 3)), exact(0.25), exact(2)
    ('3', '(2/3)', '0.25', '2')
    """
    if isinstance(value, Fraction):
        return str(value.numerator) if value.denominator == 1 else f"({value})"
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def show(value: Number) -> str:
    """Return a number as people read it: whole numbers without decimals, others with four.

    >>> show(Fraction(3)), show(Fraction(1, 3))
    ('3', '0.3333')
    """
    if isinstance(value, Fraction | int):
        return str(value.numerator) if value.denominator == 1 else f"{float(value):.4f}"
    return f"{value:.4f}"


def shown(value: Number | None) -> str:
    """Return a number for people, or "undefined" for None."""
    return Phrase("undefined") if value is None else show(value)


def total(values: Collection[Number]) -> Number:
    """Return the same value as `sum`. Fractions are added over their common denominator, which takes a tenth of the
    time.

    >>> total([Fraction(1, 2), Fraction(1, 3)]), total([0.5, Fraction(1, 2)]), total([])
    (Fraction(5, 6), 1.0, 0)
    """
    if not values or not all(type(value) is Fraction for value in values):
        return sum(values)
    return exact_total(cast(Collection[Fraction], values))


def exact_total(values: Collection[Fraction], *, shared_by: int = 1) -> Fraction:
    """Return the sum of these fractions divided by ``shared_by``; 0 if there are no fractions."""
    ratios = [value.as_integer_ratio() for value in values]
    below = lcm(*{denominator for _, denominator in ratios})
    above = sum([numerator * (below // denominator) for numerator, denominator in ratios])
    return Fraction(above, below * shared_by)


def mean(values: Sequence[Number]) -> Number:
    """Return the sum of one or more values divided by their number.

    >>> mean([Fraction(1, 2), Fraction(1, 3)]), mean([0.5, Fraction(1, 2)])
    (Fraction(5, 12), 0.5)
    """
    if set(map(type, values)) == {Fraction}:
        return exact_total(cast(Sequence[Fraction], values), shared_by=len(values))
    return sum(values) / len(values)


def mean_formula(values: Iterable[Number | None]) -> str:
    """Return the formula for the mean of the defined values; "" if none is defined.

    >>> mean_formula([Fraction(1, 2), None, Fraction(0)]), mean_formula([None])
    ('((1/2) + 0) / 2', '')
    """
    defined = [value for value in values if value is not None]
    return f"({' + '.join(map(exact, defined))}) / {len(defined)}" if defined else ""


def sum_formula(values: Iterable[Number]) -> str:
    """Return the formula for the sum; "0" if there are no values.

    >>> sum_formula([1, 2]), sum_formula([])
    ('1 + 2', '0')
    """
    return " + ".join(map(exact, values)) or "0"

"""Formulas with their figures filled in, as text that can be computed again: "(1/2 + 0) / 2".

Whole numbers, decimals, + - × / ( ) and log2( ). Figures are exact where a measure is a fraction, and the shortest
decimals that name a float otherwise, so that computing the text gives the value that it explains.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from fractions import Fraction

Number = Fraction | float | int


def exact(value: Number) -> str:
    """A figure as part of a formula.

    >>> exact(Fraction(3)), exact(Fraction(2, 3)), exact(0.25), exact(2)
    ('3', '(2/3)', '0.25', '2')
    """
    if isinstance(value, Fraction):
        return str(value.numerator) if value.denominator == 1 else f"({value})"
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def show(value: Number) -> str:
    """A figure for people: whole numbers as they are, others with four decimals.

    >>> show(Fraction(3)), show(Fraction(1, 3))
    ('3', '0.3333')
    """
    if isinstance(value, Fraction | int):
        return str(value.numerator) if value.denominator == 1 else f"{float(value):.4f}"
    return f"{value:.4f}"


def shown(value: Number | None) -> str:
    """The same, or "undefined"."""
    return "undefined" if value is None else show(value)


def mean_formula(values: Iterable[Number | None]) -> str:
    """The mean of the values that are defined; "" where none is.

    >>> mean_formula([Fraction(1, 2), None, Fraction(0)]), mean_formula([None])
    ('((1/2) + 0) / 2', '')
    """
    defined = [value for value in values if value is not None]
    return f"({' + '.join(map(exact, defined))}) / {len(defined)}" if defined else ""


def sum_formula(values: Iterable[Number]) -> str:
    """The sum; "0" of nothing.

    >>> sum_formula([1, 2]), sum_formula([])
    ('1 + 2', '0')
    """
    return " + ".join(map(exact, values)) or "0"


def compute(formula: str) -> Fraction | float:
    """The value of a formula: exact unless a decimal or a logarithm is in it.

    Raises ValueError where it is no formula. Costs one step a sign, however long a sum is.

    >>> compute("(9 + 1) × (2/3) × 1 / (9 × (2/3) + 1)"), compute("3 / log2(2)")
    (Fraction(20, 21), 3.0)
    """
    try:
        return _value(ast.parse(formula.replace("×", "*"), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError, ZeroDivisionError, OverflowError) as error:
        raise ValueError(f"{formula[:80]!r} is no formula") from error


def _value(node: ast.expr) -> Fraction | float:
    later: list[tuple[ast.operator, ast.expr]] = []
    while isinstance(node, ast.BinOp):  # a long sum leans to the left
        later.append((node.op, node.right))
        node = node.left
    found = _single(node)
    for operator, right in reversed(later):
        found = _apply(operator, found, _value(right))
    return found


def _single(node: ast.expr) -> Fraction | float:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return Fraction(node.value)
    if isinstance(node, ast.Constant) and type(node.value) is float:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "log2"
        and len(node.args) == 1
    ):
        return math.log2(_value(node.args[0]))
    raise ValueError("a formula has numbers, + - × / ( ) and log2( ) alone")


def _apply(operator: ast.operator, left: Fraction | float, right: Fraction | float) -> Fraction | float:
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    if isinstance(operator, ast.Div):
        return left / right
    raise ValueError("a formula has + - × / alone")

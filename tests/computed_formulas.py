"""What the arithmetic of an explanation amounts to: numbers, + - × / ( ) and log2( ), computed from its text."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def computed(formula: str) -> Fraction | float:
    """The value of a formula: exact unless a decimal or a logarithm is in it."""
    return _value(ast.parse(formula.replace("×", "*"), mode="eval").body)


def _value(node: ast.expr) -> Fraction | float:
    later: list[tuple[ast.operator, ast.expr]] = []
    while isinstance(node, ast.BinOp):  # a long sum leans to the left
        later.append((node.op, node.right))
        node = node.left
    found = _single(node)
    for each, right in reversed(later):
        found = OPERATORS[type(each)](found, _value(right))
    return found


def _single(node: ast.expr) -> Fraction | float:
    match node:
        case ast.Constant(value=int() as number):
            return Fraction(number)
        case ast.Constant(value=float() as number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner)
        case ast.Call(func=ast.Name(id="log2"), args=[inner]):
            return math.log2(_value(inner))
    raise ValueError(f"{ast.unparse(node)} is no part of a formula")

"""Checks the options of the Python interface, so that a wrong call is refused rather than computed in another way
than it was meant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real


def require_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise ValueError if the value is not one of the choices, which the error names. Case matters, as on the command
    line.
    """
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}.")


def require_flag(name: str, value: object) -> None:
    """Raise ValueError if the value is not True or False. A text such as "no" would otherwise count as true."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, not {value!r}.")


def require_whole(name: str, value: object, *, least: int = 0) -> None:
    """Raise ValueError if the value is not a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ValueError(f"{name} must be a whole number, {least} or more, not {value!r}.")


def require_number(name: str, value: object) -> None:
    """Raise ValueError if the value is not a finite number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise ValueError(f"{name} must be a number, not {value!r}.")

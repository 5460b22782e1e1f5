"""The error and the warning of the Python interface, which name where something is wrong and why."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from scoring.records import Issue


class InputError(ValueError):
    """Raised when input can't be used. The message says where and why; ``issues`` are the problems of a file in
    order.
    """

    def __init__(self, source: str, issues: Iterable[Issue]) -> None:
        self.issues = tuple(issues)
        shown = [
            ": ".join(str(part) for part in (source, each.where, each.message) if part != "") for each in self.issues
        ]
        more = len(shown) - SHOWN
        super().__init__("\n".join(shown[:SHOWN] + [f"… and {more:,} more"] * (more > 0)))


SHOWN = 5
"""The most problems that the message of an error names."""


class InputWarning(UserWarning):
    """Warns that input was used, but perhaps not in the way that its author meant. The message says where and why."""


def refusal(source: str, message: str, *, where: str = "", code: str) -> InputError:
    """Return the error that reports this one problem."""
    return InputError(source, [Issue(where=where, code=code, message=message)])


def warn_of(source: str, issues: Iterable[Issue]) -> None:
    """Issue a Python warning for each of these issues whose severity is "warning"."""
    for each in issues:
        if each.severity == "warning":
            warning = ": ".join(str(part) for part in (source, each.where, each.message) if part != "")
            warnings.warn(warning, InputWarning, stacklevel=2)


def sentence(error: Exception) -> str:
    """Return the message of an error as a sentence."""
    text = str(error).removesuffix(".")
    return f"{text[:1].upper()}{text[1:]}."

"""The order in which people expect names that hold numbers."""

from __future__ import annotations

import re


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """What to sort names by so that 2 comes before 10; whatever their case.

    >>> sorted(["FIG 10", "fig 2", "1.10", "1.9"], key=natural)
    ['1.9', '1.10', 'fig 2', 'FIG 10']
    """
    return tuple(_piece(word) for word in re.split(r"(\d+)", name.casefold()) if word)


def _piece(word: str) -> tuple[int, int, str]:
    return (0, int(word[:18]), word) if word.isdecimal() else (1, 0, word)

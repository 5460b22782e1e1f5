"""Words that pages, commands and refusals share."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """A count with its noun.

    >>> counted(1, "warning"), counted(2300, "warning"), counted(0, "piece of work", "pieces of work")
    ('1 warning', '2,300 warnings', '0 pieces of work')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"

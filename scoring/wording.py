"""Puts numbers into sentences, with noun and verb in the form that the number needs."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun.

    >>> counted(1, "warning"), counted(2300, "warning"), counted(1, "query is", "queries are")
    ('1 warning', '2,300 warnings', '1 query is')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def counted_of(number: int, whole: int, noun: str, verb: str, plural_verb: str) -> str:
    """Return a part of a count with noun and verb.

    >>> counted_of(1, 3, "topic", "has", "have"), counted_of(1, 1, "topic", "has", "have")
    ('1 of 3 topics has', '1 of 1 topic has')
    """
    return f"{number:,} of {counted(whole, noun)} {verb if number == 1 else plural_verb}"

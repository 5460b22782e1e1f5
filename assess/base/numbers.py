"""Numbers as a page's language writes them, for sentences. What programs read is in English, and so are its numbers."""

from __future__ import annotations

from django.utils.formats import number_format
from django.utils.functional import lazy


def grouped(number: float, decimals: int | None = None) -> str:
    """Return a number with its thousands set apart, and rounded to this many decimals.

    >>> grouped(1234), grouped(2500.25, 1), grouped(7.6, 0)
    ('1,234', '2,500.2', '8')
    """
    return str(number_format(number if decimals is None else round(number, decimals), decimals, force_grouping=True))


grouped_lazy = lazy(grouped, str)
"""The same for labels that are made before anybody reads them."""

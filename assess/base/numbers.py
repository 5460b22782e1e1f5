"""Numbers as a page's language writes them, for sentences, and as people type them. Programs read and write English."""

from __future__ import annotations

import re

from django.utils.formats import get_format, number_format
from django.utils.functional import lazy
from django.utils.translation import gettext


def grouped(number: float, decimals: int | None = None) -> str:
    """Return a number with its thousands set apart, and rounded to this many decimals.

    >>> grouped(1234), grouped(2500.25, 1), grouped(7.6, 0)
    ('1,234', '2,500.2', '8')
    """
    return str(number_format(number if decimals is None else round(number, decimals), decimals, force_grouping=True))


grouped_lazy = lazy(grouped, str)
"""The same for labels that are made before anybody reads them."""

SPACED = re.compile(r"(?<=\d)[\s'’](?=\d{3}(?!\d))")
DECIMAL = re.compile(r"[+-]?\d*[.,]\d*(e[+-]?\d+)?", re.IGNORECASE)
THOUSANDS = re.compile(r"([+-]?[1-9]\d{0,2}(?:([.,])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?")


class TwoNumbers(ValueError):
    """What was typed may be either of two numbers. Its text says so to the person."""


def typed_number(text: str, *, is_whole: bool = False) -> str:
    """Return a number that a person typed, with a point or a comma, as programs read it; other text as it is.

    Raise `TwoNumbers` for what the language of the page does not tell apart: 1,250 in English and 1.250 in German, or
    in a whole number what would be a fraction there.

    >>> typed_number("0,05"), typed_number("1.000,5"), typed_number("1 000"), typed_number("1.250")
    ('0.05', '1000.5', '1000', '1.250')
    >>> typed_number("1,250", is_whole=True)
    '1250'
    """
    bare = SPACED.sub("", text.strip())
    point = get_format("DECIMAL_SEPARATOR")
    if (found := THOUSANDS.fullmatch(bare)) is not None:
        digits, mark, rest = found.groups()
        whole = digits.replace(mark, "")
        if rest is not None or digits.count(mark) > 1 or (is_whole and mark != point):
            return whole if rest is None else f"{whole}.{rest}"
        if is_whole or mark != point:
            part = digits.replace(mark, point).rstrip("0").removesuffix(point)
            raise TwoNumbers(
                gettext("“%(typed)s” may be %(one)s or %(other)s. Write one of these.")
                % {"typed": text.strip(), "one": part, "other": whole}
            )
    return bare.replace(",", ".") if DECIMAL.fullmatch(bare) else bare

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
    """What was typed can be read as either of two numbers. The exception's text tells the person which two."""


def typed_number(text: str, *, is_whole: bool = False) -> str:
    """Return a number that a person typed, with a point or a comma, in the form that programs read; return other text
    unchanged.

    Raise `TwoNumbers` for text that may mean two numbers in the language of the page: 1,250 in English and 1.250 in
    German or, where a whole number is expected, 1.250 in English and 1,250 in German.

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

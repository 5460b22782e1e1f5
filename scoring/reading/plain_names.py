"""Compares names of topics and documents as people read them."""

from __future__ import annotations

import re
from unicodedata import category, normalize


def plain_name(name: str) -> str:
    """Return a name as it reads: without case, zeros around a number, signs that nobody sees, quotes, a separator at
    its end, and a file's ending.
    """
    if not name.isascii():
        name = "".join(each for each in normalize("NFC", name) if category(each) not in ("Cf", "Pi", "Pf"))
    name = _ENDING.sub("", name.strip("\"'").rstrip(",;:").casefold())
    number = _NUMBER.fullmatch(name)
    return number[1] if number is not None else name


_ENDING = re.compile(r"\.(?:xml|txt|html?|json|sgml?|pdf|gz)\Z")
_NUMBER = re.compile(r"0*([0-9]+)(?:\.0+)?")

"""Numbers, lists and letters in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol
from unicodedata import normalize

from scoring.wording import counted as counted

LETTERS = 26


def letters(number: int) -> str:
    """Return a number, from 1, as letters.

    >>> letters(1), letters(26), letters(27)
    ('A', 'Z', 'AA')
    """
    said = ""
    while number:
        number, rest = divmod(number - 1, LETTERS)
        said = chr(ord("A") + rest) + said
    return said


_CURLED = str.maketrans("“”„", "‘’‚")
_STRAIGHT = re.compile(r'(?<![^\s(])"(\S[^"]*)"')


def inside_quotes(text: str) -> str:
    """Return a text as it is written between “ and ”, with its own quotation marks as single ones.

    >>> inside_quotes('“Floods” of 5" and "rain"')
    '‘Floods’ of 5" and ‘rain’'
    """
    return _STRAIGHT.sub(r"‘\1’", text.translate(_CURLED))


class Counts(Protocol):
    """The counts of issues in a file: a report, or the run that stores one."""

    @property
    def errors(self) -> int:
        """The number of errors, for which a file is refused."""

    @property
    def warnings(self) -> int:
        """The number of warnings, which somebody should look at."""

    @property
    def notes(self) -> int:
        """The number of notes, which are not faults of the file."""


def counted_issues(found: Counts, *, errors: bool = True) -> str:
    """Return a checker's counts in words: errors (unless shown elsewhere), warnings, and notes if there are any.

    >>> from types import SimpleNamespace
    >>> counted_issues(SimpleNamespace(errors=1, warnings=0, notes=0))
    '1 error, 0 warnings'
    >>> counted_issues(SimpleNamespace(errors=0, warnings=2, notes=1), errors=False)
    '2 warnings, 1 note'
    """
    parts = [counted(found.errors, "error")] if errors else []
    parts.append(counted(found.warnings, "warning"))
    if found.notes:
        parts.append(counted(found.notes, "note"))
    return ", ".join(parts)


def renamed(text: str, names: Mapping[str, str]) -> str:
    r"""Return the text with each of these names, as a whole word in any case, replaced by its other name.

    A name is also found where its letters are written in another way, as WEISS for Weiß, or ü as u and a mark.

    >>> renamed("ambers of AMBER, and Amber2", {"Amber": "a team", "": "nobody"})
    'ambers of a team, and Amber2'
    >>> renamed("WEISS of L\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}ON", {"Weiß": "a team", "Lion": "a run"})
    'a team of a run'
    """
    written = {
        normalize(form, spelt): other
        for name, other in names.items()
        for spelt in (name, name.casefold(), name.upper())
        for form in ("NFC", "NFD")
        if name
    }
    if not written:
        return text
    found = sorted(written, key=len, reverse=True)
    pattern = "|".join(f"({re.escape(name)})" for name in found)
    return re.sub(
        rf"(?<!\w)(?:{pattern})(?!\w)",
        lambda match: written.get(match[0]) or written[found[(match.lastindex or 1) - 1]],
        text,
        flags=re.IGNORECASE,
    )


# The order that people expect of names with numbers.


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key for names in which 2 comes before 10 and case is ignored.

    >>> sorted(["FIG 10", "fig 2", "1.10", "1.9"], key=natural)
    ['1.9', '1.10', 'fig 2', 'FIG 10']
    """
    words = _DIGITS.split(name.casefold())
    return tuple([(0, int(word[:18]), word) if word.isdecimal() else (1, 0, word) for word in words if word])


_DIGITS = re.compile(r"(\d+)")

"""Compares names of topics and documents as people read them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from unicodedata import category, normalize

from scoring.reading.opening import excerpt_of


def plain_name(name: str) -> str:
    """Return a name in a form that is equal for names that look alike.

    It is in lower case, without quotes, invisible characters, a separator at its end and a file's extension. A number
    has no leading zeros and no decimals ".0".
    """
    if not name.isascii():
        name = "".join(each for each in normalize("NFC", name) if category(each) not in ("Cf", "Pi", "Pf"))
    name = _ENDING.sub("", name.strip("\"'").rstrip(",;:").casefold())
    number = _NUMBER.fullmatch(name)
    return number[1] if number is not None else name


class KnownNames:
    """The names that a file may use, such as those of topics. It finds the one that was meant by a similar name.

    >>> KnownNames(["116"]).lacks("topic", "0116", "Check the topic file.")
    'There is no topic “0116”, but there is 116: write both alike.'
    >>> KnownNames(["116"]).lacks("topic", "117", "Check the topic file.")
    'There is no topic “117”. Check the topic file.'
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = names

    @cached_property
    def _plain(self) -> dict[str, str]:
        return {plain_name(each): each for each in self._names}

    def alike(self, name: str) -> str:
        """Return the known name that has the same `plain_name`, shortened to be shown; "" if there is none."""
        return excerpt_of(self._plain.get(plain_name(name), ""), length=40)

    def listed(self, name: str) -> str:
        """Return an unknown name for a list of such names, with the known name that looks like it, if there is one.

        >>> KnownNames(["116"]).listed("0116")
        '0116 (there is 116)'
        """
        other = self.alike(name)
        return f"{name[:40]} (there is {other})" if other else name[:40]

    def lacks(self, noun: str, name: str, advice: str) -> str:
        """Return the sentence that there is no ``noun`` of this name.

        It ends with the known name that looks like it or, if there is none, with ``advice``.
        """
        shown = f"There is no {noun} “{excerpt_of(name, length=40)}”"
        if other := self.alike(name):
            return f"{shown}, but there is {other}: write both alike."
        return f"{shown}. {advice}"


_ENDING = re.compile(r"\.(?:xml|txt|html?|json|sgml?|pdf|gz)\Z")
_NUMBER = re.compile(r"0*([0-9]+)(?:\.0+)?")

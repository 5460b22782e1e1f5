"""How a user name looks, so that `ORGANISER`, `0rganiser` and `organiser` are told to be alike.

New names hold ASCII letters, digits and `@ . + - _` alone, so what is left to confuse is case and a few shapes. Other
scripts were left out of new names rather than compared: whole names of Cyrillic letters look like Latin ones, and no
table of such pairs is complete. Names of before may hold anything; what Unicode knows of them is folded as well.
"""

from __future__ import annotations

import unicodedata

LENGTH = 300
_SHAPES = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l"})
_UNSEEN = frozenset({"Cf", "Cc", "Mn", "Me"})  # zero-width characters, controls, accents


def looks(name: str) -> str:
    r"""What the name looks like: the same for two names that are easily taken for each other.

    >>> {looks(name) for name in ("organiser", "ORGANISER", "0rganlser", "ｏｒｇａｎｉｓｅｒ", "orga\u200bniser")}
    {'organlser'}
    >>> looks("barn") == looks("bam"), looks("anna.b") == looks("anna-b")
    (True, False)
    """
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    seen = "".join(letter for letter in folded if unicodedata.category(letter) not in _UNSEEN)
    return seen.translate(_SHAPES).replace("rn", "m").replace("vv", "w")[:LENGTH]

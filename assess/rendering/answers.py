"""Where an answer stands in a text, in time that grows with the text alone.

Case, the shape of quotation marks and the kind and length of white space make no difference. A regular expression
would try a long answer anew at each place of a repetitive text; a plain search of the folded text does not.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from assess.rendering.unspaced import is_unspaced

_SPACE = re.compile(r"\s+")
_FOLDED = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})
_EFFORT = 20
"""How many times the text's length is spent on places where only the words around the answer do not fit."""


def find_answers(text: str, answer: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each place in order, none over another; an answer of whole words stands in whole words.

    In a text made of places that almost fit, those after a bounded effort are left out.
    """
    wanted = " ".join(answer.split())
    if not wanted:
        return
    folded, starts, shifts = _folded(text)
    before = _is_word(wanted[0]) and not is_unspaced(wanted.split(" ", 1)[0])
    after = _is_word(wanted[-1]) and not is_unspaced(wanted[-1])
    needle, effort, place = _same_length(wanted), _EFFORT * len(folded), 0
    while effort > 0 and (place := folded.find(needle, place)) >= 0:
        end = place + len(needle)
        if (before and place and _is_word(folded[place - 1])) or (
            after and end < len(folded) and _is_word(folded[end])
        ):
            effort -= len(needle)
            place += 1
            continue
        yield _source(place, starts, shifts), _source(end - 1, starts, shifts) + 1
        place = end


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _folded(text: str) -> tuple[str, list[int], list[int]]:
    """The text with each stretch of white space as one blank and letters folded; from which of its places on how many
    more characters stand before a place of the text itself.
    """
    pieces: list[str] = []
    starts, shifts = [0], [0]
    at = length = 0
    for space in _SPACE.finditer(text):
        if space[0] == " ":
            continue
        pieces += (text[at : space.start()], " ")
        length += space.start() - at + 1
        at = space.end()
        starts.append(length)
        shifts.append(at - length)
    pieces.append(text[at:])
    return _same_length("".join(pieces)), starts, shifts


def _source(place: int, starts: list[int], shifts: list[int]) -> int:
    return place + shifts[bisect_right(starts, place) - 1]


def _same_length(text: str) -> str:
    """The text without differences of case and of quotation marks, character by character."""
    if text.isascii():
        return text.lower()
    folded = text.casefold()
    if len(folded) != len(text):
        folded = "".join(each if len(each := one.casefold()) == 1 else one for one in text)
    return folded.translate(_FOLDED)

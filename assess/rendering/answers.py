"""Find an answer in a text, in time that grows only with the length of the text.

Differences in case, in the shape of quotation marks, and in the kind and length of white space are ignored. In a
repetitive text, a regular expression would try a long answer again at every place. A plain search of the folded text
does not.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from assess.rendering.unspaced import is_unspaced

_SPACE = re.compile(r"\s+")
_FOLDED = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})
_EFFORT = 20
"""The effort spent on places that match except at their word boundaries, in multiples of the text's length."""


def find_answers(text: str, answer: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each place in the text where the answer stands, in order and without overlaps. An answer
    that begins or ends with a word must not begin or end within one, except in scripts without spaces.

    The effort is bounded, so in a text full of near matches, later places may be missed.
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
    """Return the text with white space collapsed and letters folded, and how its places map to the original.

    The map is two lists: places in the folded text, and how many more characters come before each of them in the
    original.
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
    """Return the text in small letters and with straight quotation marks, with its length unchanged."""
    if text.isascii():
        return text.lower()
    folded = text.casefold()
    if len(folded) != len(text):
        folded = "".join(each if len(each := one.casefold()) == 1 else one for one in text)
    return folded.translate(_FOLDED)

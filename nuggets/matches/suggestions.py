"""Which nuggets a string may contain, by the words they share. A hint to the assessor; nothing is marked by it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assess.documents.queries.terms import COMMON, WORD

SHARE = 0.6  # of the nugget's words
MOST = 3
SUFFIXES = ("ing", "ed", "es", "s", "ly")


def suggest_nuggets(texts: Mapping[int, str], strings: Iterable[tuple[int, str]]) -> dict[int, tuple[int, ...]]:
    """The numbers of up to three nuggets for each string that has most of a nugget's words, best first.

    ``texts`` maps numbers to what nuggets say; ``strings`` are (key, text). Takes a set intersection for each
    nugget and string.

    >>> suggest_nuggets({1: "cheap wine", 2: "friendly staff"}, [(7, "The staff are always friendly.")])
    {7: (2,)}
    """
    wanted = {number: _words(text) for number, text in texts.items()}
    found: dict[int, tuple[int, ...]] = {}
    for key, text in strings:
        if key not in found:
            words = _words(text)
            ranked = sorted(_ranked(wanted, words))
            if ranked:
                found[key] = tuple(number for _, number in ranked[:MOST])
    return found


def _ranked(wanted: Mapping[int, frozenset[str]], words: frozenset[str]) -> Sequence[tuple[float, int]]:
    shares = ((len(own & words) / len(own), number) for number, own in wanted.items() if own)
    return [(-share, number) for share, number in shares if share >= SHARE]


def _words(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in WORD.findall(text.lower()) if len(word) > 2 and word not in COMMON)


def _stem(word: str) -> str:
    """The word without the commonest endings of English."""
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return word.removesuffix(suffix)
    return word

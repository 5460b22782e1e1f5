"""The similarity of two short texts: by the stems that they share, of which rare ones count more.

A text is the set of its words as search sees them (`assess.documents.words`): stems in the text's language, or pairs of
characters if it is written without spaces, without stop words of English and of its language. A word that occurs in
`c` of `n` texts weighs ``ln((1 + n) / (1 + c)) + 1``; its frequency within one text makes no difference.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

from assess.documents.words import UNKNOWN, words_of

_STOPPED = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves what which who whom this that these those am is are
was were be been being have has had having do does did doing a an the and but if or because as until while of
at by for with about against between into through during before after above below to from up down in out on
off over under again further then once here there when where why how all any both each few more most other
some such no nor not only own same so than too very s t can will just don should now
"""
SAYS_NOTHING = frozenset(_STOPPED.split())
"""The English stop words that PostgreSQL leaves out of its index of English."""

_JAPANESE_ENDINGS = (
    "した して てい いる いた され れた れる られ なっ なる った って ます まし ない など こと もの ため よう とい いう"
)
"""Pairs that stand in most Japanese sentences, and in no list of words."""

Vector = Mapping[str, float]
"""The weights of a text's words, which form a vector of length 1; empty if the text has no words."""


def content_words(text: str, language: str = UNKNOWN) -> frozenset[str]:
    """Return the words by which a text is compared.

    >>> sorted(content_words("The staff are always friendly."))
    ['alway', 'friend', 'staff']
    """
    return frozenset(words_of(text, language, folded=True)) - _says_nothing(language)


_ARTICLES = frozenset(["a", "an", "the", "is", "are", "was", "were", "be", "been"])
_SIGNS = re.compile(r"[^\w\s.,;:!?\"'“”‘’()\[\]-]")
LONG = 300
"""Longer texts (in characters) are not grouped with others as nearly the same answer."""


def like_name(text: str, among: int) -> str:
    """Return a short name that texts share if they say nearly the same; "" for a long text or one without words.

    Such texts have the same stems, in any order, and the same signs, such as those of C++; articles and forms of *be*
    make no difference, but *not* does. ``among`` is the number of the assignment in which texts are compared: in
    another assignment the names differ, as do all numbers by which a bench identifies items.

    >>> like_name("The blue bicycles.", 1) == like_name("a bicycle, blue", 1), like_name("C", 1) == like_name("C++", 1)
    (True, False)
    >>> like_name("blue", 1) == like_name("blue", 2)
    False
    """
    stems = frozenset(words_of(text, UNKNOWN, folded=True)) if len(text) <= LONG else frozenset()
    kept = sorted(stems - _articles())
    if not kept:
        return ""
    told = "\0".join([str(among), *kept, *sorted(_SIGNS.findall(text))])
    drawn = hashlib.sha256(told.encode(errors="surrogatepass")).digest()
    return str(int.from_bytes(drawn[:6]))


class Rarity:
    """The weight of each word among these texts; a word that is in none of them weighs most."""

    def __init__(self, texts: Iterable[frozenset[str]]) -> None:
        every = list(texts)
        self._count = len(every)
        self._with = Counter(word for words in every for word in words)

    def weight(self, word: str) -> float:
        """Return the weight of a word."""
        return math.log((1 + self._count) / (1 + self._with[word])) + 1

    def vector(self, words: frozenset[str]) -> Vector:
        """Return the weights of these words as a vector of length 1.

        Words are in alphabetical order, so that sums are the same in every process.
        """
        weights = {word: self.weight(word) for word in sorted(words)}
        size = length(weights)
        return {word: weight / size for word, weight in weights.items()}

    def share(self, of: frozenset[str], among: frozenset[str]) -> float:
        """Return the share, from 0 to 1, of the weight of the words ``of`` that is also in ``among``."""
        whole = sum(self.weight(word) for word in sorted(of))
        return sum(self.weight(word) for word in sorted(of & among)) / whole if whole else 0.0


def product(one: Vector, other: Vector) -> float:
    """Return the cosine of two vectors of length 1: 0 without a common word, 1 if all words are the same.

    >>> rarity = Rarity(map(content_words, ("cheap wine", "friendly staff")))
    >>> wine, staff = (rarity.vector(content_words(text)) for text in ("The wine was cheap.", "Friendly staff!"))
    >>> round(product(wine, rarity.vector(content_words("cheap wine"))), 6), product(wine, staff)
    (1.0, 0)
    """
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    return sum(weight * many[word] for word, weight in few.items() if word in many)


def length(vector: Vector) -> float:
    """Return the length of a vector. A sum of vectors is divided by its length to get length 1."""
    return math.sqrt(sum(weight * weight for weight in vector.values()))


@cache
def _articles() -> frozenset[str]:
    return frozenset(stem for word in _ARTICLES for stem in words_of(word, UNKNOWN, folded=True))


@cache
def _says_nothing(language: str) -> frozenset[str]:
    from stop_words import AVAILABLE_LANGUAGES, LANGUAGE_MAPPING, get_stop_words

    is_known = language not in {"en", UNKNOWN} and LANGUAGE_MAPPING.get(language) in AVAILABLE_LANGUAGES
    own = [*(get_stop_words(language) if is_known else ()), *(_JAPANESE_ENDINGS.split() if language == "ja" else ())]
    stems = (stem for word in own for stem in words_of(word, language, folded=True))
    return frozenset(stem for word in SAYS_NOTHING for stem in words_of(word, UNKNOWN, folded=True)).union(stems)

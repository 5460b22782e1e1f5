"""Order the nuggets of a list for a string, so that those that are likely to be in it come first.

A nugget is more likely if its words resemble the string's, and if the string resembles others in which the nugget was
marked. Its score is a sum (`assess.documents.likeness`): cosine(string, nugget); a fifth of the share of the nugget's
words that the string has; the best cosine with a string marked with it; half of the second best; and the cosine with
all of those strings and the nugget together. In the strings of TREC Temporal Summarization 2013, matched by people, .80
of the nuggets in a string are among the first three (`python -m bench.bench_likeness`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from assess.documents.likeness import Rarity, Vector, content_words, length, product
from assess.documents.words import UNKNOWN

OWN_SHARE = 0.2
SECOND = 0.5


class LikelyNuggets:
    """Orders the nuggets of a list by how likely a string contains them, learning from the strings marked so far.

    ``nuggets`` maps numbers to texts, in the list's order. How rare a word is is counted over the nuggets and over
    ``strings``, the texts that are judged with this list. ``language`` is that of all these texts, "und" if unknown.

    >>> likely = LikelyNuggets({1: "cheap wine", 2: "friendly staff"}, ["A friendly place."])
    >>> likely.order("The staff are friendly.")
    [2, 1]
    >>> likely.learn("Two bucks a bottle!", [1])
    >>> likely.order("They sell a bottle for two bucks")
    [1, 2]
    """

    def __init__(self, nuggets: Mapping[int, str], strings: Iterable[str], language: str = UNKNOWN) -> None:
        self._language = language
        self._words = {number: content_words(text, language) for number, text in nuggets.items()}
        self._rarity = Rarity([*self._words.values(), *(content_words(text, language) for text in strings)])
        self._nuggets = {number: self._rarity.vector(words) for number, words in self._words.items()}
        self._together = {number: defaultdict(float, own) for number, own in self._nuggets.items()}
        self._marked: list[tuple[int, ...]] = []  # the nuggets of each string
        self._having: dict[str, list[tuple[int, float]]] = {}  # word -> the strings that have it, with its weight there

    def learn(self, text: str, numbers: Iterable[int]) -> None:
        """Remember that these nuggets were marked in a string with this text."""
        known = tuple(number for number in numbers if number in self._nuggets)
        if not known:
            return
        vector = self._rarity.vector(content_words(text, self._language))
        for word, weight in vector.items():
            self._having.setdefault(word, []).append((len(self._marked), weight))
        self._marked.append(known)
        for number in known:
            for word, weight in vector.items():
                self._together[number][word] += weight

    def order(self, text: str) -> list[int]:
        """Return the numbers of all nuggets, the most likely first. Equally likely nuggets are in the list's order."""
        scores = self.scores(text)
        return sorted(self._nuggets, key=lambda number: -scores[number])

    def scores(self, text: str) -> dict[int, float]:
        """Return nugget's number -> score, which is 0 or more. Only scores for the same string can be compared."""
        words = content_words(text, self._language)
        vector = self._rarity.vector(words)
        best, second = self._marked_alike(vector)
        return {
            number: product(vector, own)
            + OWN_SHARE * self._rarity.share(self._words[number], words)
            + best.get(number, 0.0)
            + SECOND * second.get(number, 0.0)
            + product(vector, together := self._together[number]) / (length(together) or 1.0)
            for number, own in self._nuggets.items()
        }

    def _marked_alike(self, vector: Vector) -> tuple[dict[int, float], dict[int, float]]:
        """Return two mappings from nugget numbers to cosines: the highest and the second-highest cosine of the string
        with any string marked with the nugget.
        """
        alike: defaultdict[int, float] = defaultdict(float)
        for word, weight in vector.items():
            for string, other in self._having.get(word, ()):
                alike[string] += weight * other
        best: dict[int, float] = {}
        second: dict[int, float] = {}
        for string, like in alike.items():
            for number in self._marked[string]:
                if like > best.get(number, 0.0):
                    best[number], second[number] = like, best.get(number, 0.0)
                elif like > second.get(number, 0.0):
                    second[number] = like
        return best, second

"""What the bench offers of a list for each string that it shows: which nuggets first, and the words by which."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assess.campaigns.queries import settings_of
from assess.documents.likeness import content_words
from assess.documents.words import UNKNOWN, find_words
from assess.items.models import Item
from assess.topics.models import Topic
from nuggets.matches.current import ABSENT, Mark
from nuggets.matches.likely import LikelyNuggets
from nuggets.writing.models import Nugget

FIRST = 20
"""So many nuggets stand before the others, which follow in the list's order."""
SUGGESTED, MOST_SUGGESTED = 1.0, 3
"""From which score on a nugget is suggested, and how many are: four of five that reach it are there (2013, 2014)."""

KNOWN = 500
"""Of more strings that are marked, the last so many tell."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Offered:
    """Of one string: the numbers of likely nuggets, best first, and of those that are suggested; shared words.

    ``words`` are those of nuggets, spelt as they stand there, which the string has in any form.
    """

    first: tuple[int, ...]
    suggested: tuple[int, ...]
    words: tuple[str, ...]


def keeps_list_order(topic: Topic) -> bool:
    """Return whether a topic is one of those in which nuggets stand in the order of the list.

    The share is a setting; the draw depends on the names of campaign and topic alone.
    """
    share = float(getattr(settings_of(topic.campaign), "list_order_share", 0.0))
    drawn = hashlib.sha256(f"{topic.campaign.slug}\0{topic.number}".encode()).digest()
    return int.from_bytes(drawn[:8]) < share * 2**64


class ListOffer:
    """A list, and the strings for which it is offered."""

    def __init__(self, topic: Topic, nuggets: Sequence[Nugget]) -> None:
        self.is_in_list_order = keeps_list_order(topic)
        self._texts = {nugget.number: nugget.text for nugget in nuggets}

    def for_strings(self, strings: Mapping[int, str], marks: Mapping[int, Sequence[Mark]]) -> dict[int, Offered]:
        """Return what is offered for strings, texts by the ids of their items. One query, however many there are.

        ``marks`` are those of whoever judges, by item: a string like one of these has the same nuggets, likely.
        """
        spelt = self._spelt()
        words = {item: _spelt_in(text, spelt) for item, text in strings.items()}
        if self.is_in_list_order:
            return {item: Offered(first=(), suggested=(), words=words[item]) for item in strings}
        marked = {item: {mark.number for mark in said if mark.value != ABSENT} for item, said in marks.items()}
        last = list(marked)[-KNOWN:]
        known = dict(Item.objects.filter(pk__in=last).order_by("pk").values_list("pk", "text"))
        likely = LikelyNuggets(self._texts, [*known.values(), *strings.values()])
        for item, text in known.items():
            likely.learn(text, marked[item])
        return {item: _offered(likely.scores(text), words[item]) for item, text in strings.items()}

    def _spelt(self) -> dict[str, tuple[str, ...]]:
        """How each word of the list is spelt in it."""
        found: dict[str, dict[str, None]] = {}
        for text in self._texts.values():
            said = content_words(text)
            for word, start, end in find_words(text, UNKNOWN):
                if word in said:
                    found.setdefault(word, {})[text[start:end]] = None
        return {word: tuple(forms) for word, forms in found.items()}


def _spelt_in(text: str, spelt: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(sorted({form for word in content_words(text) for form in spelt.get(word, ())}))


def _offered(scores: Mapping[int, float], words: tuple[str, ...]) -> Offered:
    best = sorted((number for number in scores if scores[number]), key=lambda number: -scores[number])[:FIRST]
    suggested = tuple(number for number in best[:MOST_SUGGESTED] if scores[number] >= SUGGESTED)
    return Offered(first=tuple(best), suggested=suggested, words=words)

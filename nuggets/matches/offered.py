"""What the bench offers for each string: which nuggets of a list come first, the words on which that order rests, and
machine judges' marks as drafts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of, track_of
from assess.documents.likeness import content_words
from assess.documents.words import find_words
from assess.items.models import Item
from assess.judging.queries.machine_drafts import are_open
from assess.protocol import Stage
from assess.topics.models import Topic
from nuggets.matches.current import ABSENT, Mark, machine_marks
from nuggets.matches.likely import LikelyNuggets
from nuggets.options import Matching
from nuggets.writing.models import Nugget, NuggetList

FIRST = 20
"""How many likely nuggets come before the others, which follow in the list's order."""
SUGGESTED, MOST_SUGGESTED = 1.0, 3
"""The least score of a suggested nugget, and how many are suggested: four of five are right (2013 and 2014)."""

KNOWN = 500
"""How many marked strings, the last ones, are taken into account."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Offered:
    """What the bench offers for one string.

    ``first`` are the numbers of likely nuggets, best first, and ``suggested`` those of suggested nuggets. ``words`` are
    the words that the string shares with nuggets. They are spelled as in the list; the string may contain them in other
    forms.
    """

    first: tuple[int, ...]
    suggested: tuple[int, ...]
    words: tuple[str, ...]


def in_list_order(campaign: Campaign, topics: Iterable[str]) -> set[str]:
    """Return the topics, by number, in which nuggets are shown in the list's order instead of by likelihood.

    The setting ``list_order_share`` gives their share. The draw depends only on the campaign's slug and the topic's
    number, so it is always the same.
    """
    share = float(getattr(settings_of(campaign), "list_order_share", 0.0))

    def drawn(number: str) -> int:
        return int.from_bytes(hashlib.sha256(f"{campaign.slug}\0{number}".encode()).digest()[:8])

    return {number for number in topics if drawn(number) < share * 2**64}


class ListOffer:
    """Decides which nuggets of a list the bench offers for each string."""

    def __init__(self, topic: Topic, nuggets: Sequence[Nugget]) -> None:
        self.is_in_list_order = topic.number in in_list_order(topic.campaign, [topic.number])
        self._language = track_of(topic.campaign).language
        self._texts = {nugget.number: nugget.text for nugget in nuggets}

    def for_strings(self, strings: Mapping[int, str], marks: Mapping[int, Sequence[Mark]]) -> dict[int, Offered]:
        """Return item id -> what is offered, for these strings. ``strings`` maps item ids to texts. One query for any
        number of strings.

        ``marks`` are the assessor's own marks by item id. They are needed because a string that resembles a marked
        string is likely to contain the same nuggets.
        """
        spelt = self._spelt()
        words = {item: self._spelt_in(text, spelt) for item, text in strings.items()}
        if self.is_in_list_order:
            return {item: Offered(first=(), suggested=(), words=words[item]) for item in strings}
        marked = {item: {mark.number for mark in said if mark.value != ABSENT} for item, said in marks.items()}
        last = list(marked)[-KNOWN:]
        known = dict(Item.objects.filter(pk__in=last).order_by("pk").values_list("pk", "text"))
        likely = LikelyNuggets(self._texts, [*known.values(), *strings.values()], self._language)
        for item, text in known.items():
            likely.learn(text, marked[item])
        return {item: _offered(likely.scores(text), words[item]) for item, text in strings.items()}

    def _spelt(self) -> dict[str, tuple[str, ...]]:
        """Return word -> its spellings in the list."""
        found: dict[str, dict[str, None]] = {}
        for text in self._texts.values():
            said = content_words(text, self._language)
            for word, start, end in find_words(text, self._language, folded=True):
                if word in said:
                    found.setdefault(word, {})[text[start:end]] = None
        return {word: tuple(forms) for word, forms in found.items()}

    def _spelt_in(self, text: str, spelt: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(sorted({form for word in content_words(text, self._language) for form in spelt.get(word, ())}))


def _offered(scores: Mapping[int, float], words: tuple[str, ...]) -> Offered:
    best = sorted((number for number in scores if scores[number]), key=lambda number: -scores[number])[:FIRST]
    suggested = tuple(number for number in best[:MOST_SUGGESTED] if scores[number] >= SUGGESTED)
    return Offered(first=tuple(best), suggested=suggested, words=words)


Drafts = dict[int, dict[int, str]]
"""The drafted values by item id and then by nugget number."""


def drafts_of_marks(
    assignment: Assignment, stage: Stage, nugget_list: NuggetList | None, *, item: int | None = None
) -> Drafts:
    """Return item id -> nugget number -> value for the machines' marks that this assignment may see as drafts.

    They are marks of the list's nuggets, in all items or only in ``item``. Drafts that say "absent" are offered only in
    stages in which people may mark nuggets as absent. Three queries, or none if there is no list or this assignment may
    not see drafts.
    """
    if nugget_list is None or not are_open(assignment):
        return {}
    found: Drafts = {}
    in_part = stage.options(Matching).partial
    said = machine_marks(nugget_list, stage.key, item=item, with_absent=in_part)
    for (pk, number), value in sorted(said.items()):
        found.setdefault(pk, {})[number] = value
    return found

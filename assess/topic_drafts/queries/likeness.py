"""Topics that a draft is much like, so that nobody makes the same one twice."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from assess.campaigns.models import Campaign
from assess.topic_drafts.queries.drafts import ShownDraft

NEAR, SHOWN = 0.5, 5
_WORD = re.compile(r"[^\W_]+")
_COMMON_WORDS = (
    "a about all an and any are as at be been by can did do does for from had has have he her his how i in is it its "
    "of on or she so than that the their them they this to was were what when where which who whom whose why will "
    "with would you your"
)
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, kw_only=True, slots=True)
class Near:
    """A text that a draft is like: of a topic, or of another draft. ``likeness`` is from 0 to 1."""

    kind: str
    number: str
    text: str
    likeness: float

    @property
    def percent(self) -> int:
        """The likeness in percent."""
        return round(self.likeness * 100)


def words_of(text: str) -> frozenset[str]:
    """The words by which texts are compared: folded, without the commonest, without a plural's s.

    >>> sorted(words_of("Which colours do the people like?"))
    ['colour', 'like', 'people']
    """
    words = (word.casefold() for word in _WORD.findall(text))
    return frozenset(
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
        for word in words
        if word not in _COMMON
    )


def likeness(one: str, other: str) -> float:
    """Dice's coefficient of the words of two texts: twice those that both have, by all words of the one and the other.

    >>> likeness("Which colours do people like?", "What colour do people like?")
    1.0
    >>> likeness("kites", "bicycles"), likeness("", "")
    (0.0, 0.0)
    """
    left, right = words_of(one), words_of(other)
    return 2 * len(left & right) / (len(left) + len(right)) if left or right else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicText:
    """A topic as drafts are held against it."""

    topic: int
    parent: int | None
    number: str
    text: str


def topic_texts(campaign: Campaign) -> list[TopicText]:
    """All topics of the campaign. One query."""
    rows = campaign.topics.order_by("id").values_list("pk", "parent_id", "number", "text")
    return [TopicText(topic=pk, parent=parent, number=number, text=text) for pk, parent, number, text in rows]


def near_to(draft: ShownDraft, topics: Iterable[TopicText], others: Iterable[ShownDraft] = ()) -> list[Near]:
    """The topics, and of these other drafts those, that the draft is much like; the nearest first.

    What the draft itself became is left out, and so are drafts that became topics. No query.
    """
    own = draft.draft.topic_id
    found = [
        Near(kind="topic", number=each.number, text=each.text, likeness=value)
        for each in topics
        if (own is None or own not in (each.topic, each.parent)) and (value := _nearest(draft.texts, each.text)) >= NEAR
    ]
    for other in others:
        if other.draft.pk == draft.draft.pk or other.draft.topic_id is not None:
            continue
        for text in other.texts:
            if (value := _nearest(draft.texts, text)) >= NEAR:
                found.append(Near(kind="draft", number=str(other.draft.number), text=text, likeness=value))
    return sorted(found, key=lambda near: (-near.likeness, near.kind, near.number))[:SHOWN]


def _nearest(texts: Iterable[str], other: str) -> float:
    return max((likeness(text, other) for text in texts), default=0.0)

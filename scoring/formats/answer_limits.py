"""Limits on the length of an answer, set by the evaluation or by its topic, and the sentences that fit within them.

RAGTIME's requests have a ``limit`` of characters, and auto-judge's have a ``word_limit`` as well. Characters are
counted as in hltcoe/rag-run-validator: those of the sentences with a blank between them, after NFKC. Words are
separated by white space after NFKC. As in the validator, a topic's own limit replaces the one given for all topics.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scoring.formats.rag_answers import RagSentence, count_words

CHARACTERS, WORDS = "limit", "word_limit"
"""The members in which a topic states its own limit."""
_WRITTEN = re.compile(r"([0-9]{1,9})(?:\.0{1,9})?\s{0,9}(characters|words)?", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerLimit:
    """The most words and characters that an answer may have; 0 means any number."""

    words: int = 0
    characters: int = 0

    def kept(self, sentences: Sequence[RagSentence]) -> int:
        """Return how many sentences, from the first on, are judged: as many as the limit allows.

        The first sentence is judged however long it is.

        >>> sentences = [RagSentence(text=text) for text in ("Two words.", "Three more words.", "End.")]
        >>> [limit.kept(sentences) for limit in (AnswerLimit(words=5), AnswerLimit(characters=27), AnswerLimit())]
        [2, 1, 3]
        """
        kept = len(sentences)
        for most, size, between in ((self.words, count_words, 0), (self.characters, count_characters, 1)):
            if most:
                sizes = [size(each.text) + between for each in sentences[:kept]]
                total = sum(sizes) - between
                while total > most and kept > 1:
                    kept -= 1
                    total -= sizes[kept]
        return kept


def count_characters(text: str) -> int:
    """Return the number of characters of a text after NFKC.

    >>> count_characters("\ufb01ne")
    4
    """
    return len(unicodedata.normalize("NFKC", text))


def own_limit(further: Sequence[tuple[str, Any]]) -> AnswerLimit | None:
    """Return the limit that a topic states in its further fields, or None if it states none that can be read.

    >>> own_limit([("limit", 2000)])
    AnswerLimit(words=0, characters=2000)
    >>> own_limit([("limit", "300 words")]), own_limit([("limit", 0)]), own_limit([("limit", True)])
    (AnswerLimit(words=300, characters=0), None, None)
    """
    found = {"words": 0, "characters": 0}
    for name, unit in ((CHARACTERS, "characters"), (WORDS, "words")):
        for each, value in further:
            if each == name and (written := _WRITTEN.fullmatch(str(value).strip())):
                found[(written[2] or unit).casefold()] = int(written[1])
    return AnswerLimit(**found) if any(found.values()) else None

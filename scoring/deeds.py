"""What people do when they judge, as records: the lines of judgments.jsonl.

``by`` is a pseudonym, ``topic`` a question's number; ``role`` is "" for the author, else "second" or "adjudicator".
"""

from __future__ import annotations

from dataclasses import dataclass

from scoring.records import Importance


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """An assessor gave an item a value on a criterion."""

    by: str
    topic: str
    docno: str
    answer: str
    criterion: str
    value: int
    note: str = ""
    role: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerFound:
    """An assessor found an answer while developing the question: with its support and its answer class.

    ``number`` is that of the class; 0 where the recording does not say.
    """

    by: str
    topic: str
    docno: str
    answer: str
    label: str
    number: int = 0
    role: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Classed:
    """An assessor put a correct instance into the answer class with this label and number (0: not said)."""

    by: str
    topic: str
    docno: str
    answer: str
    label: str
    number: int = 0
    role: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where a nugget was seen."""

    docno: str
    quote: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class NuggetWritten:
    """A nugget of the topic's list, as it was when the list was frozen."""

    by: str
    topic: str
    number: int
    importance: Importance
    text: str
    sources: tuple[Source, ...] = ()
    role: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ListFrozen:
    """The topic's nugget list was frozen."""

    by: str
    topic: str
    role: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Matched:
    """A nugget, or part k of it, was found in an item: whole, or where ``is_partial`` some of it."""

    by: str
    topic: str
    docno: str
    answer: str
    number: int
    part: int = 0
    quote: str = ""
    is_partial: bool = False
    role: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reviewed:
    """All nuggets were marked in an item, be they many or none."""

    by: str
    topic: str
    docno: str
    answer: str
    role: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Voted:
    """A further assessor's vote on a nugget of the frozen list."""

    by: str
    topic: str
    number: int
    importance: Importance
    role: str = ""


Deed = Judged | AnswerFound | Classed | NuggetWritten | ListFrozen | Matched | Reviewed | Voted
ORDER: tuple[type, ...] = (Judged, AnswerFound, Classed, NuggetWritten, ListFrozen, Matched, Reviewed, Voted)
"""The order of a topic's deeds in a written file: one in which they can be replayed."""
ROLES = ("", "second", "adjudicator")

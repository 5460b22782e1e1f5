"""What people do when they judge, as records: the lines of judgments.jsonl.

``by`` is a pseudonym, ``topic`` a question's number; ``role`` is "" for the author, else "second",
"adjudicator" or "machine".
An item is named by ``docno`` and ``answer`` string; ``key`` is its own key where that does not follow from these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from scoring.quick_records import quick_record
from scoring.records import Importance


@quick_record(frozen=True, kw_only=True, slots=True)
class Evidence:
    """A snippet of the judged item's document: verbatim, from code point ``start`` where known (-1: not known).

    ``value`` is the snippet's own grade where it has one, ``label`` one of those that the question names.
    """

    quote: str
    start: int = -1
    value: int | None = None
    label: str = ""

    def __repr__(self) -> str:
        """Return what 0.2.0 wrote, which knew no labels: keys of imported lines are made of it."""
        label = f", label={self.label!r}" if self.label else ""
        return f"Evidence(quote={self.quote!r}, start={self.start!r}, value={self.value!r}{label})"


@quick_record(frozen=True, kw_only=True, slots=True)
class Judged:
    """An assessor gave an item a value on a criterion. ``evidence`` are the snippets that they selected.

    ``draft`` says whether a machine's judgment was on the screen: "open" before it was given, "after" when it was
    changed after an own one, else "". ``value`` is None where something else than a grade is ``given``:
    ``{"unsure": true}`` by somebody who can't tell. ``order`` are the values of the grades as they stood on the screen,
    where a question has them stand in another order each time. ``version`` is that of the campaign's own design under
    which it was made; 0 is the newest one. ``how`` is "like" where it was given by one key together with those of
    answers that say nearly the same, else "".
    """

    by: str
    topic: str
    docno: str
    answer: str
    criterion: str
    value: int | None
    note: str = ""
    role: str = ""
    key: str = ""
    evidence: tuple[Evidence, ...] = ()
    draft: str = ""
    given: Mapping[str, Any] = field(default_factory=dict, hash=False, repr=False)  # as 0.2.0 wrote it, for keys
    order: tuple[int, ...] = field(default=(), repr=False)  # which is no part of a line's key
    version: int = field(default=0, repr=False)  # nor is this
    how: str = field(default="", repr=False)  # nor this


@quick_record(frozen=True, kw_only=True, slots=True)
class NonePicked:
    """An assessor who picks items by a criterion said expressly that none of them fits."""

    by: str
    topic: str
    criterion: str
    role: str = ""


@quick_record(frozen=True, kw_only=True, slots=True)
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
    key: str = ""


@quick_record(frozen=True, kw_only=True, slots=True)
class Classed:
    """An assessor put a correct instance into the answer class with this label and number (0: not said)."""

    by: str
    topic: str
    docno: str
    answer: str
    label: str
    number: int = 0
    role: str = ""
    key: str = ""


@quick_record(frozen=True, kw_only=True, slots=True)
class Source:
    """Where a nugget was seen."""

    docno: str
    quote: str = ""


@quick_record(frozen=True, kw_only=True, slots=True)
class NuggetWritten:
    """A nugget of the topic's list, as it was when the list was frozen."""

    by: str
    topic: str
    number: int
    importance: Importance
    text: str
    sources: tuple[Source, ...] = ()
    role: str = ""
    group: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)


@quick_record(frozen=True, kw_only=True, slots=True)
class RefusedDraft:
    """A nugget that a machine (``by``) wrote under this number, and that an author did not take when it was offered."""

    by: str
    number: int
    text: str


@quick_record(frozen=True, kw_only=True, slots=True)
class ListFrozen:
    """The topic's nugget list was frozen. ``refused`` are the drafts of machines that its author refused before."""

    by: str
    topic: str
    role: str = ""
    refused: tuple[RefusedDraft, ...] = field(default=(), repr=False)  # which is no part of a line's key


@quick_record(frozen=True, kw_only=True, slots=True)
class Matched:
    """A nugget, or part k of it, is in an item: whole, in part (``is_partial``) or expressly not (``is_absent``).

    ``draft`` is what a machine said of it, "full", "partial" or "none", where that was offered before it was marked.
    """

    by: str
    topic: str
    docno: str
    answer: str
    number: int
    part: int = 0
    quote: str = ""
    is_partial: bool = False
    role: str = ""
    key: str = ""
    is_absent: bool = False
    draft: str = field(default="", repr=False)  # which is no part of a line's key


@quick_record(frozen=True, kw_only=True, slots=True)
class Reviewed:
    """All nuggets were marked in an item, be they many or none."""

    by: str
    topic: str
    docno: str
    answer: str
    role: str = ""
    key: str = ""


@quick_record(frozen=True, kw_only=True, slots=True)
class Voted:
    """A further assessor's vote on a nugget of the frozen list."""

    by: str
    topic: str
    number: int
    importance: Importance
    role: str = ""


RecordedAct = Judged | NonePicked | AnswerFound | Classed | NuggetWritten | ListFrozen | Matched | Reviewed | Voted
ORDER: tuple[type, ...] = (
    Judged,
    NonePicked,
    AnswerFound,
    Classed,
    NuggetWritten,
    ListFrozen,
    Matched,
    Reviewed,
    Voted,
)
"""The order of a topic's acts in a written file: one in which they can be replayed."""
DRAFTS = ("", "open", "after")
LIKE = "like"
"""How a grade was given that one key gave together with others, of answers that say nearly the same."""
OFFERED = ("", "full", "partial", "none")
ROLES = ("", "second", "adjudicator", "machine")

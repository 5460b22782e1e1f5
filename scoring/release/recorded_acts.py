"""Defines what people do when they judge, as records: the lines of judgments.jsonl.

``by`` is a pseudonym and ``topic`` a question's number. ``role`` is "" for the primary assessor, otherwise "second",
"adjudicator" or "machine". An item is identified by ``docno`` and ``answer`` string; ``key`` is its own key if that
does not follow from these.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import field
from typing import Any

from scoring.folding import key_of_answer
from scoring.quick_records import quick_record
from scoring.records import Importance


@quick_record(frozen=True, kw_only=True, slots=True)
class Evidence:
    """A verbatim snippet of the judged item's document. It begins at code point ``start`` of the document (-1: not
    known).

    ``value`` is the snippet's own grade, if it has one, and ``label`` one of the labels that the question offers.
    """

    quote: str
    start: int = -1
    value: int | None = None
    label: str = ""

    def __repr__(self) -> str:
        """Return the text that version 0.2.0 returned, in which evidence had no labels. It must not change, since the
        keys of imported lines are made from it.
        """
        label = f", label={self.label!r}" if self.label else ""
        return f"Evidence(quote={self.quote!r}, start={self.start!r}, value={self.value!r}{label})"


@quick_record(frozen=True, kw_only=True, slots=True)
class Judged:
    """An assessor gave an item a value on a criterion. ``evidence`` are the snippets that the assessor selected.

    ``draft`` says whether a machine's judgment was displayed: "open" before the assessor judged, "after" when the
    assessor changed a judgment of their own, otherwise "". ``value`` is None if the assessor gave something other than
    a grade, which is then in ``given``: ``{"unsure": true}`` means that they can't tell. ``order`` lists the grades in
    the order in which they were displayed, if a question shows them in a new order each time. ``version`` is the
    version of the campaign's own design under which the judgment was made; 0 is the newest one. ``how`` is "like" if
    one key gave the judgment to several answers that say nearly the same, otherwise "".
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
    order: tuple[int, ...] = field(default=(), repr=False)  # not part of a line's key
    version: int = field(default=0, repr=False)  # not part of a line's key either
    how: str = field(default="", repr=False)  # nor is this


@quick_record(frozen=True, kw_only=True, slots=True)
class NonePicked:
    """An assessor whose task is to pick items by a criterion recorded that no item fits it."""

    by: str
    topic: str
    criterion: str
    role: str = ""


@quick_record(frozen=True, kw_only=True, slots=True)
class AnswerFound:
    """An assessor found an answer while developing the question, with its supporting document and its answer class.

    ``number`` is the class's number; 0 if it was not recorded.
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
    """An assessor put a correct instance into the answer class with this label and number (0: not recorded)."""

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
    """A document in which a nugget was seen, with the quote."""

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
    """A nugget that a machine (``by``) drafted under this number, and that the list's author refused."""

    by: str
    number: int
    text: str


@quick_record(frozen=True, kw_only=True, slots=True)
class ListFrozen:
    """The topic's nugget list was frozen. ``refused`` are the drafts of machines that its author had refused."""

    by: str
    topic: str
    role: str = ""
    refused: tuple[RefusedDraft, ...] = field(default=(), repr=False)  # not part of a line's key


@quick_record(frozen=True, kw_only=True, slots=True)
class Matched:
    """An assessor marked whether a nugget, or part k of it, is in an item: in full, partially (``is_partial``) or
    explicitly not (``is_absent``).

    ``draft`` is the machine's label, "full", "partial" or "none", if one was offered before the match was marked.
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
    draft: str = field(default="", repr=False)  # not part of a line's key


@quick_record(frozen=True, kw_only=True, slots=True)
class Reviewed:
    """An assessor finished an item: they marked every nugget that it contains, of which there may be none."""

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


SaidMark = tuple[str, str, int, int, int, str, str, str]
"""by, role, item, number, part, "full", "partial" or "none", quote, and what a machine's draft said of it before."""


@quick_record(frozen=True, kw_only=True, slots=True)
class TopicMarks:
    """All marks of nuggets and all finished items of one topic: the content of `Matched` and `Reviewed` acts as plain
    values.

    A topic may have hundreds of thousands of them, and many name the same item. So each item has a number here, and
    ``items`` maps it to answer string, docno and key as in `Matched`. ``finished`` holds (by, role, number of the
    item).
    """

    topic: str
    items: dict[int, tuple[str, str, str]]
    marks: list[SaidMark]
    finished: list[tuple[str, str, int]]

    def acts(self) -> Iterator[Matched | Reviewed]:
        """Yield these marks and finished items as acts, one by one."""
        for by, role, item, number, part, value, quote, draft in self.marks:
            answer, docno, key = self.items[item]
            yield Matched(
                by=by,
                topic=self.topic,
                docno=docno,
                answer=answer,
                number=number,
                part=part,
                quote=quote,
                is_partial=value == "partial",
                role=role,
                key=key,
                is_absent=value == "none",
                draft=draft,
            )
        for by, role, item in self.finished:
            answer, docno, key = self.items[item]
            yield Reviewed(by=by, topic=self.topic, docno=docno, answer=answer, role=role, key=key)


ItemAct = Judged | AnswerFound | Classed | Matched | Reviewed
ITEM_ACTS = (Judged, AnswerFound, Classed, Matched, Reviewed)


def key_of(act: ItemAct) -> str:
    """Return the key of the item that a recorded act names: its own, or else one from answer string and docno."""
    return act.key or key_of_answer(act.answer, act.docno)


def key_among(keys: Container[str], act: ItemAct) -> str:
    """Return the key of the act's item, or the docno if the act is about a document.

    An act is about a document if it names only a docno, and its `key_of` is not among ``keys``, those of the topic.
    """
    key = key_of(act)
    return act.docno if key not in keys and not act.answer and not act.key else key


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
"""The order of a topic's acts in a written file, in which they can be replayed."""
DRAFTS = ("", "open", "after")
LIKE = "like"
"""The value of ``how`` for a grade that one key gave to several answers that say nearly the same."""
OFFERED = ("", "full", "partial", "none")
ROLES = ("", "second", "adjudicator", "machine")

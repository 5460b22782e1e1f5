"""Defines the plain records that files are read into and scores are computed from.

All are frozen; topic numbers, docnos and run tags are text. Nothing here depends on a file format or a track.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from scoring.quick_records import quick_record

Severity = Literal["error", "warning", "note"]  # a note is not a fault
Importance = Literal["vital", "okay"]


@quick_record(frozen=True, kw_only=True, slots=True)
class Issue:
    """A problem in a file: its place, the rule (a stable code), what is wrong and what to do about it.

    ``where`` is a line number from 1, a JSON path ("$.results[3].answer"), or "" for the file as a whole. ``count`` is
    the number of issues that it reports together (`scoring.reading.grouped_issues`).
    """

    where: int | str
    code: str
    message: str
    severity: Severity = "error"
    excerpt: str = ""
    count: int = 1

    def as_row(self) -> tuple[str, str, str, str]:
        """Return the four columns that command lines print: place, severity, code, message."""
        return (str(self.where), self.severity, self.code, self.message)


def has_errors(issues: Iterable[Issue]) -> bool:
    """Return whether any issue is an error; a file with only warnings passes."""
    return any(issue.severity == "error" for issue in issues)


@quick_record(frozen=True, kw_only=True, slots=True)
class Score:
    """One value of one measure. ``topic`` is "all" for a mean over topics.

    ``value`` is None if the measure is undefined (for example, no vital nugget on the list). ``topics`` is the number
    of topics averaged, and None for a single topic.
    """

    run: str
    topic: str
    measure: str
    value: float | None
    topics: int | None = None


@quick_record(frozen=True, kw_only=True, slots=True)
class Nugget:
    """An atomic fact on a topic's nugget list. ``number`` is never reused."""

    topic: str
    number: int
    importance: Importance
    text: str


@quick_record(frozen=True, kw_only=True, slots=True)
class NuggetVote:
    """One assessor's vote on one nugget's importance. ``assessor`` is a pseudonym in exports."""

    topic: str
    number: int
    assessor: str
    importance: Importance


@quick_record(frozen=True, slots=True)
class ItemMatch:
    """A nugget found in an item, whichever runs returned it. ``part`` is 0, or k for nugget "5.k".

    ``key`` is the item's; it is "" if it follows from docno and text (`scoring.folding.answer_key`).
    """

    topic: str
    docno: str
    text: str
    number: int
    part: int = 0
    key: str = ""


@quick_record(frozen=True, slots=True)
class TopicMatches:
    """The nuggets found in the items of one topic: all of its `ItemMatch` records at once, as plain values.

    A mark is (item, nugget, part). ``items`` maps the item in a mark to its docno, text and key.
    """

    topic: str
    items: Mapping[Any, tuple[str, str, str]]
    marks: Sequence[tuple[Any, int, int]]


@quick_record(frozen=True, kw_only=True, slots=True)
class OwnedNugget:
    """A nugget of one assessor's frozen list. ``by`` is a pseudonym, ``role`` "primary", "second" or "adjudicator".

    ``sources`` are (docno, quote) pairs; ``fields`` is JSON, as in `scoring.release.recorded_acts.NuggetWritten`.
    """

    by: str
    role: str
    topic: str
    number: int
    importance: Importance
    text: str
    group: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[tuple[str, str], ...] = ()


@quick_record(frozen=True, kw_only=True, slots=True)
class OwnedMatch:
    """One assessor's mark of one nugget (or part k of it) in one item. The nugget is on the list that the assessor
    uses.

    ``key``, ``docno`` and ``text`` are the item's. The value "none" was recorded explicitly; it is not just a missing
    mark.
    """

    by: str
    role: str
    topic: str
    number: int
    part: int = 0
    key: str = ""
    docno: str = ""
    text: str = ""
    quote: str = ""
    value: Literal["full", "partial", "none"] = "full"


@quick_record(frozen=True, kw_only=True, slots=True)
class NuggetPiece:
    """The place where an assessor found a nugget, or part k of it ("5.k"), in a run's response, and its wording there.

    ``item`` is the string's number in the response, from 1; ``text`` is the part of it that was marked; ``no_docno`` is
    the content of the docno column if it holds no docno.
    """

    topic: str
    run: str
    item: int
    number: int
    part: int
    docno: str
    text: str
    no_docno: str = field(default="", compare=False)


@quick_record(frozen=True, kw_only=True, slots=True)
class RunGrade:
    """The value that an assessor gave to an item of one run on one criterion.

    ``role`` is "" for the primary assessor, otherwise "second" or "adjudicator".
    """

    topic: str
    run: str
    criterion: str
    value: int
    role: str = ""


@quick_record(frozen=True, kw_only=True, slots=True)
class OwnedReview:
    """An assessor finished an item: they marked all nuggets of their list that are in it, if any."""

    by: str
    role: str
    topic: str
    key: str
    docno: str = ""
    text: str = ""


@quick_record(frozen=True, kw_only=True, slots=True)
class RunMatch:
    """A nugget found in a run's response, in the item with this number (NIST's form). It is counted once."""

    topic: str
    run: str
    item: int
    number: int
    part: int = 0


@quick_record(frozen=True, kw_only=True, slots=True)
class InstanceJudgment:
    """The judgment of one [answer-string, docno] pair of a list question.

    ``correctness`` is -1 incorrect, 1 correct, 2 unsupported, 3 non-exact, as NIST published it. ``answer_class`` is
    the key (or, if written by hand, the label) of the distinct answer that a correct instance belongs to, otherwise "".
    ``key`` is the instance's if it is judged for one run alone (`scoring.own_items`), otherwise "".
    """

    topic: str
    docno: str
    text: str
    correctness: int
    answer_class: str = ""
    key: str = ""


@quick_record(frozen=True, kw_only=True, slots=True)
class AnswerClass:
    """One distinct answer in a list question's final answer set. ``key`` is stable within its topic."""

    topic: str
    key: str
    label: str
    found_by: str = ""  # "assessor" if an assessor found it while developing the question


@quick_record(frozen=True, kw_only=True, slots=True)
class Qrel:
    """One line of qrels. A grade of -1 means pooled but not judged; an absent document was not pooled."""

    topic: str
    docno: str
    grade: int
    iteration: str = "0"


@quick_record(frozen=True, kw_only=True, slots=True)
class RankedDoc:
    """One line of a ranked run or of a document list."""

    topic: str
    docno: str
    rank: int
    score: float
    run: str = ""


def in_single_precision(score: float) -> float:
    """Return a score in the precision that trec_eval uses.

    >>> in_single_precision(0.99999999) == in_single_precision(0.99999998)
    True
    """
    return array("f", (score,))[0]


@quick_record(frozen=True, kw_only=True, slots=True)
class ItemGrade:
    """The value that an assessor gave to one item on one criterion; None if it is pooled but nobody judged it.

    ``kind`` and ``key`` identify the item within its topic. ``by`` is a pseudonym; ``role`` is "" for the primary
    assessor, otherwise "second" or "adjudicator". Both are "" if nobody judged the item. ``evidence`` are the snippets
    as stored: ``{"quote": …, "start": …, "value": …}``. ``fields`` are the item's own.
    """

    topic: str
    kind: str
    key: str
    criterion: str
    value: int | None
    docno: str = ""
    text: str = ""
    note: str = ""
    evidence: tuple[Mapping[str, Any], ...] = ()
    by: str = ""
    role: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)


@quick_record(frozen=True, kw_only=True, slots=True)
class ReturnedSegment:
    """One segment of a run's response, with the items under which it and its citations are judged.

    ``citations`` are (docno, kind, key) in order. ``kind``, ``key`` and ``response_key`` are "" if the segment or the
    whole response is not judged. ``no_docno`` is what the run wrote in the docno column if it gave no docno.
    """

    run: str
    topic: str
    ordinal: int
    text: str
    docno: str = ""
    kind: str = ""
    key: str = ""
    citations: tuple[tuple[str, str, str], ...] = ()
    response_key: str = ""
    no_docno: str = ""


@quick_record(frozen=True, kw_only=True, slots=True)
class JudgedInstance:
    """One instance of one run with its judgment, as NIST published list questions (`list_judged`).

    ``distinct`` is true only for the one instance of each answer class that counts for the run.
    """

    topic: str
    run: str
    docno: str
    correctness: int
    distinct: bool
    text: str


@quick_record(frozen=True, kw_only=True, slots=True)
class ResponseItem:
    """One string of a run's response, numbered from 1 in the order submitted (`otherjudged`, first part).

    ``no_docno`` is the content of the docno column if it holds no docno.
    """

    topic: str
    run: str
    item: int
    docno: str
    text: str
    no_docno: str = field(default="", compare=False)


@quick_record(frozen=True, kw_only=True, slots=True)
class JudgedResponse:
    """The strings of a run's response and the nuggets found in them: all of its lines in `otherjudged` at once.

    ``strings`` are (item number, docno, text), ``nuggets`` are (item number, nugget, part).
    """

    topic: str
    run: str
    strings: tuple[tuple[int, str, str], ...]
    nuggets: tuple[tuple[int, int, int], ...]


@quick_record(frozen=True, kw_only=True, slots=True)
class DocumentRecord:
    """One document of a collection file, with its bytes unchanged.

    ``raw`` is the page as crawled, in ``charset`` if the source names one (None: to be detected). ``offset`` is the
    record's first byte in the uncompressed file, where a reader can start again, and ``line`` its first line, from 1.
    ``fields`` holds the record's other tags.
    """

    docno: str
    media_type: str
    charset: str | None
    raw: bytes
    url: str = ""
    offset: int = 0
    line: int = 1
    fields: Mapping[str, str] = field(default_factory=dict)


@quick_record(frozen=True, kw_only=True, slots=True)
class ItemValue:
    """One value that a judge gave to one item: the input of agreement measures. NaN is not allowed."""

    topic: str
    item: str
    value: float


@quick_record(frozen=True, kw_only=True, slots=True)
class ResponseLength:
    """The number of non-white-space characters in a run's response to a topic."""

    topic: str
    run: str
    characters: int


@quick_record(frozen=True, kw_only=True, slots=True)
class AssignedNugget:
    """One nugget of a nuggetizer line. ``assignment`` is "" in files without a response."""

    text: str
    importance: Importance
    assignment: str = ""


@quick_record(frozen=True, kw_only=True, slots=True)
class NuggetizerLine:
    """A topic's nuggets in nuggetizer's JSONL, numbered by place, and the text that was searched for them. If it is a
    run's answer, ``run`` is set; if it is a document, ``docno``. Both are "" if there is no such text.
    """

    topic: str
    query: str
    nuggets: tuple[AssignedNugget, ...]
    run: str = ""
    answer: str = ""
    docno: str = ""

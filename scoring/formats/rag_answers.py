"""Reads and writes runs of answers: sentences, each with the documents that it cites, in the JSON form that several
tracks share.

    {"metadata": {"team_id": N, "run_id": R, "topic_id": T, …}, "references": [D, …],
     "responses": [{"text": S, "citations": {"D": 0.8} or ["D"] or [0]}, …]}

TREC RAG uses ``answer`` and ``narrative_id`` (in 2024 with all members at the top), NeuCLIR ``sentences`` and
``request_id``, and iKAT 2025 ``turn_id``. iKAT 2023 and 2024 have one object with all turns, and of the ranked
responses to a turn the first is read. The objects may be one a line, in a list, or one after another.

The topic is the first of topic_id, narrative_id, request_id and qa_id in the metadata, then of those, turn_id and qid
at the top. A cited number is an index into the references, from 0, if there are references, and otherwise an id. An
object of citations is read by value, descending. Without references, the cited documents are the references, in the
order of first use. Other members of the metadata are stored in ``others``.

Codes beside those of `scoring.reading.json_reading`, for faults that make an answer unreadable:

    fields           a member is missing or of the wrong type        run-id      one word, the same on every line
    topic            two members name different topics               citation    no place in the references

Warnings: empty-sentence (the sentence is left out), empty-answer, reference-twice and citation-twice (read once),
citation-values (not all are numbers), and citation-elsewhere (a cited document is not in the references, but counts).
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from scoring.file_kinds import JSON, reads
from scoring.formats.answer_kinds import PLAIN, AnswerKinds, shapes_of
from scoring.formats.answer_members import SENTENCES, TOPICS, look_for_unused
from scoring.formats.citation_values import numbers_of, values_of
from scoring.formats.ikat_runs import turn_answers
from scoring.formats.json_members import Taken
from scoring.formats.member_reports import Path, Report
from scoring.formats.spec import Format
from scoring.formats.unused_members import UnusedMembers
from scoring.reading.json_values import json_values
from scoring.reading.opening import excerpt_of
from scoring.records import Issue
from scoring.wording import counted

_LAYOUT = '{"metadata": {"team_id", "run_id", "topic_id"}, "responses": [{"text", "citations"}], "references"}'
FILE_LIMIT = 64 * 1024 * 1024
MOST_CITED = 10_000
"""The most documents that one sentence may cite."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RagSentence:
    """A sentence and the documents that it cites: best first if the run values them, otherwise in its order."""

    text: str
    citations: tuple[str, ...] = ()
    values: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class RagAnswer:
    """The answer of a run to a topic. ``length`` is the length that the run states, or -1 if it states none.

    ``has_references`` says whether the run gave references. If it did not, ``references`` holds the cited documents.
    ``others`` are further members of the metadata.
    """

    run: str
    topic: str
    title: str = ""
    references: tuple[str, ...] = ()
    sentences: tuple[RagSentence, ...] = ()
    length: int = -1
    line: int = 0
    team: str = ""
    has_references: bool = True
    others: Mapping[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> int:
        """The number of words in all sentences."""
        return sum(count_words(sentence.text) for sentence in self.sentences)

    @property
    def text(self) -> str:
        """The whole answer."""
        return " ".join(sentence.text for sentence in self.sentences)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadAnswer:
    """One object of a run as written, with its issues, and its answer, which is None if it can't be read."""

    line: int
    written: Mapping[str, Any]
    answer: RagAnswer | None
    issues: tuple[Issue, ...]


def count_words(text: str) -> int:
    """Return the number of words of a text.

    >>> count_words("two ﬁne\u00a0words here")
    4
    """
    return len(unicodedata.normalize("NFKC", text).split())


@reads("answers", forms=JSON, formats=("rag-answers",), layout=_LAYOUT)
def read_rag_answers(file: BinaryIO) -> Iterator[RagAnswer | Issue]:
    """Yield the answers of one run in file order, with all issues.

    If a topic has several answers, the first is yielded, and each of the others is a warning. An answer of another run
    than the first one is an error, and is left out.
    """
    seen: set[str] = set()
    run, unused = "", UnusedMembers()
    for each in read_objects(file):
        if isinstance(each, Issue):
            yield each
            continue
        yield from each.issues
        look_for_unused(each.written, unused)
        if (answer := each.answer) is None:
            continue
        run = run or answer.run
        if answer.run != run:
            message = f"The run is {_quoted(answer.run)}, but the file began with {_quoted(run)}. One file is one run."
            yield Issue(where=each.line, code="run-id", message=message)
        elif answer.topic in seen:
            message = f"Topic {_quoted(answer.topic)} is answered already. The first answer counts."
            yield Issue(where=each.line, code="duplicate", message=message, severity="warning")
        else:
            seen.add(answer.topic)
            yield answer
    yield from unused.issues()


@reads("answers", forms=JSON, formats=("rag-answers",), layout=_LAYOUT)
def read_objects(file: BinaryIO) -> Iterator[ReadAnswer | Issue]:
    """Yield a `ReadAnswer` for every object of a run, or for every turn of an object with turns. Yield an issue for
    each value that is not an object.
    """
    for each in json_values(file, limit=FILE_LIMIT):
        if isinstance(each, Issue):
            yield each
        elif isinstance(each[1], dict) and isinstance(each[1].get("turns"), list):
            yield from (read_object(each[0], value) for value in turn_answers(each[1]))
        else:
            yield read_object(*each)


def read_object(line: int, value: Any, *, root: str = "", kinds: AnswerKinds = PLAIN) -> ReadAnswer:
    """Return one object of a run of answers. Its issues have the line as their place or, with a ``root``, the path."""
    report = Report(root=root) if root else Report(at=line)
    answer = _answer(line, value, report, kinds)
    written = value if isinstance(value, dict) else {}
    issues = tuple(report.issues)
    return ReadAnswer(line=line, written=written, answer=None if report.is_wrong else answer, issues=issues)


def _answer(line: int, value: Any, report: Report, kinds: AnswerKinds) -> RagAnswer | None:
    """Return the answer in an object, or None; what is wrong with it is added to ``report``."""
    shape, metadata = shapes_of(kinds)
    taken = shape.take(value, report)
    if taken is None:
        return None
    written = taken["metadata"] if taken["metadata"] is not None else value
    at = ("metadata",) if "metadata" in value else ()
    about = metadata.take({"run_id": value["run_id"]} | written if "run_id" in value else written, report, at)
    topic = _topic(value, taken["metadata"] or {}, report, kinds)
    name = next((name for name in SENTENCES if name in value), SENTENCES[0])
    cited = _Cited(taken["references"], report, kinds)
    sentences = tuple(_sentences(taken["responses"] or (), name, cited, report))
    cited.warn()
    if topic is None or report.is_wrong:
        return None
    named = cited.references if cited.is_given else [docno for each in sentences for docno in each.citations]
    return RagAnswer(
        run=about["run_id"],
        topic=topic,
        title=about["narrative"] if taken["topic"] is None else taken["topic"],
        references=tuple(dict.fromkeys(named)),
        sentences=sentences,
        length=taken["response_length"],
        line=line,
        team=about["team_id"] or "",
        has_references=cited.is_given,
        others={each: value for each, value in (taken["metadata"] or {}).items() if each not in KNOWN},
    )


def _topic(value: Mapping[str, Any], about: Mapping[str, Any], report: Report, kinds: AnswerKinds) -> str | None:
    """Return the first topic that an answer names, or None. Report a missing topic, and two different ones."""
    named: list[tuple[Path, Any]] = [
        (("metadata", name), about[name]) for name in TOPICS if about.get(name) is not None
    ]
    named += [((name,), value[name]) for name in TOPICS if value.get(name) is not None]
    if not named:
        place = "the metadata" if about else "the object"
        message = f"The topic is missing. Add it to {place}, as one of {', '.join(TOPICS)}."
        report.say((), kinds.codes.missing, message)
        return None
    topic: str | None = kinds.topic.read(named[0][1], report, named[0][0], kinds.codes)
    if len(both := {str(about[name]) for name in TOPICS[:2] if about.get(name) is not None}) > 1:
        report.say((), "topic", f"The answer names two topics: {' and '.join(sorted(map(_quoted, both)))}. Keep one.")
    return topic


def _sentences(written: Iterable[Taken], name: str, cited: _Cited, report: Report) -> Iterator[RagSentence]:
    is_empty = True
    for place, each in enumerate(written):
        text, citations = each["text"], each["citations"]
        docnos = cited.take(citations, (name, place, "citations"))
        if text is not None and not text.strip():
            message = f"{report.shown((name, place))} has no text; it is left out."
            report.say((name, place), "empty-sentence", message, severity="warning")
        elif text is not None:
            is_empty = False
            yield RagSentence(text=text, citations=docnos, values=values_of(citations))
    if is_empty and not report.is_wrong:
        report.say((name,), "empty-answer", "The answer has no sentences; it counts as none.", severity="warning")


def _first_twice(values: Iterable[str]) -> str:
    """Return the first value that occurred before in ``values``. The caller makes sure that there is one."""
    seen: set[str] = set()
    return next(each for each in values if each in seen or seen.add(each))  # type: ignore[func-returns-value]


class _Cited:
    """Finds what an answer's sentences cite, given by index into the answer's references or by id."""

    def __init__(self, written: list[Any] | dict[str, Any] | None, report: Report, kinds: AnswerKinds) -> None:
        self.report, self.kinds = report, kinds
        self.is_given = written is not None
        self.elsewhere: dict[str, None] = {}
        found = [
            kinds.cited.read(each, report, ("references", at), kinds.codes) for at, each in enumerate(written or ())
        ]
        self.references: list[str] = [each or "" for each in found]
        self._known = frozenset(self.references)

    def take(self, written: list[Any] | dict[str, Any], inside: Path) -> tuple[str, ...]:
        """Return the distinct documents that one sentence cites. If an object cites them, they are sorted by value;
        equal values stay in order.
        """
        if len(written) > MOST_CITED:
            message = f"{self.report.shown(inside)} has {len(written):,} entries; it may have {MOST_CITED:,}."
            self.report.say(inside, "citation", message)
            return ()
        if isinstance(written, dict):
            numbers = numbers_of(written)
            if written and not numbers:
                message = (
                    f"{self.report.shown(inside)}: not all values are numbers; what is cited is read in its order."
                )
                self.report.say(inside, "citation-values", message, severity="warning")
            written = sorted(written, key=lambda each: -numbers[each]) if numbers else list(written)
        found = [each for place, one in enumerate(written) if (each := self._docno(one, (*inside, place)))]
        once = tuple(dict.fromkeys(found))
        if len(once) < len(found):
            twice = _first_twice(found)
            message = f"{self.report.shown(inside)}: {_quoted(twice)} is cited twice; it counts once."
            self.report.say(inside, "citation-twice", message, severity="warning")
        return once

    def _docno(self, each: Any, at: Path) -> str | None:
        if type(each) is int and self.references and not self.kinds.numbers_are_ids:
            if 0 <= each < len(self.references):
                return self.references[each]
            if str(each) not in self._known:
                message = f"{self.report.shown(at)} is {each}; it must be a place in the references, "
                self.report.say(at, "citation", f"{message}0 to {len(self.references) - 1}.")
                return None
        if self._is_quoted_place(each):
            message = f'{self.report.shown(at)} is "{each}", which is none of the references. '
            self.report.say(at, "citation", f"{message}Write a place in them as a number, without quotes: {int(each)}.")
            return None
        written = str(each) if type(each) is int else each
        docno: str | None = self.kinds.cited.read(written, self.report, at, self.kinds.codes)
        if docno and self.is_given and docno not in self._known:
            self.elsewhere[docno] = None
        return docno

    def _is_quoted_place(self, each: Any) -> bool:
        is_place = isinstance(each, str) and each.isascii() and each.isdecimal() and len(each) < 9
        return is_place and each not in self._known and int(each) < len(self.references)

    def warn(self) -> None:
        """Report repeated references and cited documents that are not among them, if all references can be read."""
        if "" not in self._known and len(self._known) < len(self.references):
            twice = _first_twice(self.references)
            message = f"{_quoted(twice)} stands twice in the references. Keep it once."
            self.report.say(("references",), "reference-twice", message, severity="warning")
        if self.elsewhere and "" not in self._known:
            message = (
                f"{counted(len(self.elsewhere), 'cited document is', 'cited documents are')} not in the references, "
            )
            message += f"such as {_quoted(next(iter(self.elsewhere)))}. Add what is cited."
            self.report.say(("references",), "citation-elsewhere", message, severity="warning")


def write_rag_answers(records: Iterable[RagAnswer]) -> Iterator[str]:
    """Yield lines in the form of RAG 2024, in the order given. Citations are indexes into the references."""
    for r in records:
        references = _all_references(r)
        answer = [
            {"text": each.text, "citations": [references.index(docno) for docno in each.citations]}
            for each in r.sentences
        ]
        values = {"run_id": r.run, "topic_id": r.topic, "topic": r.title, "references": references}
        length = r.words if r.length < 0 else r.length
        yield json.dumps(values | {"response_length": length, "answer": answer}, ensure_ascii=False)


def write_reports(records: Iterable[RagAnswer]) -> Iterator[str]:
    """Yield lines in the form that the tracks of 2025 share, with the further members of the metadata unchanged."""
    for r in records:
        title = {"narrative": r.title} if r.title else {}
        about = {"team_id": r.team, "run_id": r.run, "topic_id": r.topic} | title | dict(r.others)
        responses = [{"text": each.text, "citations": _cited_values(each)} for each in r.sentences]
        line = {"metadata": about, "responses": responses, "references": _all_references(r)}
        yield json.dumps(line, ensure_ascii=False)


def _cited_values(sentence: RagSentence) -> list[str] | dict[str, float]:
    if len(sentence.values) != len(sentence.citations) or not sentence.values:
        return list(sentence.citations)
    return dict(zip(sentence.citations, sentence.values, strict=True))


def _all_references(answer: RagAnswer) -> list[str]:
    cited = (docno for each in answer.sentences for docno in each.citations)
    return list(dict.fromkeys((*answer.references, *cited)))


KNOWN = frozenset({"team_id", "run_id", "narrative", *TOPICS[:4]})
"""The members of the metadata that an answer stores in fields of its own."""


def _quoted(text: str) -> str:
    return f'"{excerpt_of(text, length=40)}"'


_SOURCE = "TREC RAG 2024 and 2025; hltcoe/rag-run-validator; DRAGUN, RAGTIME, BioGen and iKAT 2025"
FORMATS = (
    Format(
        name="rag-answers",
        label="Answers of TREC RAG 2024",
        source=_SOURCE,
        layout='{"run_id", "topic_id", "topic", "references", "response_length", "answer": [{"text", "citations"}]}',
        record=RagAnswer,
        read=read_rag_answers,
        write=write_rag_answers,
    ),
    Format(
        name="reports",
        label="Answers in the shape that tracks of 2025 share",
        source=_SOURCE,
        layout=_LAYOUT,
        record=RagAnswer,
        read=read_rag_answers,
        write=write_reports,
    ),
)

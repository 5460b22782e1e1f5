"""Answers of TREC RAG, one JSON object a line: sentences, each with the references that support it.

    2024  {"run_id": R, "topic_id": T, "topic": S, "references": [D, …], "response_length": 12,
           "answer": [{"text": S, "citations": [0, 2]}, …]}
    2025  {"metadata": {"run_id": R, "narrative_id": T, "team_id": …}, "references": [D, …],
           "answer": [{"text": S, "citations": [0] or ["D"]}, …]}

Citations count from 0 in the references. Words are what white space separates after NFKC; where an answer is longer
than allowed, its last sentences are not read, until the rest is short enough or one sentence is left.

Codes beside those of `scoring.json_reading`:

    fields           a member is missing or of the wrong type        run-id      one word, the same on every line
    duplicate        a second answer to a topic                      unknown-topic
    references       more than allowed                               reference-twice
    citation         no place in the references                      empty-sentence
    answer-length    (warning) the last sentences are not read       length      (warning) response_length is not that
    missing-topic    (warning, once) topics without an answer        uncited     (warning) references never cited
    run-tag-mismatch the run's name is not that of the form          unknown-docno  a reference is not in the collection
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from scoring.formats.json_members import FILLED, LIST, OBJECT, TEXT, WHOLE, Member, Shape, list_of, one_word
from scoring.formats.member_reports import Codes, Report
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format
from scoring.json_reading import json_lines
from scoring.reading import excerpt_of
from scoring.records import Issue
from scoring.run_tags import TagRule


@dataclass(frozen=True, kw_only=True, slots=True)
class RagSentence:
    """A sentence and the documents that it cites, in their order."""

    text: str
    citations: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class RagAnswer:
    """The answer of a run to a topic. ``length`` is what the run says of its own length, -1 where it says nothing."""

    run: str
    topic: str
    title: str = ""
    references: tuple[str, ...] = ()
    sentences: tuple[RagSentence, ...] = ()
    length: int = -1
    line: int = 0

    @property
    def words(self) -> int:
        """The words of all sentences."""
        return sum(count_words(sentence.text) for sentence in self.sentences)

    @property
    def text(self) -> str:
        """The whole answer."""
        return " ".join(sentence.text for sentence in self.sentences)


def count_words(text: str) -> int:
    """How many words a text has.

    >>> count_words("two ﬁne\u00a0words here")
    4
    """
    return len(unicodedata.normalize("NFKC", text).split())


def cut_answer(answer: RagAnswer, limit: int) -> tuple[RagSentence, ...]:
    """The sentences that are read: the last ones go until the words fit, but the first always stays."""
    kept = list(answer.sentences)
    left = answer.words
    while left > limit and len(kept) > 1:
        left -= count_words(kept.pop().text)
    return tuple(kept)


def read_rag_answers(file: BinaryIO) -> Iterator[RagAnswer | Issue]:
    """The answers in file order, and every issue of a line that is none; a topic is answered once."""
    seen: set[str] = set()
    run = ""
    for line in json_lines(file):
        if isinstance(line, Issue):
            yield line
            continue
        number, value = line
        flaws: list[Issue] = []
        answer = _answer(number, value, flaws)
        if answer is not None and not flaws:
            run = run or answer.run
            if answer.run != run:
                message = (
                    f"The run is {_shown(answer.run)}, but the file began with {_shown(run)}. One file is one run."
                )
                flaws.append(_issue(number, "run-id", message))
            elif answer.topic in seen:
                flaws.append(_issue(number, "duplicate", f"Topic {_shown(answer.topic)} is answered already."))
        if flaws or answer is None:
            yield from flaws
        else:
            seen.add(answer.topic)
            yield answer


def write_rag_answers(records: Iterable[RagAnswer]) -> Iterator[str]:
    """Lines of the form of 2024, in the order given."""
    for r in records:
        answer = [
            {"text": each.text, "citations": [r.references.index(docno) for docno in each.citations]}
            for each in r.sentences
        ]
        values = {"run_id": r.run, "topic_id": r.topic, "topic": r.title, "references": list(r.references)}
        length = r.words if r.length < 0 else r.length
        yield json.dumps(values | {"response_length": length, "answer": answer}, ensure_ascii=False)


def check_rag_answers(
    file: BinaryIO,
    *,
    topics: Sequence[str],
    words: int,
    references: int,
    tag: str = "",
    tags: TagRule | None = None,
    unknown_docnos: Callable[[Iterable[str]], set[str]] | None = None,
) -> Iterator[Issue]:
    """Every rule that a run breaks, line by line; ``tags`` is what its name must look like (None: any word)."""
    known, answered, empty = set(topics), set(), True
    for each in read_rag_answers(file):
        if isinstance(each, Issue):
            empty = False
            yield each
            continue
        if empty and tag and each.run != tag:
            message = f"The run is called {_shown(each.run)}, but the form says {_shown(tag)}. Change one of them."
            yield _issue(each.line, "run-tag-mismatch", message)
        if empty and tags is not None and not tags.allows(each.run):
            yield tags.issue(each.run, each.line)
        empty = False
        answered.add(each.topic)
        if each.topic not in known:
            yield _issue(each.line, "unknown-topic", f"There is no topic {_shown(each.topic)}. Check the topic file.")
        yield from _check_answer(each, words=words, references=references, unknown_docnos=unknown_docnos)
    if empty:
        yield _issue("", "empty-file", "The file is empty. Check that the right file was chosen.")
    elif missing := sorted((topic for topic in topics if topic not in answered), key=topic_order):
        shown = ", ".join(missing[:10]) + (" …" if len(missing) > 10 else "")
        yield _issue("", "missing-topic", f"{len(missing)} of {len(topics)} topics have no answer: {shown}.", "warning")


def _check_answer(
    answer: RagAnswer, *, words: int, references: int, unknown_docnos: Callable[[Iterable[str]], set[str]] | None
) -> Iterator[Issue]:
    topic = _shown(answer.topic)
    if len(answer.references) > references:
        message = f"The answer to {topic} has {len(answer.references)} references; {references} are allowed."
        yield _issue(answer.line, "references", message)
    if unknown_docnos is not None:
        for docno in sorted(unknown_docnos(answer.references)):
            yield _issue(answer.line, "unknown-docno", f"The document {_shown(docno)} is not in the collection.")
    if answer.words > words:
        kept = len(cut_answer(answer, words))
        message = f"The answer to {topic} has {answer.words} words; {words} are allowed. "
        message += f"Of its {len(answer.sentences)} sentences the first {kept} are judged."
        yield _issue(answer.line, "answer-length", message, "warning")
    if answer.length not in (-1, answer.words):
        message = f"response_length is {answer.length}, but the answer to {topic} has {answer.words} words."
        yield _issue(answer.line, "length", message, "warning")
    cited = {docno for sentence in answer.sentences for docno in sentence.citations}
    if uncited := [docno for docno in answer.references if docno not in cited]:
        message = f"{len(uncited)} references of the answer to {topic} are cited by no sentence."
        yield _issue(answer.line, "uncited", message, "warning")


def _answer(number: int, value: Any, flaws: list[Issue]) -> RagAnswer | None:
    """The answer that a line is; what is wrong goes to ``flaws``."""
    report = Report(at=number)
    taken = (_LINE_2025 if isinstance(value, dict) and "metadata" in value else _LINE_2024).take(value, report)
    if taken is None:
        flaws.extend(report.issues)
        return None
    about = taken | (taken.get("metadata") or {})
    references = tuple(taken["references"])
    if report.issues and isinstance(written := value.get("references"), list):  # what is wrong keeps its place
        references = tuple(each if isinstance(each, str) else "" for each in written)
    for place, docno in enumerate(references if len({*references}) < len(references) else ()):
        if docno and docno in references[:place]:
            message = f"“references[{place}]”: {_shown(docno)} stands in the list already."
            report.say(("references", place), "reference-twice", message)
    sentences = tuple(
        RagSentence(text=each["text"], citations=_cited(each["citations"], references, report, place))
        for place, each in enumerate(taken["answer"] or ())
    )
    flaws.extend(report.issues)
    if report.issues:
        return None
    title = about["narrative"] if taken["topic"] is None else taken["topic"]
    return RagAnswer(
        run=about["run_id"],
        topic=about["topic_id"],
        title=title,
        references=references,
        sentences=sentences,
        length=taken["response_length"],
        line=number,
    )


def _cited(written: list[Any], references: tuple[str, ...], report: Report, sentence: int) -> tuple[str, ...]:
    docnos = [references[each] for each in written if type(each) is int and 0 <= each < len(references)]
    if len(docnos) == len(written):
        return tuple(dict.fromkeys(docnos))
    docnos = []
    for place, citation in enumerate(written):
        if type(citation) is int and 0 <= citation < len(references):
            docnos.append(references[citation])
        elif isinstance(citation, str) and citation in references:
            docnos.append(citation)
        else:
            inside = ("answer", sentence, "citations", place)
            shown = f"{report.shown(inside)} is {excerpt_of(str(citation), length=40)}"
            message = f"{shown}; it must be a place in the references, 0 to {len(references) - 1}."
            report.say(inside, "citation", message)
    return tuple(dict.fromkeys(docnos))


_CODES = Codes(missing="fields", type="fields")
_SENTENCE = Shape(
    members=(Member("text", FILLED), Member("citations", LIST, default=())),
    codes=replace(_CODES, empty="empty-sentence"),
)
_WORD = one_word(100)
_ABOUT = (
    Member("run_id", replace(_WORD, code="run-id")),
    Member("topic_id", one_word(100, numbers=True), also=("narrative_id",)),
    Member("narrative", TEXT, default=""),
)
_ANSWER = (
    Member("topic", TEXT, default=None),
    Member("references", list_of(one_word(200)), default=()),
    Member("response_length", WHOLE, default=-1),
    Member("answer", list_of(_SENTENCE, is_filled=True)),
)
_METADATA = Shape(members=_ABOUT, codes=_CODES)
_LINE_2024 = Shape(members=(*_ABOUT, *_ANSWER), codes=_CODES)
_LINE_2025 = Shape(members=(Member("metadata", replace(OBJECT, each=_METADATA)), *_ANSWER), codes=_CODES)


def _shown(text: str) -> str:
    return f'"{excerpt_of(text, length=40)}"'


def _issue(where: int | str, code: str, message: str, severity: Any = "error") -> Issue:
    return Issue(where=where, code=code, message=message, severity=severity)


FORMAT = Format(
    name="rag-answers",
    label="Answers of TREC RAG 2024 and 2025",
    source="TREC RAG 2024 and 2025 guidelines; castorini/ragnarok",
    layout='{"run_id", "topic_id", "topic", "references", "response_length", "answer": [{"text", "citations"}]}',
    record=RagAnswer,
    read=read_rag_answers,
    write=write_rag_answers,
)

"""Reads runs that find citations for given answers (BioGen 2025, task A), one object a question.

    {"metadata": {"qa_id": Q, "team_id": …, "run_id": …}, "answer": [{"text": S,
      "existing_supported_citations": [P, …] or null, "supported_citations": [P, …], "contradicted_citations": [P, …]}]}

The objects may be in a list, one a line, or one after another. Codes: fields, unknown-topic, missing-topic, overlap (a
citation that was already there is returned as supporting); and as warnings overlap (a citation that was already there
is returned as contradicting) and duplicate (a second answer to a question; the first answer counts).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from scoring.file_kinds import JSON, reads
from scoring.formats.json_members import LIST, OBJECT, TEXT, Kind, Member, Shape, list_of
from scoring.formats.member_reports import Codes, Report
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format
from scoring.reading.json_values import json_values
from scoring.reading.opening import ENDS_READING, excerpt_of
from scoring.reading.plain_names import KnownNames
from scoring.reading.unread_lines import UnreadLines
from scoring.records import Issue, Severity
from scoring.wording import counted_of


@dataclass(frozen=True, kw_only=True, slots=True)
class SupportedSentence:
    """A sentence of a given answer with three groups of PMIDs: those it already had, those that support it, and those
    that contradict it.
    """

    text: str
    existing: tuple[str, ...] = ()
    supporting: tuple[str, ...] = ()
    contradicting: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class SupportedAnswer:
    """The citations that a run returns for the answer to one question."""

    topic: str
    team: str = ""
    run: str = ""
    sentences: tuple[SupportedSentence, ...] = ()
    line: int = 0


@reads("citations", forms=JSON)
def read_citation_run(file: BinaryIO) -> Iterator[SupportedAnswer | Issue]:
    """Yield the answers in file order, and an issue for each answer that can't be used.

    Several answers to one question are all yielded; `check_citation_run` reports them.
    """
    for each in json_values(file):
        if isinstance(each, Issue):
            yield each
            continue
        report = Report(at=each[0])
        taken = _ANSWER.take(each[1], report)
        yield from report.issues
        if taken is None or report.is_wrong:
            continue
        about = taken["metadata"]
        sentences = tuple(
            SupportedSentence(
                text=one["text"],
                existing=_pmids(one["existing_supported_citations"]),
                supporting=_pmids(one["supported_citations"]),
                contradicting=_pmids(one["contradicted_citations"]),
            )
            for one in taken["answer"]
        )
        names = {name: str(about[name] or "") for name in ("team_id", "run_id")}
        yield SupportedAnswer(
            topic=about["qa_id"], team=names["team_id"], run=names["run_id"], sentences=sentences, line=each[0]
        )


def write_citation_run(records: Iterable[SupportedAnswer]) -> Iterator[str]:
    """Yield one object a line, in the order given."""
    for r in records:
        answer = [
            {
                "text": each.text,
                "existing_supported_citations": list(each.existing) or None,
                "supported_citations": list(each.supporting),
                "contradicted_citations": list(each.contradicting),
            }
            for each in r.sentences
        ]
        about = {"qa_id": r.topic, "team_id": r.team, "run_id": r.run}
        yield json.dumps({"metadata": about, "answer": answer}, ensure_ascii=False)


def check_citation_run(file: BinaryIO, topics: Sequence[str] = ()) -> Iterator[Issue]:
    """Yield an error for everything that the track's checker refuses, and warnings for other problems. ``topics`` are
    the topics asked; empty if they are not known.
    """
    answered: set[str] = set()
    is_empty = True
    unread = UnreadLines()
    for each in read_citation_run(file):
        is_empty = False
        if isinstance(each, Issue):
            unread.add(each)
            yield each
            if each.code in ENDS_READING:
                return
            continue
        topic = excerpt_of(each.topic, length=40)
        if topics and each.topic not in topics:
            message = KnownNames(topics).lacks("question", each.topic, "Check the topic file.")
            yield _issue(each.line, "unknown-topic", message)
        if each.topic in answered:
            message = f"Question {topic} comes again; the first answer counts."
            yield _issue(each.line, "duplicate", message, "warning")
        answered.add(each.topic)
        for place, sentence in enumerate(each.sentences, 1):
            at = f"Question {topic}, sentence {place}"
            if both := sorted({*sentence.existing} & {*sentence.supporting}):
                message = f"{at}: {', '.join(both[:5])} was there already. Take it out of the supporting ones."
                yield _issue(each.line, "overlap", message)
            if both := sorted({*sentence.existing} & {*sentence.contradicting}):
                message = f"{at}: {', '.join(both[:5])} was there as supporting, and is given as contradicting."
                yield _issue(each.line, "overlap", message, "warning")
    if is_empty:
        yield _issue("", "empty-file", "The file is empty. Check that the right file was chosen.")
    if missing := sorted(unread.missing(topics, answered), key=topic_order):
        shown = ", ".join(missing[:10]) + (" …" if len(missing) > 10 else "")
        yield _issue(
            "",
            "missing-topic",
            f"{counted_of(len(missing), len(topics), 'question', 'has', 'have')} no answer: {shown}.",
        )


def _pmids(written: list[Any] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(each) for each in written or ()))


def _issue(where: int | str, code: str, message: str, severity: Severity = "error") -> Issue:
    return Issue(where=where, code=code, message=message, severity=severity)


_NAME = Kind(wanted="a text or a number", types=(str, int))
_CODES = Codes(missing="fields", type="fields")
_SENTENCE = Shape(
    members=(
        Member("text", TEXT),
        Member("existing_supported_citations", LIST, default=(), null=()),
        Member("supported_citations", LIST),
        Member("contradicted_citations", LIST),
    ),
    codes=_CODES,
)
_METADATA = Shape(
    members=(Member("qa_id", TEXT), Member("team_id", _NAME, default=""), Member("run_id", _NAME, default="")),
    codes=_CODES,
)
_ANSWER = Shape(
    members=(
        Member("metadata", Kind(wanted=OBJECT.wanted, types=OBJECT.types, each=_METADATA)),
        Member("answer", list_of(_SENTENCE)),
    ),
    codes=_CODES,
)


FORMAT = Format(
    name="citation-run",
    label="Citations found for given answers",
    source="TREC 2025 BioGen, task A; isoboroff/submit-system",
    layout='{"metadata": {"qa_id"}, "answer": [{"text", "supported_citations", "contradicted_citations"}]}',
    record=SupportedAnswer,
    read=read_citation_run,
    write=write_citation_run,
)

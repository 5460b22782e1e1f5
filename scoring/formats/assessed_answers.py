"""Reads and writes answers of many runs with their assessments, as BioGen 2024 and MedAESQA were published: one JSON
list.

    [{"question_id": "116", "question": "…", "machine_generated_answers": {"RUN": {
        "answer": "…", "is_answer_accurate": "yes",
        "answer_sentences": [{"answer_sentence_id": "1", "answer_sentence": "…",
          "answer_sentence_relevance": "required",
          "citation_assessment": [
            {"cited_pmid": "12", "evidence_support": "…", "evidence_relation": "supporting"}]}]}}}]

Values of relevance: required, borderline, unnecessary, inappropriate, or null. Values of relation: supporting,
contradicting, neutral, "not relevant", "invalid citation", or null if nobody judged it. A citation may have several
rows, one for each snippet. `citation_assessment` is null for a sentence without citations. `expert_curated_answer` and
further members are not read.

Source: deepaknlp/MedAESQA; TREC 2024 BioGen, assessment file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, get_args

from scoring.file_kinds import JSON, reads
from scoring.formats.json_members import ANYTHING, OBJECT, TEXT, Kind, Member, Shape, Taken, list_of
from scoring.formats.member_reports import Codes, Path, Report
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format
from scoring.measures.citations import Necessity, Relation
from scoring.reading.json_reading import load_json
from scoring.reading.opening import excerpt_of
from scoring.records import Issue

NECESSITIES: tuple[Necessity, ...] = get_args(Necessity)
RELATIONS: tuple[Relation, ...] = get_args(Relation)


@dataclass(frozen=True, kw_only=True, slots=True)
class Assessment:
    """One row about a citation: the snippet, if there is one, and how it relates to the sentence (None: not judged)."""

    docno: str
    relation: Relation | None
    snippet: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class AssessedSentence:
    """A sentence of an answer. ``necessity`` is None if nobody judged it. The rows about its citations are in the order
    in which it cites.
    """

    number: str
    text: str
    necessity: Necessity | None = None
    citations: tuple[Assessment, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class AssessedAnswer:
    """One run's answer to one question. ``accurate`` is None if nobody judged it; ``where`` is its place in the
    file.
    """

    topic: str
    question: str
    run: str
    answer: str
    accurate: bool | None
    sentences: tuple[AssessedSentence, ...]
    where: str = ""


@reads("assessments", forms=JSON)
def read_assessed_answers(file: BinaryIO) -> Iterator[AssessedAnswer | Issue]:
    """Yield the answers in file order; for an answer that can't be used, yield its first issue instead."""
    value = load_json(file)
    if isinstance(value, Issue):
        yield value
        return
    if not isinstance(value, list):
        yield Issue(where="$", code="shape", message="The file must be a list of questions with their answers.")
        return
    seen: set[tuple[str, str]] = set()
    for place, question in enumerate(value):
        report = Report(root=f"$[{place}]")
        taken = _QUESTION.take(question, report)
        if report.issues:
            yield _first(report)
            continue
        topic = taken["question_id"]
        for run, answer in taken["machine_generated_answers"].items():
            where = f"$[{place}].machine_generated_answers['{excerpt_of(run, length=60)}']"
            inner = Report(root=where)
            if (topic, run) in seen:
                yield Issue(where=where, code="duplicate", message=f"Run {run} answers question {topic} twice.")
                continue
            seen.add((topic, run))
            found = _ANSWER.take(answer, inner)
            if not run.strip():
                yield Issue(where=where, code="field-type", message="An answer must stand under the name of its run.")
            elif inner.issues:
                yield _first(inner)
            else:
                yield AssessedAnswer(topic=topic, question=taken["question"], run=run, where=where, **found)


def _first(report: Report) -> Issue:
    """Return the first issue that was reported. The place of a missing member becomes that of the object without it."""
    issue = report.issues[0]
    is_of_object = issue.code == "missing-field" and isinstance(issue.where, str)
    return replace(issue, where=str(issue.where).rpartition(".")[0]) if is_of_object else issue


def write_assessed_answers(records: Iterable[AssessedAnswer]) -> Iterator[str]:
    """Yield the lines of a JSON list of questions, each with the answers of its runs. Both are sorted."""
    questions: dict[str, dict[str, Any]] = {}
    for record in sorted(records, key=lambda record: (topic_order(record.topic), topic_order(record.run))):
        empty = {"question_id": record.topic, "question": record.question, "machine_generated_answers": {}}
        question = questions.setdefault(record.topic, empty)
        question["machine_generated_answers"][record.run] = {
            "answer": record.answer,
            "is_answer_accurate": None if record.accurate is None else "yes" if record.accurate else "no",
            "answer_sentences": [_sentence_mapping(sentence) for sentence in record.sentences],
        }
    yield from json.dumps(list(questions.values()), ensure_ascii=False, indent=2).split("\n")


def _sentence_mapping(sentence: AssessedSentence) -> dict[str, Any]:
    rows = [
        {"cited_pmid": each.docno, "evidence_support": each.snippet, "evidence_relation": each.relation}
        for each in sentence.citations
    ]
    return {
        "answer_sentence_id": sentence.number,
        "answer_sentence": sentence.text,
        "answer_sentence_relevance": sentence.necessity,
        "citation_assessment": rows or None,
    }


def _answer(taken: Taken, report: Report, inside: Path) -> Taken:
    del report, inside
    said = taken["is_answer_accurate"]
    sentences = tuple(taken["answer_sentences"] or ())
    return {"answer": taken["answer"], "accurate": None if said is None else said == "yes", "sentences": sentences}


def _sentence(taken: Taken, report: Report, inside: Path) -> AssessedSentence:
    del report, inside
    return AssessedSentence(
        number=taken["answer_sentence_id"],
        text=taken["answer_sentence"],
        necessity=taken["answer_sentence_relevance"],
        citations=tuple(taken["citation_assessment"]),
    )


def _assessment(taken: Taken, report: Report, inside: Path) -> Assessment:
    del report, inside
    snippet = taken["evidence_support"]
    return Assessment(
        docno=taken["cited_pmid"],
        relation=taken["evidence_relation"],
        snippet=snippet.strip() if isinstance(snippet, str) else "",
    )


def _choice(*choices: str) -> Kind:
    """Return a `Kind` of values: one of these choices (given in lower case), in upper or lower case."""

    def make(value: str) -> str:
        plain = value.strip().lower()
        if plain not in choices:
            raise ValueError
        return plain

    return Kind(wanted=f"one of: {', '.join(choices)}, or null", types=(str,), make=make, code="value")


def _word(value: str | int) -> str:
    if len(str(value).split()) != 1 or len(str(value)) > 100:
        raise ValueError
    return str(value).strip()


_CODES = Codes(missing="missing-field", type="field-type")
_NAME = Kind(wanted="a number or one word", types=(str, int), make=_word, code="missing-field")
_TEXT = replace(TEXT, code="missing-field")
_ASSESSMENT = Shape(
    members=(
        Member("cited_pmid", _NAME),
        Member("evidence_relation", _choice(*RELATIONS), default=None, null=None),
        Member("evidence_support", ANYTHING, default=""),
    ),
    codes=_CODES,
    make=_assessment,
)
_SENTENCE = Shape(
    members=(
        Member("citation_assessment", list_of(_ASSESSMENT), default=(), null=()),
        Member("answer_sentence_id", _NAME),
        Member("answer_sentence", _TEXT),
        Member("answer_sentence_relevance", _choice(*NECESSITIES), default=None, null=None),
    ),
    codes=_CODES,
    make=_sentence,
)
_ANSWER = Shape(
    members=(
        Member("answer_sentences", list_of(_SENTENCE)),
        Member("is_answer_accurate", _choice("yes", "no"), default=None, null=None),
        Member("answer", _TEXT),
    ),
    codes=_CODES,
    make=_answer,
)
_QUESTION = Shape(
    members=(Member("question_id", _NAME), Member("question", _TEXT), Member("machine_generated_answers", OBJECT)),
    codes=_CODES,
)


FORMAT = Format(
    name="assessed-answers",
    label="Answers of many runs with what assessors said of them",
    source="MedAESQA (2025); TREC 2024 BioGen",
    layout='[{"question_id", "question", "machine_generated_answers": {RUN: {"answer", "answer_sentences": […]}}}]',
    record=AssessedAnswer,
    read=read_assessed_answers,
    write=write_assessed_answers,
)

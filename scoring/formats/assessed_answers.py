"""Answers of many runs with what assessors said of them, as BioGen 2024 and MedAESQA were published: one JSON list.

    [{"question_id": "116", "question": "…", "machine_generated_answers": {"RUN": {
        "answer": "…", "is_answer_accurate": "yes",
        "answer_sentences": [{"answer_sentence_id": "1", "answer_sentence": "…",
          "answer_sentence_relevance": "required",
          "citation_assessment": [
            {"cited_pmid": "12", "evidence_support": "…", "evidence_relation": "supporting"}]}]}}}]

relevance: required, borderline, unnecessary, inappropriate, or null; relation: supporting, contradicting, neutral,
"not relevant", "invalid citation", or null where nobody judged. A citation may have several rows, one a snippet.
`citation_assessment` is null for a sentence without citations. `expert_curated_answer` and further members are not
read.

Source: deepaknlp/MedAESQA; TREC 2024 BioGen, assessment file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, get_args

from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format
from scoring.json_reading import load_json
from scoring.measures.citations import Necessity, Relation
from scoring.reading import excerpt_of
from scoring.records import Issue

NECESSITIES: tuple[Necessity, ...] = get_args(Necessity)
RELATIONS: tuple[Relation, ...] = get_args(Relation)


@dataclass(frozen=True, kw_only=True, slots=True)
class Assessment:
    """One row on a citation: the snippet, if any, and what it does to the sentence (None: nobody said)."""

    docno: str
    relation: Relation | None
    snippet: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class AssessedSentence:
    """A sentence with its necessity (None: nobody said) and the rows on its citations, in the order cited."""

    number: str
    text: str
    necessity: Necessity | None = None
    citations: tuple[Assessment, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class AssessedAnswer:
    """One run's answer to one question; ``accurate`` is None where nobody said. ``where`` is its place in the file."""

    topic: str
    question: str
    run: str
    answer: str
    accurate: bool | None
    sentences: tuple[AssessedSentence, ...]
    where: str = ""


class _Flaw(Exception):
    """What is wrong at a path, in words."""

    def __init__(self, path: str, code: str, message: str) -> None:
        super().__init__(message)
        self.issue = Issue(where=path, code=code, message=message)


def read_assessed_answers(file: BinaryIO) -> Iterator[AssessedAnswer | Issue]:
    """The answers in file order; the first thing wrong with each other one."""
    value = load_json(file)
    if isinstance(value, Issue):
        yield value
        return
    if not isinstance(value, list):
        yield Issue(where="$", code="shape", message="The file must be a list of questions with their answers.")
        return
    seen: set[tuple[str, str]] = set()
    for place, question in enumerate(value):
        path = f"$[{place}]"
        try:
            topic, text = _name(question, path, "question_id"), _text(question, path, "question")
            answers = _member(question, path, "machine_generated_answers", dict)
        except _Flaw as flaw:
            yield flaw.issue
            continue
        for run, answer in answers.items():
            where = f"{path}.machine_generated_answers['{excerpt_of(run, length=60)}']"
            if (topic, run) in seen:
                yield Issue(where=where, code="duplicate", message=f"Run {run} answers question {topic} twice.")
                continue
            seen.add((topic, run))
            yield _answer(topic, text, run, answer, where)


def write_assessed_answers(records: Iterable[AssessedAnswer]) -> Iterator[str]:
    """The lines of one list, by question and run."""
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


def _answer(topic: str, question: str, run: str, value: Any, path: str) -> AssessedAnswer | Issue:
    try:
        if not run.strip() or not isinstance(value, dict):
            raise _Flaw(path, "field-type", "An answer must be an object under the name of its run.")
        sentences = _member(value, path, "answer_sentences", list)
        said = value.get("is_answer_accurate")
        if said is not None and (not isinstance(said, str) or said.strip().lower() not in ("yes", "no")):
            raise _Flaw(f"{path}.is_answer_accurate", "value", "“is_answer_accurate” must be “yes” or “no”, or null.")
        return AssessedAnswer(
            topic=topic,
            question=question,
            run=run,
            answer=_text(value, path, "answer"),
            accurate=None if said is None else said.strip().lower() == "yes",
            sentences=tuple(
                _sentence(each, f"{path}.answer_sentences[{place}]") for place, each in enumerate(sentences)
            ),
            where=path,
        )
    except _Flaw as flaw:
        return flaw.issue


def _sentence(value: Any, path: str) -> AssessedSentence:
    rows = value.get("citation_assessment") if isinstance(value, dict) else None
    if rows is not None and not isinstance(rows, list):
        raise _Flaw(f"{path}.citation_assessment", "field-type", "“citation_assessment” must be a list, or null.")
    return AssessedSentence(
        number=_name(value, path, "answer_sentence_id"),
        text=_text(value, path, "answer_sentence"),
        necessity=_choice(value, path, "answer_sentence_relevance", NECESSITIES),
        citations=tuple(
            Assessment(
                docno=_name(row, f"{path}.citation_assessment[{place}]", "cited_pmid"),
                relation=_choice(row, f"{path}.citation_assessment[{place}]", "evidence_relation", RELATIONS),
                snippet=_snippet(row),
            )
            for place, row in enumerate(rows or ())
        ),
    )


def _snippet(row: Mapping[str, Any]) -> str:
    text = row.get("evidence_support")
    return text.strip() if isinstance(text, str) else ""


def _member(value: Any, path: str, name: str, kind: type) -> Any:
    if not isinstance(value, dict) or name not in value:
        raise _Flaw(path, "missing-field", f"“{name}” is missing. Add it.")
    if not isinstance(value[name], kind):
        raise _Flaw(f"{path}.{name}", "field-type", f"“{name}” must be {'a list' if kind is list else 'an object'}.")
    return value[name]


def _name(value: Any, path: str, name: str) -> str:
    """A number or one word, as text."""
    written = value.get(name) if isinstance(value, dict) else None
    text = str(written) if isinstance(written, int) and not isinstance(written, bool) else written
    if not isinstance(text, str) or len(text.split()) != 1 or len(text) > 100:
        raise _Flaw(path, "missing-field", f"“{name}” must be a number or one word.")
    return text.strip()


def _text(value: Any, path: str, name: str) -> str:
    written = value.get(name) if isinstance(value, dict) else None
    if not isinstance(written, str):
        raise _Flaw(path, "missing-field", f"“{name}” must be text.")
    return written


def _choice(value: Any, path: str, name: str, choices: tuple[Any, ...]) -> Any:
    """One of the values, in any case, or None."""
    written = value.get(name)
    plain = written.strip().lower() if isinstance(written, str) else written
    if plain is not None and plain not in choices:
        shown = excerpt_of(str(written), length=40)
        message = f"“{name}” is “{shown}”; it must be one of: {', '.join(choices)}, or null."
        raise _Flaw(f"{path}.{name}", "value", message)
    return plain


FORMAT = Format(
    name="assessed-answers",
    label="Answers of many runs with what assessors said of them",
    source="MedAESQA (2025); TREC 2024 BioGen",
    layout='[{"question_id", "question", "machine_generated_answers": {RUN: {"answer", "answer_sentences": […]}}}]',
    record=AssessedAnswer,
    read=read_assessed_answers,
    write=write_assessed_answers,
)

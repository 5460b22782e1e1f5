"""Assessments as BioGen's organisers published them: read as runs and judgments, and written again.

Each run becomes a file of its own in the format of 2025, which keeps the sentences as they were cut. The kind of run
file "assessed" reads such files without the limits for participants.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from assess.protocol import BundledRun, CheckContext, ItemRecord, RunForm, SegmentRecord, TopicRecord
from scoring.folding import answer_key, fold_answer
from scoring.formats.assessed_answers import (
    AssessedAnswer,
    AssessedSentence,
    Assessment,
    read_assessed_answers,
    write_assessed_answers,
)
from scoring.measures.citations import Relation
from scoring.own_items import own_key
from scoring.reading.opening import CannotOpen, open_input
from scoring.records import Issue, ItemGrade, ReturnedSegment
from scoring.release.recorded_acts import Evidence, Judged, RecordedAct
from tracks.biogen2024.checks import check
from tracks.biogen2024.judging import (
    ACCURACY,
    CONTRADICTING,
    NECESSITY,
    NECESSITY_OF,
    NO,
    RELATION_OF,
    SUPPORT,
    VALUE_OF_NECESSITY,
    VALUE_OF_RELATION,
    YES,
)
from tracks.biogen2024.runs import NO_LIMIT, Sentence, read_responses, read_segments
from tracks.biogen2024.submissions import PMID

ASSESSOR, TEAM = "published", "published"
_CITATION = re.compile(r" ?\[ ?[0-9]+(?: ?, ?[0-9]+)* ?\]")
_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_FINAL = re.compile(r"[.!?…]+[\"'”’)]*\Z")


# ---------------------------------------------------------------- reading


def split_runs(paths: Sequence[Path]) -> Iterator[BundledRun | Issue]:
    """Yield each run in the files as a file of its own, in the order of their tags. Issues of the files come first. An
    answer without sentences is left out.
    """
    lines: dict[str, list[str]] = {}
    for answer in _answers(paths):
        if isinstance(answer, Issue):
            yield answer
            continue
        tag = run_tag(answer.run)
        responses = [{"text": each.text, "citations": list(each.cited)} for each in sentences_of(answer)]
        metadata = {"team_id": TEAM, "run_id": tag, "topic_id": answer.topic}
        if responses:
            line = json.dumps({"metadata": metadata, "responses": responses}, ensure_ascii=False)
            lines.setdefault(tag, []).append(line)
    for tag, found in sorted(lines.items()):
        content = "".join(line + "\n" for line in found).encode()
        form = RunForm(tag=tag, team=TEAM)
        yield BundledRun(form=form, file_name=f"{tag}.jsonl", content=content, submission="assessed")


def read_assessments(paths: Sequence[Path], context: CheckContext) -> Iterator[tuple[int | str, RecordedAct] | Issue]:
    """Yield the judgments of each answer, sentence and citation, and the issues of the files. If an item has two
    different grades, the first one counts, and a warning says so.

    If each response is judged by itself, grades of different responses are never for the same item.
    """
    is_each = context.settings.judge_each
    said: dict[tuple[str, str, str], Judged] = {}
    for answer in _answers(paths):
        if isinstance(answer, Issue):
            yield answer
            continue
        for act in _acts(answer):
            if is_each:
                act = replace(act, key=own_key(act.key, run_tag(answer.run)))
            place = (act.topic, act.criterion, act.key)
            first = said.setdefault(place, act)
            if first is act:
                yield answer.where, act
            elif (first.value, first.evidence) != (act.value, act.evidence):
                message = (
                    f"Question {act.topic}: “{act.answer[:60]}” {act.docno} was judged before, for another run, and "
                    "differently. It is judged once, so the first judgment counts."
                )
                yield Issue(where=answer.where, code="judged-differently", message=message, severity="warning")


def sentences_of(answer: AssessedAnswer) -> list[Sentence]:
    """Return the sentences of an answer, numbered anew, with the documents that each cites, each document once.

    Citations are removed from their texts. Empty sentences and citations that are no PMIDs are left out.
    """
    found: list[Sentence] = []
    for each in answer.sentences:
        if text := plain_text(each.text):
            cited = dict.fromkeys(row.docno for row in each.citations if PMID.fullmatch(row.docno))
            found.append(Sentence(number=len(found) + 1, text=text, cited=tuple(cited)))
    return found


def plain_text(text: str) -> str:
    """Return a sentence without bracketed lists of PMIDs.

    >>> plain_text("It helps [12, 34] .")
    'It helps .'
    """
    return fold_answer(_CITATION.sub("", fold_answer(text)))


def run_tag(name: str) -> str:
    """Return a valid run tag made from the name in the file.

    >>> run_tag("M7"), run_tag("my run (2)")
    ('M7', 'my_run_2_')
    """
    tag = _NAME.sub("_", name.strip())[:64]
    return tag if tag[:1].isalnum() else f"r{tag}"[:64]


def _answers(paths: Sequence[Path]) -> Iterator[AssessedAnswer | Issue]:
    seen: dict[tuple[str, str], str] = {}
    for path in paths:
        try:
            with open_input(path) as file:
                for each in read_assessed_answers(file):
                    yield _checked(each, seen)
        except CannotOpen as error:
            yield Issue(where="", code="cannot-open", message=f"{error}")


def _checked(each: AssessedAnswer | Issue, seen: dict[tuple[str, str], str]) -> AssessedAnswer | Issue:
    """Return the answer, or an issue if another run whose tag would be the same has already answered the question."""
    if isinstance(each, Issue):
        return each
    place = (each.topic, run_tag(each.run))
    if place in seen:
        message = f"The runs {seen[place]} and {each.run} both answer question {each.topic} as {place[1]}. Rename one."
        return Issue(where=each.where, code="run-twice", message=message)
    seen[place] = each.run
    return each


def _acts(answer: AssessedAnswer) -> Iterator[Judged]:
    sentences = sentences_of(answer)
    whole = " ".join(sentence.text for sentence in sentences)
    by, topic = ASSESSOR, answer.topic
    if answer.accurate is not None and whole:
        value = YES if answer.accurate else NO
        yield Judged(
            by=by, topic=topic, docno="", answer=whole, criterion=ACCURACY.key, value=value, key=answer_key(whole, "")
        )
    given = [each for each in answer.sentences if plain_text(each.text)]
    for sentence, each in zip(sentences, given, strict=True):
        if each.necessity is not None:
            value = VALUE_OF_NECESSITY[each.necessity]
            yield Judged(
                by=by,
                topic=topic,
                docno="",
                answer=sentence.text,
                criterion=NECESSITY.key,
                value=value,
                key=sentence.key,
            )
        for pmid in sentence.cited:
            rows = [row for row in each.citations if row.docno == pmid and row.relation is not None]
            if rows:
                yield Judged(
                    by=by,
                    topic=topic,
                    docno=pmid,
                    answer=sentence.text,
                    criterion=SUPPORT.key,
                    value=overall([row.relation for row in rows if row.relation is not None]),
                    key=sentence.citation_key(pmid),
                    evidence=tuple(_evidence(rows)),
                )


def _evidence(rows: Sequence[Assessment]) -> Iterator[Evidence]:
    """Yield a snippet for each row about a citation. For a row without a snippet, yield a snippet without words, but
    only if its relation differs from the citation's overall grade.
    """
    said = overall([row.relation for row in rows if row.relation is not None])
    for row in rows:
        if row.relation is not None and (row.snippet.strip() or VALUE_OF_RELATION[row.relation] != said):
            yield Evidence(quote=row.snippet.strip() and row.snippet, value=VALUE_OF_RELATION[row.relation])


def overall(relations: Iterable[Relation]) -> int:
    """Return the grade of a citation with one or more snippets: "contradicts" if any snippet contradicts, otherwise the
    highest of their grades.

    >>> overall(["supporting", "contradicting"]), overall(["neutral", "supporting"]), overall(["not relevant"])
    (3, 4, 1)
    """
    values = {VALUE_OF_RELATION[relation] for relation in relations}
    return CONTRADICTING if CONTRADICTING in values else max(values)


# ---------------------------------------------------------------- writing


@dataclass(slots=True)
class _Judged:
    """The records of a campaign, sorted for writing."""

    questions: dict[str, str] = field(default_factory=dict)
    segments: dict[tuple[str, str], list[ReturnedSegment]] = field(default_factory=dict)
    grades: dict[tuple[str, str, str], ItemGrade] = field(default_factory=dict)

    def grade(self, topic: str, criterion: str, key: str) -> ItemGrade | None:
        """Return the official grade of an item, or None."""
        return self.grades.get((topic, criterion, key))


def write_assessments(records: Iterable[object]) -> Iterator[str]:
    """Yield the lines of an assessment file. The records are a campaign's judged responses, or answers that were read
    from such a file.
    """
    judged, answers = _Judged(), []
    for record in records:
        if isinstance(record, AssessedAnswer):
            answers.append(record)
        elif isinstance(record, TopicRecord):
            judged.questions[record.number] = record.text
        elif isinstance(record, ReturnedSegment):
            judged.segments.setdefault((record.topic, record.run), []).append(record)
        elif isinstance(record, ItemGrade):
            judged.grades[record.topic, record.criterion, record.key] = record
    answers += [_assessed(judged, topic, run, found) for (topic, run), found in judged.segments.items()]
    return write_assessed_answers(answers)


def _assessed(judged: _Judged, topic: str, run: str, segments: Sequence[ReturnedSegment]) -> AssessedAnswer:
    accuracy = judged.grade(topic, ACCURACY.key, segments[0].response_key)
    return AssessedAnswer(
        topic=topic,
        question=judged.questions.get(topic, ""),
        run=run,
        answer=" ".join(cited_text(each.text, [docno for docno, _, _ in each.citations]) for each in segments),
        accurate=None if accuracy is None or accuracy.value is None else accuracy.value == YES,
        sentences=tuple(_assessed_sentence(judged, each) for each in segments),
    )


def _assessed_sentence(judged: _Judged, segment: ReturnedSegment) -> AssessedSentence:
    grade = judged.grade(segment.topic, NECESSITY.key, segment.key)
    value = grade.value if grade is not None else None
    rows: list[Assessment] = []
    for docno, _, key in segment.citations:
        rows += rows_of(docno, judged.grade(segment.topic, SUPPORT.key, key))
    return AssessedSentence(
        number=str(segment.ordinal),
        text=segment.text,
        necessity=None if value is None else NECESSITY_OF.get(value),
        citations=tuple(rows),
    )


def rows_of(docno: str, grade: ItemGrade | None) -> list[Assessment]:
    """Return the rows of an assessment file for one citation: one for each snippet. If no snippet has the citation's
    own grade, a row for that grade comes first. An unjudged citation has one row without a relation.
    """
    if grade is None or grade.value is None:
        return [Assessment(docno=docno, relation=None)]
    plain = Assessment(docno=docno, relation=RELATION_OF.get(grade.value))
    rows = [_row(plain, snippet) for snippet in grade.evidence]
    return rows if any(row.relation == plain.relation for row in rows) else [plain, *rows]


def _row(plain: Assessment, snippet: Mapping[str, object]) -> Assessment:
    value = snippet.get("value")
    relation = RELATION_OF.get(value, plain.relation) if isinstance(value, int) else plain.relation
    return replace(plain, relation=relation, snippet=str(snippet.get("quote", "")))


def cited_text(text: str, docnos: Sequence[str]) -> str:
    """Return a sentence with its citations before the final punctuation mark, as in answers of 2024.

    >>> cited_text("It helps.", ["12", "34"])
    'It helps [12, 34].'
    """
    if not docnos:
        return text
    end = found.start() if (found := _FINAL.search(text)) else len(text)
    return f"{text[:end]} [{', '.join(docnos)}]{text[end:]}"


# Runs from an assessment file: their sentences and citations are used as they were judged, without limits.


def check_assessed(file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
    """Yield an issue for each broken rule, except limits and the list of valid PMIDs, since invalid citations were
    judged.
    """
    return check(file, replace(_without_limits(context), unknown_docnos=None))


def read_assessed_segments(file: BinaryIO, context: CheckContext) -> Iterator[SegmentRecord]:
    """Yield the sentences of the run, each with all its citations."""
    return read_segments(file, _without_limits(context))


def read_assessed_responses(file: BinaryIO, context: CheckContext) -> Iterator[ItemRecord]:
    """Yield the whole answers of the run."""
    return read_responses(file, _without_limits(context))


def _without_limits(context: CheckContext) -> CheckContext:
    settings = replace(context.settings, citations_limit=NO_LIMIT, word_limit=NO_LIMIT, word_advice=NO_LIMIT)
    return replace(context, settings=settings)

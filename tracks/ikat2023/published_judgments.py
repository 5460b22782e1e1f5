"""Published judgments of iKAT: qrels of passages, and of the user's statements by two groups of assessors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assess.protocol import CheckContext, JudgmentFile
from scoring.formats.qrels import read_judged_qrels
from scoring.records import Issue
from scoring.release.recorded_acts import RecordedAct
from tracks.ikat2023.criteria import PTKB, RELEVANCE
from tracks.ikat2023.topics import statements_of

Read = Iterator[tuple[int | str, RecordedAct] | Issue]

NIST, ORGANISERS = "nist", "organisers"


def read_qrels_files(paths: Sequence[Path], context: CheckContext) -> Read:
    """Yield the grades of passages by NIST's assessors, and the issues of the files."""
    turns = {topic.number for topic in context.topics if topic.task}
    grades = {grade.value for grade in RELEVANCE.grades}
    for each in read_judged_qrels(paths, topics=turns, grades=grades):
        yield each if isinstance(each, Issue) else (each[0], replace(each[1], by=NIST, role=""))


def read_first_statements(paths: Sequence[Path], context: CheckContext) -> Read:
    """Yield NIST's assessors' judgments of the relevance of each turn's statements. These judgments count."""
    return _read_statements(paths, context, by=NIST, role="")


def read_second_statements(paths: Sequence[Path], context: CheckContext) -> Read:
    """Yield the organisers' judgments of the relevance of each turn's statements. They are used to measure
    agreement.
    """
    return _read_statements(paths, context, by=ORGANISERS, role="second")


def _read_statements(paths: Sequence[Path], context: CheckContext, *, by: str, role: str) -> Read:
    """Yield the judgments of statements. The codes of issues are those of `read_judged_qrels`, and also
    unknown-statement.
    """
    known = {topic.number: statements_of(topic) for topic in context.topics if topic.task}
    for each in read_judged_qrels(paths, topics=known, grades={grade.value for grade in PTKB.grades}):
        if isinstance(each, Issue):
            yield each
            continue
        place, act = each
        text = known[act.topic].get(act.key)
        if text is None:
            message = f"The PTKB of turn {act.topic} has no statement {act.key[:40]}. Correct its id."
            yield Issue(where=place, code="unknown-statement", message=message)
        else:
            yield place, replace(act, by=by, role=role, criterion=PTKB.key, docno="", answer=text)


JUDGMENT_FILES = (
    JudgmentFile(
        key="qrels",
        label="Qrels",
        help="Grades of passages, 0 to 4: turn 0 passage grade.",
        file_names=("qrels*.txt",),
        read=read_qrels_files,
    ),
    JudgmentFile(
        key="ptkb",
        label="PTKB judgments",
        help="Statements about the user, relevant (1) or not (0), that count: turn 0 statement grade.",
        file_names=("ptkb_rel_nist*", "ptkb_qrels.txt"),
        read=read_first_statements,
    ),
    JudgmentFile(
        key="ptkb-second",
        label="PTKB judgments of a second group",
        help="The same by a second group of assessors, for agreement.",
        file_names=("ptkb_rel_org*", "ptkb_qrels_second.txt"),
        read=read_second_statements,
    ),
)

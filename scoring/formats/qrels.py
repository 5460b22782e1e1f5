"""Relevance judgments as TREC publishes them (trec.nist.gov/data/qrels_eng).

    topic iteration docno grade          301 0 FR940202-2-00150 1

Any white space between columns. Grades are whole numbers; -1 means pooled and unjudged, and a document that is
absent was not pooled. A document judged twice for a topic is an error, as in trec_eval.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from scoring.formats.columns import columns_issue, duplicate_issue, short, value_issue, whole
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format
from scoring.reading import text_lines
from scoring.records import Issue, Qrel
from scoring.sorting import sorted_externally

LAYOUT = "topic iteration docno grade"


def read_qrels(file: BinaryIO) -> Iterator[Qrel | Issue]:
    """The judgments in file order; an issue for each line that is none or judges a document again."""
    return (each if isinstance(each, Issue) else each[1] for each in read_numbered_qrels(file))


def read_subtopic_qrels(file: BinaryIO) -> Iterator[Qrel | Issue]:
    """The judgments of parts of topics: the second column is the subtopic, and a document may have a line for each."""
    return (each if isinstance(each, Issue) else each[1] for each in read_numbered_qrels(file, subtopics=True))


def read_numbered_qrels(file: BinaryIO, *, subtopics: bool = False) -> Iterator[tuple[int, Qrel] | Issue]:
    """The same with the numbers of their lines."""
    judged: dict[str, set[str]] = {}
    for line in text_lines(file):
        if isinstance(line, Issue):
            yield line
            continue
        number, text = line
        columns = text.split()
        if not columns:
            continue
        record = _qrel(number, text, columns)
        if isinstance(record, Issue):
            yield record
            continue
        seen = judged.setdefault(record.topic, set())
        name = f"{record.iteration} {record.docno}" if subtopics else record.docno
        if name in seen:
            yield duplicate_issue(number, text, f"Document {short(record.docno)} of topic {short(record.topic)}")
            continue
        seen.add(name)
        yield number, record


def write_qrels(records: Iterable[Qrel]) -> Iterator[str]:
    """Lines by topic and docno."""
    rows = ((topic_order(r.topic), r.docno, r.iteration, r.grade, r.topic) for r in records)
    for _, docno, iteration, grade, topic in sorted_externally(rows):
        yield f"{topic} {iteration} {docno} {grade}"


def _qrel(number: int, text: str, columns: list[str]) -> Qrel | Issue:
    if len(columns) != 4:
        return columns_issue(number, text, LAYOUT, len(columns))
    topic, iteration, docno, written = columns
    grade = whole(written)
    if grade is None:
        return value_issue(number, text, f"The grade is {short(written)}; it must be a whole number.")
    return Qrel(topic=topic, docno=docno, grade=grade, iteration=iteration)


FORMAT = Format(
    name="qrels",
    label="TREC qrels",
    source="trec.nist.gov/data/qrels_eng",
    layout=LAYOUT,
    record=Qrel,
    read=read_qrels,
    write=write_qrels,
)

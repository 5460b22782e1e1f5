"""The files that an iKAT campaign exports: those that NIST and the organisers published, and further ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assess.protocol import RECORDED_JUDGMENTS, Export
from scoring.formats.grades import read_response_grades, write_response_grades
from scoring.formats.pool_tables import topic_order
from scoring.formats.qrels import read_graded_qrels, write_graded_qrels
from scoring.reading.sorting import sorted_externally
from scoring.records import ItemGrade
from tracks.ikat2023.criteria import OF_RESPONSES, PTKB, RELEVANCE
from tracks.ikat2023.runs import PASSAGE, RESPONSE
from tracks.ikat2023.topics import STATEMENT, read_topics, write_topics


def write_by_number(records: Iterable[ItemGrade]) -> Iterator[str]:
    """Yield qrels with the statements of a turn in numerical order, 2 before 10, as in the organisers' file."""
    for record in sorted_externally(records, key=lambda record: (topic_order(record.topic), topic_order(record.key))):
        yield from write_graded_qrels([record])


EXPORTS = (
    Export(
        name="topics.json",
        label="Dialogues in the shape in which they were released",
        collect="topics",
        write=write_topics,
        read=read_topics,
    ),
    Export(
        name="qrels.txt",
        label="Grades of the pooled passages: turn 0 passage grade",
        collect="grades",
        write=write_graded_qrels,
        read=read_graded_qrels,
        options={"kind": PASSAGE, "criteria": (RELEVANCE.key,), "unjudged": True},
    ),
    Export(
        name="ptkb_qrels.txt",
        label="Statements about the user, as NIST's file has them: turn 0 statement grade",
        collect="grades",
        write=write_graded_qrels,
        read=read_graded_qrels,
        options={"kind": STATEMENT, "criteria": (PTKB.key,)},
    ),
    Export(
        name="ptkb_qrels_second.txt",
        label="The same by the second group of assessors, as the organisers' file has them",
        collect="grades",
        write=write_by_number,
        read=read_graded_qrels,
        options={"kind": STATEMENT, "criteria": (PTKB.key,), "role": "second"},
    ),
    Export(
        name="responses.tsv",
        label="Grades of whole responses: turn key criterion grade text",
        collect="grades",
        write=write_response_grades,
        read=read_response_grades,
        options={"kind": RESPONSE, "criteria": tuple(criterion.key for criterion in OF_RESPONSES)},
    ),
    RECORDED_JUDGMENTS,
)

"""The files that a BioGen campaign exports, each written and read back in the same format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from assess.protocol import RECORDED_JUDGMENTS, Export
from scoring.folding import answer_key
from scoring.formats.answer_clusters import AnswerCluster, read_answer_clusters, write_answer_clusters
from scoring.formats.assessed_answers import read_assessed_answers
from scoring.formats.grades import read_item_grades, write_item_grades
from scoring.formats.pool_tables import read_answer_classes, write_answer_classes
from scoring.records import InstanceJudgment, ItemGrade, ReturnedSegment
from tracks.biogen2024.gold import CLUSTERS, DISTRIBUTED_TOPICS, TOPICS, relations_of
from tracks.biogen2024.judging import SUPPORT, read_aspects, write_aspects
from tracks.biogen2024.published_judgments import write_assessments
from tracks.biogen2024.runs import ANSWER, CITATION, SENTENCE
from tracks.biogen2024.topics import read_topics, write_distributed, write_topics


def write_clusters(records: Iterable[Any]) -> Iterator[str]:
    """Yield the lines of a cluster file. The records are a campaign's aspects and runs, or clusters that were read from
    such a file.

    A cluster of the strictness "supported" holds only sentences that a citation in the same run supports; a cluster
    without any is left out. Assessors group only required sentences, so no cluster contains borderline ones.
    """
    clusters: list[AnswerCluster] = []
    segments: list[ReturnedSegment] = []
    supporting: set[tuple[str, str]] = set()
    aspects: dict[tuple[str, str], list[str]] = {}
    for record in records:
        if isinstance(record, AnswerCluster):
            clusters.append(record)
        elif isinstance(record, ReturnedSegment):
            segments.append(record)
        elif isinstance(record, ItemGrade) and record.criterion == SUPPORT.key:
            if "supporting" in relations_of(record):
                supporting.add((record.topic, record.key))
        elif isinstance(record, InstanceJudgment) and record.answer_class:
            sentence = (record.topic, record.key or answer_key(record.text, record.docno))
            aspects.setdefault(sentence, []).append(record.answer_class)
    clusters += _clusters(segments, supporting, aspects)
    return write_answer_clusters(clusters)


def _clusters(
    segments: Iterable[ReturnedSegment],
    supporting: set[tuple[str, str]],
    aspects: dict[tuple[str, str], list[str]],
) -> Iterator[AnswerCluster]:
    members: dict[tuple[str, Any, str], dict[tuple[str, str], None]] = {}
    for segment in segments:
        is_supported = any((segment.topic, key) in supporting for _, _, key in segment.citations)
        for aspect in aspects.get((segment.topic, segment.key), ()):
            for strictness in ("supported", "required") if is_supported else ("required",):
                sentence = (segment.run, str(segment.ordinal))
                members.setdefault((segment.topic, strictness, aspect), {})[sentence] = None
    for (topic, strictness, aspect), found in members.items():
        yield AnswerCluster(topic=topic, strictness=strictness, cluster=aspect, sentences=tuple(found))


def _grades(name: str, label: str, kind: str) -> Export:
    return Export(
        name=name,
        label=label,
        collect="grades",
        options={"kind": kind},
        write=write_item_grades,
        read=read_item_grades,
    )


EXPORTS = (
    Export(
        name=TOPICS,
        label="Questions, one object a line, as the specification has them",
        collect="topics",
        write=write_topics,
        read=read_topics,
    ),
    Export(
        name=DISTRIBUTED_TOPICS,
        label="Questions as one object, as the organisers handed them out",
        collect="topics",
        write=write_distributed,
        read=read_topics,
    ),
    _grades("answers.jsonl", "Whole answers: accurate or not", ANSWER),
    _grades("sentences.jsonl", "Sentences: required, borderline, unnecessary or inappropriate", SENTENCE),
    _grades("citations.jsonl", "Citations: what each abstract does to its sentence, with the snippets", CITATION),
    Export(
        name="aspects.tsv",
        label="Required sentences by aspect: topic answer-class sentence",
        collect="instance_judgments",
        write=write_aspects,
        read=read_aspects,
    ),
    Export(
        name="answer-classes.tsv",
        label="Aspects: topic key found-by label",
        collect="answer_classes",
        write=write_answer_classes,
        read=read_answer_classes,
    ),
    Export(
        name="assessments.json",
        label="All runs with everything said of them, as the organisers published it",
        collect="judged_responses",
        options={"kinds": (ANSWER, SENTENCE, CITATION)},
        write=write_assessments,
        read=read_assessed_answers,
    ),
    Export(
        name=CLUSTERS,
        label="Sentences of all runs by aspect, as the organisers published clusters",
        collect="judged_responses",
        options={"kinds": (CITATION,), "classes": True},
        write=write_clusters,
        read=read_answer_clusters,
    ),
    RECORDED_JUDGMENTS,
)

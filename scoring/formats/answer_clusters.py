"""Reads and writes clusters: sentences of answers grouped into aspects of a topic, as BioGen's organisers published
them.

    {"116": {"required_answer_sentences_cluster": {"7": [{"answer_sentence_id": "M26-2"}, …]}}}

The levels are topic -> strictness -> cluster -> sentences; "M26-2" is sentence 2 of run M26. Each strictness has its
own clustering, and a sentence may be in only one cluster of a clustering.

Source: MedAESQA (Gupta, Bartels and Demner-Fushman 2025), cluster files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Literal, get_args

from scoring.file_kinds import JSON, reads
from scoring.formats.json_members import Kind
from scoring.formats.member_reports import Report
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format
from scoring.formats.unused_members import UnusedMembers
from scoring.reading.json_reading import load_json
from scoring.reading.opening import excerpt_of
from scoring.records import Issue

Strictness = Literal["supported", "required", "borderline"]
STRICTNESSES: tuple[Strictness, ...] = get_args(Strictness)
NAMES: dict[Strictness, str] = {
    "supported": "supported_required_answer_sentences_cluster",
    "required": "required_answer_sentences_cluster",
    "borderline": "required_and_borderline_answer_sentences_cluster",
}
_BY_NAME = {name: strictness for strictness, name in NAMES.items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerCluster:
    """An aspect of a topic with the sentences that state it. A sentence is (run, its number in the run's answer)."""

    topic: str
    strictness: Strictness
    cluster: str
    sentences: tuple[tuple[str, str], ...]


@reads("assessments", forms=JSON)
def read_answer_clusters(file: BinaryIO) -> Iterator[AnswerCluster | Issue]:
    """Yield the clusters in file order, and an issue for each place where a cluster is malformed."""
    value = load_json(file)
    if isinstance(value, Issue):
        yield value
        return
    report, unused = Report(), UnusedMembers()
    for topic, levels in (_FILE.read(value, report, ()) or {}).items():
        for name, clusters in (_TOPIC.read(levels, report, (topic,)) or {}).items():
            if name not in _BY_NAME:
                message = f"“{excerpt_of(name, length=60)}” is not known. Known: {', '.join(_BY_NAME)}."
                report.say((topic, name), "unknown-field", message)
            elif _CLUSTERING.read(clusters, report, (topic, name)) is not None:
                yield from _clusters(topic, name, clusters, report, unused)
            yield from report.flush()
        yield from report.flush()
    yield from (*report.flush(), *unused.issues())


def write_answer_clusters(records: Iterable[AnswerCluster]) -> Iterator[str]:
    """Yield the lines of one JSON object, with topics, clusters and sentences sorted by number."""
    topics: dict[str, dict[str, dict[str, list[dict[str, str]]]]] = {}
    for r in sorted(records, key=lambda r: (topic_order(r.topic), STRICTNESSES.index(r.strictness), _order(r.cluster))):
        members = [f"{run}-{number}" for run, number in sorted(r.sentences, key=lambda s: (_order(s[0]), _order(s[1])))]
        levels = topics.setdefault(r.topic, {}).setdefault(NAMES[r.strictness], {})
        levels[r.cluster] = [{"answer_sentence_id": member} for member in members]
    yield from json.dumps(topics, ensure_ascii=False, indent=1).split("\n")


def _order(name: str) -> Any:
    return topic_order(name)


def _clusters(
    topic: str, name: str, clusters: dict[str, Any], report: Report, unused: UnusedMembers
) -> Iterator[AnswerCluster | Issue]:
    seen: set[tuple[str, str]] = set()
    for cluster, members in clusters.items():
        inside = (topic, name, cluster)
        if _CLUSTER.read(members, report, inside) is None:
            yield from report.flush()
            continue
        found = []
        for place, member in enumerate(members):
            sentence = _SENTENCE.read(member, report, (*inside, place))
            unused.look(member if isinstance(member, dict) else {}, _USED)
            if sentence in seen:
                message = f"{excerpt_of('-'.join(sentence), length=60)} stands in this clustering already."
                report.say((*inside, place), "duplicate", message)
            elif sentence is not None:
                seen.add(sentence)
                found.append(sentence)
        yield from report.flush()
        yield AnswerCluster(topic=topic, strictness=_BY_NAME[name], cluster=cluster, sentences=tuple(found))


_USED = frozenset({"answer_sentence_id"})


def _sentence(member: Any) -> tuple[str, str]:
    written = member.get("answer_sentence_id") if isinstance(member, dict) else member
    run, dash, number = written.rpartition("-") if isinstance(written, str) else ("", "", "")
    if not (dash and run and number):
        raise ValueError
    return run, number


_FILE = Kind(
    wanted="one object", types=(dict,), code="shape",
    sentence="The file must be one object: topic -> strictness -> cluster -> sentences.",
)  # fmt: skip
_TOPIC = Kind(
    wanted="an object", types=(dict,), code="field-type",
    sentence="A topic must be an object: strictness -> clusters.",
)  # fmt: skip
_CLUSTERING = replace(_TOPIC, sentence="A clustering must be an object: cluster -> sentences.")
_CLUSTER = Kind(wanted="a list", types=(list,), code="field-type", sentence="A cluster must be a list of sentences.")
_SENTENCE = Kind(
    wanted="a sentence", types=(dict, str), make=_sentence, code="sentence",
    sentence='Write each sentence as {"answer_sentence_id": "RUN-NUMBER"}.',
)  # fmt: skip


FORMAT = Format(
    name="answer-clusters",
    label="Sentences of answers grouped into aspects",
    source="MedAESQA (2025); TREC BioGen 2024",
    layout='{"topic": {"required_answer_sentences_cluster": {"7": [{"answer_sentence_id": "RUN-NUMBER"}]}}}',
    record=AnswerCluster,
    read=read_answer_clusters,
    write=write_answer_clusters,
)

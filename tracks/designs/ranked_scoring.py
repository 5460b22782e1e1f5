"""The scores of designs whose runs rank documents: every measure by the gains of the question that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from assess.protocol import Explain, MeasureColumn, RunContent, Scoring
from scoring.explained import Node, Nodes, explained_by, scores_of
from scoring.formats.grades import read_item_grades
from scoring.formats.pool_tables import topic_order
from scoring.formats.qrels import KIND, read_graded_qrels
from scoring.measures.ranked import Rankings
from scoring.measures.ranked_explained import JudgedTopics, ranking_nodes
from scoring.packed_grades import PackedGrades
from scoring.records import Issue, Score
from tracks.designs.exported_files import exported_files
from tracks.designs.gains import averaged, gains_of, gold_question, graded_questions, in_units, unit_of
from tracks.designs.own_measures import own_mean, own_node
from tracks.designs.shape import Design, MeasureLine, Question
from tracks.input_files import GoldKind, file_issue, read_gold_file, told_by_content
from tracks.installed import installed_measures
from tracks.ranked_runs import doubts_of_run

MEASURES = ("nDCG@10", "AP", "P@10", "RR", "R@1000", "Bpref", "Judged@10")
"""Of a design that names none."""

Gold = Mapping[str, JudgedTopics]
"""Question -> topic -> docno -> gain."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """A measure of the design: what it is called, of which question, and from which gain on a document is relevant.

    ``level`` is counted as gains are, in so many parts of one (``unit``).
    """

    label: str
    measure: str
    question: str
    level: int
    unit: int = 1


def ranked_scoring(design: Design) -> Scoring:
    """How the exported grades and the rankings become scores."""
    asked = {question.key: question for question in graded_questions(design)}
    files = exported_files(design)
    columns = _columns(design)
    return Scoring(
        measures=tuple(
            MeasureColumn(key=each.label, label=each.label, help=_help(each), official=each.label == _official(design))
            for each in columns
        ),
        gold_files=tuple(files.values()),
        build=partial(_build, design, asked, files),
        load=partial(_load, design, asked, files),
        score=partial(_score, columns),
        explain=partial(_explain, columns),
        told=partial(_told, design, files),
        doubts=_doubts,
    )


def _columns(design: Design) -> list[Column]:
    gold = gold_question(design)
    columns = []
    for line in design.scores.measures or MEASURES:
        said = line if isinstance(line, MeasureLine) else MeasureLine(measure=line)
        level = design.scores.relevant_from if said.relevant_from is None else said.relevant_from
        question = said.question or (gold.key if gold is not None else "")
        unit = unit_of(design, question)
        columns.append(
            Column(
                label=said.label or said.measure,
                measure=said.measure,
                question=question,
                level=round(level * unit),
                unit=unit,
            )
        )
    return columns


def _official(design: Design) -> str:
    return design.scores.official or _columns(design)[0].label


def _help(column: Column) -> str:
    return (
        f"{column.measure} by the gains of {column.question}; relevant from a gain of {column.level / column.unit:g}."
    )


Files = Mapping[str, str]
Report = Callable[[Issue], None]


def _build(
    design: Design,
    asked: Mapping[str, Question],
    files: Files,
    records: Mapping[str, Iterable[Any]],
    settings: Any,
    report: Report,
) -> Gold:
    """The gains of every question; -1 where a pooled document was not judged. A value that is no grade is an issue.

    Where the grades of several people count, a document has the mean of their gains.
    """
    del settings
    gold = {}
    for key, name in files.items():
        gains, packed, strange = gains_of(design, asked[key]), PackedGrades(), set[int]()
        unit = unit_of(design, key)
        several = dict[tuple[str, str], list[int]]()
        for record in records.get(name, ()):
            if record.value is not None and record.value not in gains and record.value not in strange:
                strange.add(record.value)
                message = f"topic {record.topic[:40]}: {record.value} is no value of the question {key}."
                report(file_issue(name, "grade", message))
            gain = -1 if record.value is None else round(gains.get(record.value, 0) * unit)
            if key in averaged(design):
                several.setdefault((record.topic, record.key), []).append(gain)
            else:
                packed.add(record.topic, record.key, gain)
        for (topic, docno), gains_of_each in several.items():
            packed.add(topic, docno, round(Fraction(sum(gains_of_each), len(gains_of_each))))
        gold[key] = JudgedTopics(packed)
    return gold


def _load(
    design: Design,
    asked: Mapping[str, Question],
    files: Files,
    paths: Mapping[str, Path],
    settings: Any,
    report: Report,
) -> Gold:
    """The same from files, by their names; of a design with one question any one file of qrels."""
    named = {name: path for name, path in paths.items() if name in files.values()}
    if not named and len(files) == 1 and len(paths) == 1:
        named = dict(zip(files.values(), paths.values(), strict=True))
    if not named:
        report(file_issue("", "qrels", f"Give the files of qrels: {', '.join(files.values())}."))
        return {key: JudgedTopics(PackedGrades()) for key in files}
    lists = {files[key] for key in averaged(design)}
    records = {
        name: read_gold_file(name, path, read_item_grades if name in lists else read_graded_qrels, report)
        for name, path in named.items()
    }
    return _build(design, asked, files, records, settings, report)


def _told(design: Design, files: Files, name: str, path: Path) -> str:
    if name in files.values():
        return name
    lists = [GoldKind(name=files[key], read=read_item_grades, fits=partial(_is_of, key)) for key in averaged(design)]
    return told_by_content(path, [GoldKind(name="qrels.txt", read=read_graded_qrels), *lists])


def _is_of(question: str, grade: Any) -> bool:
    return bool(grade.criterion == question)


def _score(columns: Sequence[Column], gold: Gold, run: str, content: RunContent, settings: Any) -> Iterator[Score]:
    return scores_of([_nodes(columns, gold, content, settings)], run=run)


def _doubts(gold: Gold, content: RunContent, run: str) -> Iterator[Issue]:
    """A warning where no document of the run is judged by the first question that has judgments."""
    if judged := next((grades for grades in gold.values() if grades), None):
        yield from doubts_of_run(judged, content, run)


def _explain(columns: Sequence[Column], gold: Gold, run: str, content: RunContent, settings: Any) -> Explain:
    return explained_by([_nodes(columns, gold, content, settings)], run=run)


def _nodes(columns: Sequence[Column], gold: Gold, content: RunContent, settings: Any) -> Nodes:
    """Every measure of every topic in the order of the design's measures."""
    rankings = content.rankings(KIND)
    nodes: dict[str, dict[str, Any]] = {}
    for question, level in dict.fromkeys((each.question, each.level) for each in columns):
        own = {
            each.measure: each.label
            for each in columns
            if (each.question, each.level) == (question, level) and each.measure not in installed_measures()
        }
        found = ranking_nodes(
            gold[question],
            rankings,
            list(own),
            level=level,
            complete=settings.all_topics,
            kind=KIND,
            called=own.__getitem__,
        )
        for topic, of_topic in found.items():
            nodes.setdefault(topic, {}).update(of_topic)
    for column in columns:
        if column.measure in installed_measures():
            for topic, node in _installed(column, gold[column.question], rankings, settings).items():
                nodes.setdefault(topic, {})[column.label] = node
    labels = [each.label for each in columns]
    for column in (each for each in columns if each.unit != 1):
        for of_topic in nodes.values():
            if column.label in of_topic:
                of_topic[column.label] = in_units(of_topic[column.label], column.unit)
    ordered = [topic for topic in nodes if topic != "all"] + ["all"] * ("all" in nodes)
    return {topic: {label: nodes[topic][label] for label in labels if label in nodes[topic]} for topic in ordered}


def _installed(column: Column, gold: JudgedTopics, rankings: Rankings, settings: Any) -> dict[str, Node]:
    """The values of one run by a measure that another package brings, and their mean."""
    found = {}
    for topic in sorted(gold.judged, key=topic_order):
        if settings.all_topics or topic in rankings:
            gains = {docno: float(gain) for docno, gain in gold[topic].items() if gain >= 0}
            found[topic] = own_node(
                column.measure,
                label=column.label,
                topic=topic,
                kind=KIND,
                returned=[(docno, gains.get(docno)) for docno in rankings.get(topic, {})],
                judged=list(gains.values()),
            )
    return {**found, "all": own_mean(column.label, found)}

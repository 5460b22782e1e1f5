"""Score designs with ranked runs, each measure by the gains of the question that it names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

from assess.protocol import ByTopic, Explain, MeasureColumn, RunContent, Scoring
from scoring.formats.grades import read_item_grades
from scoring.formats.pool_tables import topic_order
from scoring.formats.qrels import KIND, read_graded_qrels
from scoring.measures.ranked import Rankings
from scoring.measures.ranked_explained import ALL, JudgedTopics, over_topics, ranking_nodes
from scoring.reading.packed_grades import PackedGrades
from scoring.reading.unpacking import plain_name
from scoring.records import Issue, ItemGrade, Score
from scoring.release.explained import Node, Nodes, Values, explained_by, scores_of, values_by
from tracks.designs.exported_files import exported_files
from tracks.designs.gains import averaged, gains_of, gold_question, graded_questions, in_units, unit_of
from tracks.designs.own_measures import own_mean, own_node
from tracks.designs.question_rules import scales_of
from tracks.designs.ranked_form import highest_grade
from tracks.designs.shape import Design, MeasureLine, Question
from tracks.input_files import GoldKind, Reader, by_name, file_issue, kind_by_content, load_records, read_gold_file
from tracks.installed import installed_measures
from tracks.ranked_runs import doubts_of_run

MEASURES = ("nDCG@10", "AP", "P@10", "RR", "R@1000", "Bpref", "Judged@10")
"""The measures of a design that names none."""

Gold = Mapping[str, JudgedTopics]
"""Gains by question, topic and docno."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """A measure of the design: its label, its question, and the least gain of a relevant document.

    Gains are multiplied by ``unit``. If ``bound`` is None, each campaign sets it.
    """

    label: str
    measure: str
    question: str
    help: str
    bound: float | None
    unit: int = 1

    def level(self, settings: Any) -> int:
        """Return the bound as a whole number, multiplied by the same factor as the gains."""
        bound = settings.relevant_from if self.bound is None else self.bound
        return ceil(Fraction(str(bound)) * self.unit)


def ranked_scoring(design: Design) -> Scoring:
    """Return the scoring that computes scores from the exported grades and the rankings."""
    asked = {question.key: question for question in graded_questions(design)}
    files = exported_files(design)
    columns = _columns(design)
    official = design.scores.official or (columns[0].label if columns else "")
    return Scoring(
        measures=tuple(
            MeasureColumn(key=each.label, label=each.label, help=each.help, official=each.label == official)
            for each in columns
        ),
        gold_files=tuple(files.values()),
        build=partial(_build, design, asked, files),
        load=partial(_load, design, asked, files),
        score=partial(_score, columns),
        explain=partial(_explain, columns),
        explore=("relevant_from",) if design.scores.relevant_from_setting else (),
        by_topic=ByTopic(topics=partial(_topic_nodes, columns), over=partial(_over_topics, columns)),
        gold_name=partial(_gold_name, design, files),
        doubts=_doubts,
    )


def _columns(design: Design) -> list[Column]:
    gold = gold_question(design)
    columns = []
    for line in design.scores.measures or MEASURES:
        said = line if isinstance(line, MeasureLine) else MeasureLine(measure=line)
        usual = None if design.scores.relevant_from_setting else design.scores.relevant_from
        bound = usual if said.relevant_from is None else said.relevant_from
        question = said.question or (gold.key if gold is not None else "")
        above = f"relevant from {'the gain that is set' if bound is None else f'a gain of {bound:g}'}"
        columns.append(
            Column(
                label=said.label or said.measure,
                measure=said.measure,
                question=question,
                help=f"{said.measure} by the gains of {question}; {above}.",
                bound=bound,
                unit=unit_of(design, question),
            )
        )
    return columns


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
    """Return the gains for each question. A pooled document that nobody judged has -1. Values that are not grades are
    reported and count 0.

    If the grades of several people count, a document has the mean of their gains.
    """
    gold = {}
    for key, name in files.items():
        unit, packed, strange = unit_of(design, key), PackedGrades(), set[int]()
        gains = gains_of(design, asked[key], highest_grade(settings))
        in_parts = {value: round(gain * unit) for value, gain in gains.items()}
        several, is_averaged = dict[tuple[str, str], list[int]](), key in averaged(design)
        for record in records.get(name, ()):
            if record.value is not None and record.value not in in_parts and record.value not in strange:
                strange.add(record.value)
                report(file_issue(name, "grade", _no_grade(asked[key], record, settings)))
            gain = -1 if record.value is None else in_parts.get(record.value, 0)
            if is_averaged:
                several.setdefault((record.topic, record.key), []).append(gain)
            else:
                packed.add(record.topic, record.key, gain)
        for (topic, docno), gains_of_each in several.items():
            packed.add(topic, docno, round(Fraction(sum(gains_of_each), len(gains_of_each))))
        gold[key] = JudgedTopics(packed)
    return gold


def _no_grade(question: Question, record: ItemGrade, settings: Any) -> str:
    """Return a sentence that says why a value is not on the scale."""
    if not question.scales:
        return f"topic {record.topic[:40]}: {record.value} is no value of the question {question.key}."
    return (
        f"topic {record.topic[:40]}, document {record.docno[:80]}: {record.value} is no grade here; the scale is 0 to "
        f"{settings.highest_grade}. Set highest_grade, which is {max(scales_of(question))} at most, or correct it; -1 "
        "says that nobody judged."
    )


def _load(
    design: Design,
    asked: Mapping[str, Question],
    files: Files,
    paths: Mapping[str, Path],
    settings: Any,
    report: Report,
) -> Gold:
    """Return the gains in gold files, which are found by their names. A design with only one question accepts any
    single file of qrels. If there is no file that can be taken, an error is reported, and there are no gains.
    """
    lists = {files[key] for key in averaged(design)}
    readers: dict[str, Reader] = {
        name: read_item_grades if name in lists else read_graded_qrels for name in files.values()
    }
    if len(files) > 1:
        records = load_records(paths, by_name(readers), report)
    else:
        known = [name for name in paths if plain_name(name) in readers]
        like = [] if lists else [name for name in paths if name in known or _is_called_qrels(name)]
        one = like or known or [*paths]
        records = {
            name: read_gold_file("", paths[one[0]], read, report) for name, read in readers.items() if len(one) == 1
        }
    if not records:
        some = ", ".join(files.values())
        wanted = f"Give the files of qrels: {some}." if len(files) > 1 else f"Give one file of qrels, such as {some}."
        report(file_issue("", "qrels", wanted))
        return {key: JudgedTopics(PackedGrades()) for key in files}
    return _build(design, asked, files, records, settings, report)


def _is_called_qrels(name: str) -> bool:
    return name.startswith("qrels") or ".qrels" in name


def _gold_name(design: Design, files: Files, name: str, path: Path) -> str:
    """Return the name of a gold file if it is a known name. Otherwise return the name for the kind of gold file that
    its content fits.
    """
    if name in files.values() or (len(files) == 1 and not averaged(design) and _is_called_qrels(name)):
        return name
    lists = [GoldKind(name=files[key], read=read_item_grades, fits=partial(_is_of, key)) for key in averaged(design)]
    return kind_by_content(path, [GoldKind(name="qrels.txt", read=read_graded_qrels), *lists])


def _is_of(question: str, grade: Any) -> bool:
    return bool(grade.criterion == question)


def _score(columns: Sequence[Column], gold: Gold, run: str, content: RunContent, settings: Any) -> Iterator[Score]:
    return scores_of([_nodes(columns, gold, content, settings)], run=run)


def _doubts(gold: Gold, content: RunContent, run: str) -> Iterator[Issue]:
    """Yield a warning if no document of the run is judged on the first question that has judgments."""
    if judged := next((grades for grades in gold.values() if grades), None):
        yield from doubts_of_run(judged, content, run)


def _explain(columns: Sequence[Column], gold: Gold, run: str, content: RunContent, settings: Any) -> Explain:
    return explained_by([_nodes(columns, gold, content, settings)], run=run)


def _nodes(columns: Sequence[Column], gold: Gold, content: RunContent, settings: Any) -> Nodes:
    """Return the value of each measure for each topic, in the order of the design's measures."""
    rankings = content.rankings(KIND)
    nodes: dict[str, dict[str, Any]] = {}
    for (question, level, _), own in _computed_together(columns, settings).items():
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
    ordered = [topic for topic in nodes if topic != ALL] + [ALL] * (ALL in nodes)
    return {topic: {label: nodes[topic][label] for label in labels if label in nodes[topic]} for topic in ordered}


def _computed_together(columns: Sequence[Column], settings: Any) -> dict[tuple[str, int, int], dict[str, str]]:
    """Return groups of measures that can be computed in one call, because they have the same question and level. A
    measure that occurs twice for the same question and level is in two groups.

    Each group maps measures to their labels.
    """
    found: dict[tuple[str, int, int], dict[str, str]] = {}
    came: Counter[tuple[str, int, str]] = Counter()
    for each in columns:
        if each.measure not in installed_measures():
            question, level = each.question, each.level(settings)
            before = came[question, level, each.measure]
            found.setdefault((question, level, before), {})[each.measure] = each.label
            came[question, level, each.measure] += 1
    return found


def _installed(column: Column, gold: JudgedTopics, rankings: Rankings, settings: Any) -> dict[str, Node]:
    """Return a run's value for each topic, and the mean, by a measure that another package installed."""
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
    return {**found, ALL: own_mean(column.label, {topic: node.value for topic, node in found.items()})}


# ---------------------------------------------------------------- topic by topic


def _topic_nodes(
    columns: Sequence[Column], gold: Gold, content: RunContent, settings: Any, only: Collection[str] | None = None
) -> Nodes:
    """Return the values of a run for the topics in ``only``. ``gold`` contains these topics."""
    nodes = _nodes(columns, gold, content, settings)
    return {topic: found for topic, found in nodes.items() if topic != ALL and (only is None or topic in only)}


def _over_topics(columns: Sequence[Column], gold: Gold, values: Values, settings: Any) -> Sequence[Nodes]:
    """Return, for each measure, the mean of a run's values over the topics that its question has judgments of, or their
    sum.
    """
    del gold, settings
    means = {}
    for each in columns:
        found = values_by(each.label, values)
        if each.measure in installed_measures():
            node = own_mean(each.label, found)
        else:
            node = over_topics(each.measure, found, called=each.label)
        means[each.label] = node if each.unit == 1 else in_units(node, each.unit)
    return [{ALL: means}]

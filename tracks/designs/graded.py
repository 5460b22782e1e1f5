"""Say which measures and exports the graded questions of a design have, and make its scoring of them.

These are the designs whose runs are no rankings; the values themselves are computed in `graded_values`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from assess.protocol import Explain, Export, MeasureColumn, RunContent, Scoring, TopicRecord, by_question
from scoring.formats.grades import read_item_grades, write_item_grades
from scoring.formats.pool_tables import topic_order
from scoring.formats.report_verdicts import ReportVerdict, read_verdicts, write_verdicts
from scoring.measures.graded_items import CITED
from scoring.records import Issue, ReturnedSegment, Score
from scoring.release.explained import Nodes, explained_by, scores_of
from tracks.designs.exported_files import exported_files, rows_file
from tracks.designs.gains import averaged, gains_of, gold_question
from tracks.designs.graded_values import Gold, GradedColumn, over_topics, run_nodes
from tracks.designs.judged_items import CITATION, ITEM, OF_NUGGETS, item_kind
from tracks.designs.question_rules import grades_of
from tracks.designs.shape import Design, GradeStage, MeasureLine, Question
from tracks.input_files import GoldKind, by_name, file_issue, kind_by_content, load_records


def questions_of(design: Design) -> dict[str, tuple[Question, str]]:
    """Return the design's graded questions by key, each with the kind of items that it is about."""
    return {
        question.key: (question, item_kind(design, stage))
        for stage in design.stages
        if isinstance(stage, GradeStage)
        for question in stage.questions
        if question.answer == "grade"
    }


def graded_exports(design: Design) -> tuple[Export, ...]:
    """Return the exports of the grades of each question. If rows have names, also return the exports of the grades of
    each system's rows.
    """
    files = exported_files(design)
    of_rows = [_rows_export(design, question) for question, _ in questions_of(design).values()]
    return *_grade_exports(design, files), *(each for each in of_rows if each is not None)


def _grade_exports(design: Design, files: Mapping[str, str]) -> tuple[Export, ...]:
    return tuple(
        Export(
            name=files[key],
            label=f"Grades by the question {key}, with their evidence",
            collect="grades",
            write=write_item_grades,
            read=read_item_grades,
            options={"kind": kind, "criteria": (key,), **({"role": "each"} if key in averaged(design) else {})},
        )
        for key, (_, kind) in questions_of(design).items()
    )


def _rows_export(design: Design, question: Question) -> Export | None:
    """Return the export of each system's rows with their grades. Return None if rows have no names, or if the grades of
    several people count for a row.
    """
    if question.key in averaged(design) or not getattr(design.runs, "row", ""):
        return None
    names = {grade.value: grade.name for grade in grades_of(question)}
    return Export(
        name=rows_file(question.key),
        label=f"Rows of each system with their grade by the question {question.key}",
        collect="judged_responses",
        options={"kinds": (ITEM,)},
        write=partial(_write_rows, question.key, names),
        read=partial(read_verdicts, words=frozenset(names.values())),
    )


def _write_rows(question: str, names: Mapping[Any, str], records: Iterable[Any]) -> Iterator[str]:
    """Yield the lines of the judged rows, by system, topic and place."""
    rows: dict[tuple[str, str], str] = {}
    returned: list[ReturnedSegment] = []
    graded: dict[tuple[str, str], str] = {}
    for each in records:
        if isinstance(each, TopicRecord):
            rows |= {(each.number, item["key"]): item["row"] for item in each.fields.get("items", ())}
        elif isinstance(each, ReturnedSegment):
            returned.append(each)
        elif each.criterion == question and each.value in names:
            graded[each.topic, each.key] = names[each.value]
    return write_verdicts(
        ReportVerdict(topic=each.topic, run=each.run, answer=rows[each.topic, each.key], verdict=verdict)
        for each in returned
        if (verdict := graded.get((each.topic, each.key))) is not None and (each.topic, each.key) in rows
    )


def graded_scoring(design: Design) -> Scoring:
    """Return the scoring that computes scores from the exported grades and the runs."""
    columns = graded_columns(design)
    official = design.scores.official or (columns[0].label if columns else "")
    names = {name: key for key, name in exported_files(design).items()}

    def build(records: Mapping[str, Iterable[Any]], settings: Any, report: Callable[[Issue], None]) -> Gold:
        del settings
        return {key: _gains(design, key, records.get(name, ()), report) for name, key in names.items()}

    def load(files: Mapping[str, Path], settings: Any, report: Callable[[Issue], None]) -> Gold:
        found = by_name(dict.fromkeys(names, read_item_grades))
        others = {"judgments.jsonl", "manifest.json", *map(rows_file, names.values())}
        records = load_records(files, found, report, known=", ".join(names), passed_over=others)
        return build(records, settings, report)

    def nodes(gold: Gold, run: str, content: RunContent, settings: Any) -> Sequence[Nodes]:
        del run
        return run_nodes(columns, gold, content, settings)

    def score(gold: Gold, run: str, content: RunContent, settings: Any) -> Iterator[Score]:
        return scores_of(nodes(gold, run, content, settings), run=run)

    def explain(gold: Gold, run: str, content: RunContent, settings: Any) -> Explain:
        return explained_by(nodes(gold, run, content, settings), run=run)

    def gold_name(name: str, path: Path) -> str:
        if name in names:
            return name
        kinds = [GoldKind(name=file, read=read_item_grades, fits=_is_of(key)) for file, key in names.items()]
        return kind_by_content(path, kinds)

    return Scoring(
        measures=tuple(
            MeasureColumn(key=each.label, label=each.label, help=each.help, official=each.label == official)
            for each in columns
        ),
        gold_files=tuple(names),
        build=build,
        load=load,
        score=score,
        explain=explain,
        by_topic=by_question(nodes, partial(over_topics, [each.label for each in columns])),
        gold_name=gold_name,
    )


def _is_of(question: str) -> Callable[[Any], bool]:
    return lambda grade: bool(grade.criterion == question)


def graded_columns(design: Design) -> list[GradedColumn]:
    """Return the measures of graded items that the design names or, if it names none, the default ones."""
    asked, gold = questions_of(design), gold_question(design)
    known = gold.key if gold is not None else ""
    usual = CITED if known in asked and asked[known][1] == CITATION else ("mean", "share", "judged")
    columns = []
    for line in design.scores.measures or (usual if asked else ()):
        said = line if isinstance(line, MeasureLine) else MeasureLine(measure=line)
        if said.measure in OF_NUGGETS:
            continue
        bound = design.scores.relevant_from if said.relevant_from is None else said.relevant_from
        key = said.question or known
        question, kind = asked[key]
        gains = gains_of(design, question).values()
        columns.append(
            GradedColumn(
                label=said.label or said.measure,
                measure=said.measure,
                question=key,
                kind=kind,
                bound=Fraction(str(bound)),
                best=Fraction(str(max(gains))),
            )
        )
    return columns


def _gains(
    design: Design, key: str, records: Iterable[Any], report: Callable[[Issue], None]
) -> dict[str, dict[str, Fraction]]:
    """Return topic -> item -> gain for one question. A value that is not a grade of the question is left out, and is
    reported once.

    If the grades of several people count, an item's gain is the mean of their gains.
    """
    gains, strange = gains_of(design, questions_of(design)[key][0]), set[Any]()
    found: dict[str, dict[str, list[Fraction]]] = {}
    for record in records:
        if record.criterion != key or record.value is None:
            continue
        if record.value in gains:
            gain = Fraction(str(gains[record.value]))
            found.setdefault(record.topic, {}).setdefault(record.key, []).append(gain)
        elif record.value not in strange:
            strange.add(record.value)
            message = f"topic {record.topic[:40]}: {record.value} is no value of the question {key}."
            report(file_issue(exported_files(design)[key], "grade", message))
    is_mean = key in averaged(design)
    return {
        topic: {
            item: sum(said, Fraction(0)) / len(said) if is_mean else said[-1] for item, said in found[topic].items()
        }
        for topic in sorted(found, key=topic_order)
    }

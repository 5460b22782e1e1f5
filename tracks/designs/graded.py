"""Score designs whose runs are not rankings, by the gains of the items that each run returned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from assess.protocol import About, Explain, Export, MeasureColumn, RunContent, Scoring, Step, TopicRecord
from scoring.formats.grades import read_item_grades, write_item_grades
from scoring.formats.pool_tables import topic_order
from scoring.formats.report_verdicts import ReportVerdict, read_verdicts, write_verdicts
from scoring.measures.graded_items import CITED, RUBRIC, citation_sums, item_sums, rubric_sums
from scoring.records import Issue, ReturnedSegment, Score
from scoring.release.explained import IN_WORDS, Account, Node, Nodes, Parts, explained_by, mean_node, scores_of
from scoring.release.formulas import exact, show
from scoring.release.phrases import Phrase
from tracks.designs.exported_files import exported_files, rows_file
from tracks.designs.gains import averaged, gains_of, gold_question
from tracks.designs.item_rows import group_of, weight_of
from tracks.designs.judged_items import CITATION, ITEM, OF_NUGGETS, item_kind
from tracks.designs.own_measures import own_node
from tracks.designs.question_rules import grades_of
from tracks.designs.shape import Design, GradeStage, MeasureLine, Question
from tracks.input_files import GoldKind, by_name, file_issue, kind_by_content, load_records
from tracks.installed import installed_measures

ALL = "all"

Gold = Mapping[str, Mapping[str, Mapping[str, Fraction]]]
"""Gains by question, topic and key of the item."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GradedColumn:
    """A measure of the design: its label, its question, the kind of items that the question is about, and the least
    gain that it counts.
    """

    label: str
    measure: str
    question: str
    kind: str
    bound: Fraction
    best: Fraction

    @property
    def help(self) -> str:
        """Return the help text above the column."""
        bound = f"; the bound is a gain of {show(self.bound)}" if self.measure == "share" else ""
        return f"{self.measure} by the gains of {self.question}{bound}."


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

    def nodes(gold: Gold, content: RunContent, settings: Any) -> Sequence[Nodes]:
        return run_nodes(columns, gold, content, settings)

    def score(gold: Gold, run: str, content: RunContent, settings: Any) -> Iterator[Score]:
        return scores_of(nodes(gold, content, settings), run=run)

    def explain(gold: Gold, run: str, content: RunContent, settings: Any) -> Explain:
        return explained_by(nodes(gold, content, settings), run=run)

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
    """Return topic -> item -> gain for one question. A value that is not a grade of the question is reported once.

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


# ---------------------------------------------------------------- what a run returned


@dataclass(frozen=True, kw_only=True, slots=True)
class Returned:
    """An item that a run returned, in the form in which an explanation shows it."""

    key: str
    text: str
    docno: str


Groups = Mapping[str, Sequence[Sequence[Returned]]]
"""The items of each segment by topic; citations are grouped by sentence."""


def returned_groups(content: RunContent, kind: str, limit: int) -> Groups:
    """Return the items of a kind that a run returned. At most ``limit`` citations of a sentence are judged, or all of
    them if ``limit`` is 0.
    """
    found: dict[str, list[list[Returned]]] = {}
    for segment in content.segments():
        groups = found.setdefault(segment.topic, [])
        cited = [
            Returned(key=each.item_key, text=each.item_text, docno=each.docno)
            for each in segment.citations
            if each.item_kind == kind
        ]
        sentences = segment.item_fields.get("parts", ()) if kind == CITATION else ()
        if sentences:  # a whole answer, whose citations are in the order of its sentences
            rest = iter(cited)
            groups += [list(islice(rest, len(each["docnos"][: limit or None]))) for each in sentences]
            continue
        own = [Returned(key=segment.item_key, text=segment.text, docno=segment.docno)]
        groups.append([*(own if segment.item_kind == kind else ()), *cited])
    for whole in content.responses():
        if whole.kind == kind:
            found.setdefault(whole.topic, []).append([Returned(key=whole.key, text=whole.text, docno=whole.docno)])
    return found


# ---------------------------------------------------------------- scores


def run_nodes(columns: Sequence[GradedColumn], gold: Gold, content: RunContent, settings: Any) -> tuple[Nodes, Nodes]:
    """Return the values of one run for each judged topic, in the order of the columns, and over all topics."""
    limit = getattr(settings, "judged_citations", 0)
    rubrics = _rubrics(content) if any(each.measure in RUBRIC for each in columns) else {}
    returned = {kind: returned_groups(content, kind, limit) for kind in dict.fromkeys(each.kind for each in columns)}
    numbers = sorted({topic for of_question in gold.values() for topic in of_question}, key=topic_order)
    topics: dict[str, dict[str, Node]] = {number: {} for number in numbers}
    means = {}
    for column in columns:
        for topic, gains in gold.get(column.question, {}).items():
            groups = returned[column.kind].get(topic, ())
            if column.measure in RUBRIC:
                topics[topic][column.label] = _rubric_node(column, topic, groups, gains, rubrics.get(topic, {}))
            else:
                topics[topic][column.label] = _node(column, topic, groups, gains)
        values = {topic: nodes[column.label].value for topic, nodes in topics.items() if column.label in nodes}
        parts = Parts(values=values, measure=column.label, label=Phrase("Topics"), noun=Phrase("topic"))
        means[column.label] = mean_node(column.label, parts, IN_WORDS)
    return topics, {ALL: means}


def _node(
    column: GradedColumn, topic: str, groups: Sequence[Sequence[Returned]], gains: Mapping[str, Fraction]
) -> Node:
    """Return a node for one value of a topic, with the items from which the value is computed."""
    if column.measure in installed_measures():
        returned = [(each.key, gains.get(each.key)) for group in groups for each in group]
        return own_node(
            column.measure,
            label=column.label,
            topic=topic,
            kind=column.kind,
            returned=[(key, None if gain is None else float(gain)) for key, gain in returned],
            judged=[float(gain) for gain in gains.values()],
        )
    found = [[gains.get(each.key) for each in group] for group in groups]
    if column.measure in CITED:
        sums = citation_sums(column.measure, found, best=column.best)
    else:
        sums = item_sums(column.measure, [gain for group in found for gain in group], bound=column.bound)

    def account() -> Account:
        steps = (_step(column, topic, groups, gains),)
        if sums is None:
            return Account(
                formula=Phrase("{label} is undefined: nothing that was returned is judged", label=column.label),
                steps=steps,
            )
        if not sums[1]:
            return Account(
                formula=Phrase("{label} = 0: nothing was returned", label=column.label), steps=steps, arithmetic="0"
            )
        formula = f"{column.label} = {show(sums[0])} / {sums[1]} = {show(sums[0] / sums[1])}"
        return Account(formula=formula, steps=steps, arithmetic=f"{exact(sums[0])} / {sums[1]}")

    value = None if sums is None else sums[0] / sums[1] if sums[1] else Fraction(0)
    return Node(value=value, account=account)


Rubric = Mapping[str, tuple[str, Fraction]]
"""The question of each row and its weight, by the row's key."""


def _rubrics(content: RunContent) -> dict[str, Rubric]:
    """Return the rubric of each topic, over the rows of all systems."""
    return {
        topic.number: {
            item["key"]: (group_of(item), weight_of(item) or Fraction(0)) for item in topic.fields.get("items", ())
        }
        for topic in content.context.topics
    }


def _rubric_node(
    column: GradedColumn,
    topic: str,
    groups: Sequence[Sequence[Returned]],
    gains: Mapping[str, Fraction],
    rubric: Rubric,
) -> Node:
    """Return a node for one value of a topic that is computed by the questions of its rubric, with the rows from which
    the value is computed.
    """
    rows = [each for group in groups for each in group if each.key in rubric]
    weights = dict(rubric.values())
    sums = rubric_sums(column.measure, [(rubric[each.key][0], gains.get(each.key)) for each in rows], weights)

    def account() -> Account:
        judged = [each for each in rows if each.key in gains]
        step = Step(
            label=Phrase("Rows judged by {question}", question=column.question),
            value=Phrase("{count} of {all}", count=len(judged), all=len(rows)),
            header=(Phrase("gain"), Phrase("question"), Phrase("weight"), Phrase("text")),
            rows=tuple((show(gains[each.key]), *_question_and_weight(rubric[each.key]), each.text) for each in judged),
            about=tuple(About(kind="item", topic=topic, name=column.kind, key=each.key) for each in judged),
        )
        if sums is None:
            nothing = Phrase(
                "{label} is undefined: nothing that was returned is judged, or no question has a weight",
                label=column.label,
            )
            return Account(formula=nothing, steps=(step,))
        formula = f"{column.label} = {show(sums[0])} / {show(sums[1])} = {show(sums[0] / sums[1])}"
        return Account(formula=formula, steps=(step,), arithmetic=f"{exact(sums[0])} / {exact(sums[1])}")

    return Node(value=None if sums is None else sums[0] / sums[1], account=account)


def _question_and_weight(question: tuple[str, Fraction]) -> tuple[str, str]:
    return question[0], show(question[1])


def _step(
    column: GradedColumn, topic: str, groups: Sequence[Sequence[Returned]], gains: Mapping[str, Fraction]
) -> Step:
    items = [each for group in groups for each in group]
    rows = tuple(
        (show(gains[each.key]) if each.key in gains else Phrase("unjudged"), each.docno, each.text) for each in items
    )
    judged = sum(each.key in gains for each in items)
    return Step(
        label=Phrase("What was returned and judged by {question}", question=column.question),
        value=Phrase("{count} of {all}", count=judged, all=len(items)),
        header=(Phrase("gain"), Phrase("document"), Phrase("text")),
        rows=rows,
        about=tuple(About(kind="item", topic=topic, name=column.kind, key=each.key) for each in items),
    )

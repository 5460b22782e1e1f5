"""The scores of an iKAT run: ranked passages, ranked statements about the user, and the judgments of its responses."""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from assess.protocol import About, Explain, MeasureColumn, RunContent, SegmentRecord, Step
from scoring.formats.grades import read_response_grades
from scoring.formats.pool_tables import topic_order
from scoring.formats.qrels import read_graded_qrels
from scoring.measures.ranked_explained import ALL, JudgedTopics, over_topics, ranking_nodes
from scoring.reading.unpacking import plain_name
from scoring.records import Issue, ItemGrade, Score
from scoring.release.explained import (
    IN_WORDS,
    SUM_IN_WORDS,
    Account,
    Node,
    Nodes,
    Parts,
    Values,
    explained_by,
    mean_node,
    scores_of,
    sum_node,
    values_by,
    values_of,
)
from scoring.release.formulas import Number, mean_formula
from scoring.release.phrases import Phrase
from tracks.ikat2023.criteria import OF_RESPONSES
from tracks.ikat2023.runs import PASSAGE, RESPONSE, last_counted
from tracks.ikat2023.settings import Ikat2023Settings
from tracks.ikat2023.topics import STATEMENT
from tracks.input_files import GoldKind, Reader, kind_by_content, load_records

LENIENT, OF_PTKB = "_lenient", "ptkb_"
CUTOFFS = (1, 3, 5)
GRADED = tuple(f"nDCG@{cutoff}" for cutoff in CUTOFFS)
BINARY = (*(f"P@{cutoff}" for cutoff in CUTOFFS), "AP")
SETS = ("SetP", "SetR", *BINARY)
JUDGED = "judged"
_MEAN = replace(IN_WORDS, tally="{count}")

QRELS, PTKB_QRELS, RESPONSES = "qrels.txt", "ptkb_qrels.txt", "responses.tsv"
READERS: dict[str, Reader] = {
    QRELS: read_graded_qrels,
    PTKB_QRELS: read_graded_qrels,
    RESPONSES: read_response_grades,
}

Grades = Mapping[str, Mapping[str, int]]  # turn -> passage or statement -> grade; -1: pooled, unjudged

_SET_NAMES = {"SetP": "precision", "SetR": "recall"}
_EACH = {"P@1": "the first", "P@3": "the first 3", "P@5": "the first 5"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Gold:
    """The judgments: grades of passages and statements, and grades of responses by turn, key and criterion."""

    passages: Grades = field(default_factory=dict)
    statements: Grades = field(default_factory=dict)
    responses: Mapping[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)


def _columns() -> Iterator[MeasureColumn]:
    for name, of in (("nDCG@3", "3 passages"), ("nDCG@1", "passage"), ("nDCG@5", "5 passages")):
        text = f"Gain of the first {of} over the best that there could be; the gain is the grade."
        yield MeasureColumn(key=name, label=name, help=text, official=name == "nDCG@3", group="Passages")
    for suffix, label, group in (("", "", "Passages"), (LENIENT, " (from 1)", "Passages, lenient")):
        level = "relevant from the lowest grade" if suffix else "relevant by the threshold that is set"
        for name in BINARY:
            what = f"Share of {_EACH[name]} passages that are" if name in _EACH else "Average precision of passages"
            yield MeasureColumn(key=name + suffix, label=name + label, help=f"{what} {level}.", group=group)
    for name in SETS:
        what = f"Share of {_EACH[name]} statements that are relevant." if name in _EACH else "Average precision."
        if name in _SET_NAMES:
            shares = {"SetP": "the statements returned", "SetR": "the relevant statements"}
            what = f"Relevant statements that were returned, of all {shares[name]}."
        label = _SET_NAMES.get(name, name)
        yield MeasureColumn(key=OF_PTKB + name, label=f"PTKB {label}", help=what, group="Statements about the user")
    for criterion in OF_RESPONSES:
        label = criterion.key.replace("_", " ").capitalize()
        text = f"Mean grade of the run's judged responses: {criterion.question[0].lower()}{criterion.question[1:]}"
        yield MeasureColumn(key=criterion.key, label=label, help=text, group="Responses")
    text = "How many responses of the run are judged."
    yield MeasureColumn(key=JUDGED, label="Judged", help=text, group="Responses", ranks=False)


MEASURES = tuple(_columns())


def build_gold(records: Mapping[str, Iterable[Any]], settings: Any, report: Callable[[Issue], None]) -> Gold:
    """Build gold from the records that the exports collect. If records of a kind are missing, its measures are
    undefined.
    """
    del settings, report
    responses: dict[str, dict[str, dict[str, int]]] = {}
    for record in records.get(RESPONSES, ()):
        if record.value is not None:
            responses.setdefault(record.topic, {}).setdefault(record.key, {})[record.criterion] = record.value
    return Gold(
        passages=JudgedTopics(_grades(records.get(QRELS, ()))),
        statements=JudgedTopics(_grades(records.get(PTKB_QRELS, ()))),
        responses=responses,
    )


def load_gold(files: Mapping[str, Path], settings: Any, report: Callable[[Issue], None]) -> Gold:
    """Load gold from exported or published files, found by their names; other files are ignored.

    "ptkb_rel_nist" is read as ptkb_qrels.txt, and any other name that begins with "qrels" as qrels.txt.
    """
    records = load_records(files, _gold_of, report)
    if not records:
        message = f"No file of judgments was found; give one or more of {', '.join(READERS)}."
        report(Issue(where="", code="no-gold", message=message))
    return build_gold(records, settings, report)


KINDS = (
    GoldKind(name=PTKB_QRELS, read=read_graded_qrels, fits=lambda grade: grade.key.isdigit()),
    GoldKind(name=QRELS, read=read_graded_qrels),
    GoldKind(name=RESPONSES, read=read_response_grades),
)


def gold_name(name: str, path: Path) -> str:
    """Return the name of a gold file if it is a known name. Otherwise return the name for the kind of gold file that
    its content fits.

    Qrels in which docnos are plain numbers are about statements; passages have other names.
    """
    return name if _gold_of(plain_name(name), path) is not None else kind_by_content(path, KINDS)


def score_run(gold: Gold, run: str, content: RunContent, settings: Ikat2023Settings) -> Iterator[Score]:
    """Yield all values of one run: judged turns in order, then "all".

    Ranked measures are trec_eval's over all judged turns of the gold: a turn that the run does not answer counts 0, and
    so does one without anything relevant. For a criterion of responses, only the run's first responses that rest on a
    relevant passage count. A turn's value is the mean over those of them that were judged. The run's value is the mean
    over the turns with a value, and undefined if there are none.
    """
    return scores_of(run_nodes(gold, run, content, settings), run=run)


def explain_run(gold: Gold, run: str, content: RunContent, settings: Ikat2023Settings) -> Explain:
    """Return a function that explains a value of `score_run`, given its topic and measure, by the passages, statements
    or responses behind it, or by the turns behind a mean. It returns None if there is no such value.
    """
    return explained_by(run_nodes(gold, run, content, settings), run=run)


def run_nodes(gold: Gold, run: str, content: RunContent, settings: Ikat2023Settings) -> tuple[Nodes, Nodes]:
    """Return the values of one run by turn, and those over all turns, each with the rows from which it was computed."""
    del run
    passages, statements = content.rankings(PASSAGE), content.rankings(STATEMENT)
    responses: dict[str, list[SegmentRecord]] = {}
    for segment in content.segments():
        if segment.ordinal <= settings.response_depth:
            responses.setdefault(segment.topic, []).append(segment)
    of_passages = partial(ranking_nodes, gold.passages, passages, complete=True, kind=PASSAGE)
    groups = (
        of_passages([*GRADED, *BINARY], level=settings.binary_threshold),
        of_passages(BINARY, level=1, called=lambda name: name + LENIENT),
        ranking_nodes(
            gold.statements, statements, SETS,
            level=1, complete=True, kind=STATEMENT, called=lambda name: OF_PTKB + name,
        ),
        _response_nodes(gold, _of_relevant_passages(gold, responses, settings)),
    )  # fmt: skip
    numbers = sorted({topic for nodes in groups for topic in nodes} - {ALL}, key=topic_order)
    merged = {topic: dict(ChainMap(*(nodes.get(topic, {}) for nodes in groups))) for topic in numbers}
    columns = [measure.key for measure in MEASURES]
    turns = {topic: {key: nodes[key] for key in columns if key in nodes} for topic, nodes in merged.items()}
    return turns, over_turns(values_of(turns))


def over_turns(turns: Values) -> Nodes:
    """Return the mean of each measure over the turns that have a value, and the number of judged responses."""
    nodes: dict[str, Node] = {}
    for column in MEASURES:
        values = values_by(column.key, turns)
        parts = Parts(values=values, measure=column.key, label=Phrase("Turns"), noun=Phrase("turn"))
        if column.key == JUDGED:
            nodes[JUDGED] = sum_node(JUDGED, parts, SUM_IN_WORDS, topics=len(values), display=_rounded)
        elif column.group == "Responses":
            nodes[column.key] = mean_node(column.key, parts, _MEAN, average=fmean, display=_rounded)
        else:
            name = column.key.removeprefix(OF_PTKB).removesuffix(LENIENT)
            nodes[column.key] = over_topics(name, values, called=column.key)
    return {ALL: nodes}


def _of_relevant_passages(
    gold: Gold, responses: Mapping[str, Sequence[SegmentRecord]], settings: Ikat2023Settings
) -> dict[str, list[SegmentRecord]]:
    """Return the responses that rest on a relevant passage, by turn; all responses if no passage of the turn is judged.

    Equal texts of several runs are judged once, but the judgment counts only for the runs whose response rests on a
    relevant passage.
    """
    last = last_counted(settings) or math.inf
    found = {}
    for topic, returned in responses.items():
        grades = gold.passages.get(topic)
        found[topic] = [
            segment
            for segment in returned
            if grades is None
            or any(
                grades.get(each.docno, -1) >= settings.response_threshold
                for each in segment.citations
                if each.ordinal <= last
            )
        ]
    return found


def _response_nodes(gold: Gold, responses: Mapping[str, Sequence[SegmentRecord]]) -> dict[str, dict[str, Node]]:
    """Return the mean of each criterion by turn, and the number of judged responses."""
    names = [*(criterion.key for criterion in OF_RESPONSES), JUDGED]
    turns: dict[str, dict[str, Node]] = {}
    for topic in gold.responses:
        judged = _judged(gold, topic, responses)
        turns[topic] = {name: _response_node(name, topic, judged) for name in names}
    return turns


def _judged(
    gold: Gold, topic: str, responses: Mapping[str, Sequence[SegmentRecord]]
) -> list[tuple[SegmentRecord, Mapping[str, int]]]:
    """Return (response, judgments) for the run's judged responses to a turn. A text that the run repeats is returned
    once.
    """
    said = gold.responses.get(topic, {})
    first = {segment.item_key: segment for segment in reversed(responses.get(topic, ()))}
    found = [(segment, said[key]) for key, segment in first.items() if key in said]
    return sorted(found, key=lambda row: row[0].ordinal)


def _response_node(measure: str, topic: str, judged: Sequence[tuple[SegmentRecord, Mapping[str, int]]]) -> Node:
    """Return a node for a turn's judged responses: their mean grade on one criterion, or their number."""
    grades = [said[measure] for _, said in judged if measure in said]
    value = float(len(judged)) if measure == JUDGED else fmean(grades) if grades else None

    def account() -> Account:
        step = Step(
            label=Phrase("Judged responses"),
            value=str(len(judged)),
            header=(Phrase("place"), Phrase("grade"), Phrase("text")),
            rows=tuple((str(each.ordinal), _given(said, measure), each.text) for each, said in judged),
            about=tuple(About(kind="item", topic=topic, name=RESPONSE, key=each.item_key) for each, _ in judged),
        )
        return Account(
            formula=Phrase(
                "{measure} = {value}, over the judged responses below", measure=measure, value=_rounded(value)
            ),
            steps=(step,),
            arithmetic=str(len(judged)) if measure == JUDGED else mean_formula(grades),
        )

    return Node(value=value, account=account)


def _given(said: Mapping[str, int], measure: str) -> str:
    if measure == JUDGED:
        return Phrase("judged")
    return str(said[measure]) if measure in said else Phrase("not judged for this")


def _grades(records: Iterable[ItemGrade]) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    for record in records:
        grades.setdefault(record.topic, {})[record.key] = -1 if record.value is None else record.value
    return grades


def _gold_of(plain: str, path: Path) -> tuple[str, Reader] | None:
    """Return (name of a kind of gold, its reader) for a file, or None if the file is not gold."""
    del path
    beginnings = {"ptkb_rel_nist": PTKB_QRELS, "qrels": QRELS}
    begun = next((known for beginning, known in beginnings.items() if plain.startswith(beginning)), "")
    known = plain if plain in READERS else begun
    return (known, READERS[known]) if known else None


def _rounded(value: Number | None) -> str:
    return Phrase("undefined") if value is None else f"{float(value):.4f}"

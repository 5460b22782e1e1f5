"""The scores of an iKAT run: ranked passages, ranked statements about the user, and what was said of its responses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any, BinaryIO

from assess.protocol import About, Explanation, MeasureColumn, RunContent, SegmentRecord, Step
from scoring.arithmetic import mean_formula, sum_formula
from scoring.formats.graded_qrels import read_graded_qrels
from scoring.formats.pool_tables import topic_order
from scoring.formats.response_grades import read_response_grades
from scoring.measures.ranked_runs import ALL, explain_ranking, score_ranking
from scoring.records import Issue, ItemGrade, RankedDoc, Score
from tracks.gold_files import GoldKind, file_issue, read_gold_file, told_by_content
from tracks.ikat2023.criteria import OF_RESPONSES
from tracks.ikat2023.runs import PASSAGE, RESPONSE
from tracks.ikat2023.settings import Ikat2023Settings
from tracks.ikat2023.topics import STATEMENT

LENIENT, OF_PTKB = "_lenient", "ptkb_"
CUTOFFS = (1, 3, 5)
GRADED = tuple(f"nDCG@{cutoff}" for cutoff in CUTOFFS)
BINARY = (*(f"P@{cutoff}" for cutoff in CUTOFFS), "AP")
SETS = ("SetP", "SetR", *BINARY)
JUDGED = "judged"

QRELS, PTKB_QRELS, RESPONSES = "qrels.txt", "ptkb_qrels.txt", "responses.tsv"
READERS: dict[str, Callable[[BinaryIO], Iterator[ItemGrade | Issue]]] = {
    QRELS: read_graded_qrels,
    PTKB_QRELS: read_graded_qrels,
    RESPONSES: read_response_grades,
}

Grades = Mapping[str, Mapping[str, int]]  # turn -> passage or statement -> grade; -1: pooled, unjudged

_SET_NAMES = {"SetP": "precision", "SetR": "recall"}
_EACH = {"P@1": "the first", "P@3": "the first 3", "P@5": "the first 5"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Gold:
    """What was said: grades of passages and statements, and of responses (turn -> key -> criterion -> grade)."""

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
    """The gold of the records that the exports collect; what is missing is empty, and its measures undefined."""
    del settings, report
    responses: dict[str, dict[str, dict[str, int]]] = {}
    for record in records.get(RESPONSES, ()):
        if record.value is not None:
            responses.setdefault(record.topic, {}).setdefault(record.key, {})[record.criterion] = record.value
    return Gold(
        passages=_grades(records.get(QRELS, ())),
        statements=_grades(records.get(PTKB_QRELS, ())),
        responses=responses,
    )


def load_gold(files: Mapping[str, Path], settings: Any, report: Callable[[Issue], None]) -> Gold:
    """Gold from exported or published files, found by their names; other files are left alone.

    "ptkb_rel_nist" is taken for ptkb_qrels.txt, and any other name that begins with "qrels" for qrels.txt.
    """
    records: dict[str, Iterable[ItemGrade]] = {}
    for name, path in files.items():
        known = _known_name(name)
        if known is None:
            continue
        if known in records:
            report(file_issue(name, "file-twice", f"There are two files of {known}; give one."))
            continue
        records[known] = read_gold_file(name, path, READERS[known], report)
    if not records:
        message = f"No file of judgments was found; give one or more of {', '.join(READERS)}."
        report(Issue(where="", code="no-gold", message=message))
    return build_gold(records, settings, report)


KINDS = (
    GoldKind(name=PTKB_QRELS, read=read_graded_qrels, fits=lambda grade: grade.key.isdigit()),
    GoldKind(name=QRELS, read=read_graded_qrels),
    GoldKind(name=RESPONSES, read=read_response_grades),
)


def told(name: str, path: Path) -> str:
    """Qrels whose docnos are plain numbers are those of statements; passages have other names."""
    return name if _known_name(name) is not None else told_by_content(path, KINDS)


def score_run(gold: Gold, run: str, content: RunContent, settings: Ikat2023Settings) -> Iterator[Score]:
    """All values of one run: judged turns in order, then "all".

    Ranked measures are trec_eval's over all judged turns of the gold: a turn that the run leaves out counts 0, and so
    does one without anything relevant. Responses: the mean of those judged among the run's first ones of a turn, and of
    these means over the turns that have any; undefined where there are none.
    """
    result = run_scores(gold, run, content, settings)
    turns = sorted({score.topic for score in result.scores} - {ALL}, key=topic_order)
    place = {topic: rank for rank, topic in enumerate([*turns, ALL])}
    column = {measure.key: rank for rank, measure in enumerate(MEASURES)}
    yield from sorted(result.scores, key=lambda score: (place[score.topic], column[score.measure]))


@dataclass(frozen=True, kw_only=True, slots=True)
class RunScores:
    """One run: what it ranked, the responses that count for each turn, and all its values."""

    passages: Sequence[RankedDoc]
    statements: Sequence[RankedDoc]
    responses: Mapping[str, Sequence[SegmentRecord]]
    scores: Sequence[Score]


def run_scores(gold: Gold, run: str, content: RunContent, settings: Ikat2023Settings) -> RunScores:
    """Everything that the values of one run are made of."""
    passages, statements = list(content.ranking(PASSAGE)), list(content.ranking(STATEMENT))
    responses: dict[str, list[SegmentRecord]] = {}
    for segment in content.segments():
        if segment.ordinal <= settings.response_depth:
            responses.setdefault(segment.topic, []).append(segment)
    strict = score_ranking(
        gold.passages, passages, [*GRADED, *BINARY], run=run, level=settings.binary_threshold, complete=True
    )
    lenient = score_ranking(gold.passages, passages, BINARY, run=run, level=1, complete=True)
    ptkb = score_ranking(gold.statements, statements, SETS, run=run, level=1, complete=True)
    scores = [
        *strict,
        *(replace(score, measure=score.measure + LENIENT) for score in lenient),
        *(replace(score, measure=OF_PTKB + score.measure) for score in ptkb),
        *_response_scores(gold, run, responses),
    ]
    return RunScores(passages=passages, statements=statements, responses=responses, scores=scores)


def explain_score(
    gold: Gold, run: str, content: RunContent, settings: Ikat2023Settings, topic: str, measure: str
) -> Explanation | None:
    """The passages, statements or responses behind one value of `score_run`, or the turns behind a mean."""
    result = run_scores(gold, run, content, settings)
    of_responses = measure == JUDGED or any(measure == criterion.key for criterion in OF_RESPONSES)
    if of_responses:
        return _explain_responses(gold, result, topic, measure)
    if measure.startswith(OF_PTKB):
        grades, ranked, level, kind = gold.statements, result.statements, 1, STATEMENT
    else:
        level = 1 if measure.endswith(LENIENT) else settings.binary_threshold
        grades, ranked, kind = gold.passages, result.passages, PASSAGE
    name = measure.removeprefix(OF_PTKB).removesuffix(LENIENT)
    return explain_ranking(
        grades, ranked, result.scores, topic=topic, measure=measure, level=level, kind=kind, name=name
    )


def _response_scores(gold: Gold, run: str, responses: Mapping[str, Sequence[SegmentRecord]]) -> Iterator[Score]:
    """Means of each criterion by turn and over turns, and how many responses were judged."""
    means: dict[str, list[float]] = {criterion.key: [] for criterion in OF_RESPONSES}
    counted = []
    for topic in gold.responses:
        rows = _judged(gold, topic, responses)
        counted.append(len(rows))
        for name, found in means.items():
            values = [said[name] for _, said in rows if name in said]
            if values:
                found.append(fmean(values))
            yield Score(run=run, topic=topic, measure=name, value=fmean(values) if values else None)
        yield Score(run=run, topic=topic, measure=JUDGED, value=float(len(rows)))
    for name, found in means.items():
        yield Score(run=run, topic=ALL, measure=name, value=fmean(found) if found else None, topics=len(found))
    yield Score(run=run, topic=ALL, measure=JUDGED, value=float(sum(counted)), topics=len(counted))


def _judged(
    gold: Gold, topic: str, responses: Mapping[str, Sequence[SegmentRecord]]
) -> list[tuple[SegmentRecord, Mapping[str, int]]]:
    """The run's responses to a turn that were judged, each text once, with what was said."""
    said = gold.responses.get(topic, {})
    first = {segment.item_key: segment for segment in reversed(responses.get(topic, ()))}
    found = [(segment, said[key]) for key, segment in first.items() if key in said]
    return sorted(found, key=lambda row: row[0].ordinal)


def _explain_responses(gold: Gold, result: RunScores, topic: str, measure: str) -> Explanation | None:
    of_measure = {score.topic: score for score in result.scores if score.measure == measure}
    score = of_measure.get(topic)
    if score is None:
        return None
    if topic == ALL:
        turns = tuple((turn, _shown(of.value)) for turn, of in of_measure.items() if turn != ALL)
        about = tuple(About(kind="score", topic=turn, name=measure) for turn, _ in turns)
        step = Step(label="Turns", value=str(score.topics), header=("turn", measure), rows=turns, about=about)
        given = [of.value for turn, of in of_measure.items() if turn != ALL]
        arithmetic = sum_formula(value or 0.0 for value in given) if measure == JUDGED else mean_formula(given)
        kind = "sum" if measure == JUDGED else "mean"
        formula = f"{measure} = {kind} over {score.topics} turns = {_shown(score.value)}"
    else:
        judged = _judged(gold, topic, result.responses)
        rows = tuple((str(each.ordinal), _given(said, measure), each.text) for each, said in judged)
        about = tuple(About(kind="item", topic=topic, name=RESPONSE, key=each.item_key) for each, _ in judged)
        header = ("place", "grade", "text")
        step = Step(label="Judged responses", value=str(len(rows)), header=header, rows=rows, about=about)
        grades = [said[measure] for _, said in judged if measure in said]
        arithmetic = str(len(rows)) if measure == JUDGED else mean_formula(grades)
        formula = f"{measure} = {_shown(score.value)}, over the judged responses below"
    return Explanation(
        run=score.run,
        topic=topic,
        measure=measure,
        value=score.value,
        formula=formula,
        steps=(step,),
        arithmetic=arithmetic,
    )


def _given(said: Mapping[str, int], measure: str) -> str:
    return "judged" if measure == JUDGED else str(said.get(measure, "not judged for this"))


def _grades(records: Iterable[ItemGrade]) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    for record in records:
        grades.setdefault(record.topic, {})[record.key] = -1 if record.value is None else record.value
    return grades


def _known_name(name: str) -> str | None:
    plain = name.removesuffix(".gz").removesuffix(".zst")
    if plain in READERS:
        return plain
    if plain.startswith("ptkb_rel_nist"):
        return PTKB_QRELS
    return QRELS if plain.startswith("qrels") else None


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"

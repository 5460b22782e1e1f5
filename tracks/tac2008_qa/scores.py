"""The scores of a TAC 2008 QA run: of each question, each series, and the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from assess.protocol import MeasureColumn, RunContent, SegmentRecord, TopicRecord
from scoring.folding import count_characters
from scoring.measures.lists import ListScore, list_score
from scoring.measures.nuggets import Mark, NuggetScore, Weights, nugget_score, returned_nuggets
from scoring.measures.series import mean_defined, series_score
from scoring.records import InstanceJudgment, Score
from tracks.tac2008_qa.gold import Gold, RigidGold, SquishyGold
from tracks.tac2008_qa.settings import Tac2008QaSettings

ALL = "all"
KINDS = ("rigid", "squishy")
SINGLE = "_vitalokay"

MEASURES = (
    MeasureColumn(
        key="combined",
        label="Combined",
        help="Of a series: the mean of its rigid and its squishy score. Of a run: the mean over the series.",
        official=True,
    ),
    MeasureColumn(key="rigid", label="Rigid", help="Mean F of the rigid list questions of a series."),
    MeasureColumn(key="squishy", label="Squishy", help="Mean F of the squishy list questions of a series."),
    MeasureColumn(
        key="F", label="F", help="Of a rigid question: balanced F of IR and IP. Of a squishy one: F of NR and NP."
    ),
    MeasureColumn(key="IR", label="IR", help="Instance recall: distinct correct answers over the final answer set."),
    MeasureColumn(key="IP", label="IP", help="Instance precision: distinct correct answers over instances returned."),
    MeasureColumn(key="NR", label="NR", help="Nugget recall: weight of the nuggets returned over that of the list."),
    MeasureColumn(key="NP", label="NP", help="Nugget precision: 1 up to the allowance, falling with length beyond it."),
    MeasureColumn(
        key="combined" + SINGLE, label="Combined (author)", help="Combined, by the author's vital and okay alone."
    ),
    MeasureColumn(
        key="squishy" + SINGLE, label="Squishy (author)", help="Squishy, by the author's vital and okay alone."
    ),
    MeasureColumn(
        key="F" + SINGLE, label="F (author)", help="F of a squishy question, by the author's vital and okay alone."
    ),
    MeasureColumn(
        key="NR" + SINGLE, label="NR (author)", help="Vital nuggets returned over the list's, by its author alone."
    ),
    MeasureColumn(
        key="length",
        label="Length",
        help="Non-white-space characters of the answer to a squishy question.",
        ranks=False,
    ),
    MeasureColumn(
        key="instances", label="Instances", help="Distinct instances returned for a rigid question.", ranks=False
    ),
    MeasureColumn(
        key="unjudged", label="Unjudged", help="Instances without a judgment: they count as incorrect.", ranks=False
    ),
    MeasureColumn(
        key="excluded", label="Excluded", help="Questions left out because F is undefined for them.", ranks=False
    ),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RigidResult:
    """One rigid question: its strings with their judgments, and the score."""

    strings: tuple[tuple[str, str, InstanceJudgment | None], ...]
    score: ListScore

    @property
    def unjudged(self) -> int:
        """How many instances nobody judged."""
        return sum(judgment is None for _, _, judgment in self.strings)


@dataclass(frozen=True, kw_only=True, slots=True)
class SquishyResult:
    """One squishy question: its strings with their marks, and the scores by both kinds of weights."""

    strings: tuple[tuple[str, str, tuple[Mark, ...]], ...]
    weights: Weights
    score: NuggetScore
    single: NuggetScore


Result = RigidResult | SquishyResult
Values = dict[str, Fraction | None]

SERIES_MEASURES = ("combined", *KINDS, "combined" + SINGLE, "squishy" + SINGLE)
QUESTION_MEANS = {"IR": "F", "IP": "F", "NR": "F", "NP": "F", "NR" + SINGLE: "F" + SINGLE}
"""Measures of questions that are averaged over a run, with the F that must be defined for a question to count."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunResult:
    """One run: the result and the values of each question, and the values of each series."""

    questions: dict[str, Result]
    values: dict[str, Values]
    series: dict[str, Values]

    def averaged(self, measure: str) -> dict[str, Fraction | None]:
        """What the run's mean of a measure is taken over: series or questions with their values."""
        if measure in SERIES_MEASURES:
            return {target: values.get(measure) for target, values in self.series.items()}
        needed = QUESTION_MEANS[measure]
        return {
            number: values[measure] if values[needed] is not None else None
            for number, values in self.values.items()
            if measure in values and needed in values
        }

    def total(self, measure: str) -> Fraction:
        """The sum of "unjudged" over the questions, or of "excluded" over the series."""
        rows = self.series if measure == "excluded" else self.values
        return sum((values.get(measure) or Fraction(0) for values in rows.values()), Fraction(0))


def score_run(gold: Gold, run: str, content: RunContent, settings: Tac2008QaSettings) -> Iterator[Score]:
    """All values of one run: questions, then series (topic = the target's number), then "all".

    Every question of the gold is scored, answered or not; a question that the run left out has 0. The same
    [answer-string, docno] pair twice in a question counts once. Nothing depends on other runs' files.
    """
    result = run_result(gold, content.segments(), settings)
    for rows in (result.values, result.series):
        for topic, values in rows.items():
            for measure, value in values.items():
                yield Score(run=run, topic=topic, measure=measure, value=_number(value))
    for measure in (*SERIES_MEASURES, *QUESTION_MEANS):
        value, count = mean_defined(result.averaged(measure).values())
        yield Score(run=run, topic=ALL, measure=measure, value=_number(value), topics=count)
    for measure in ("unjudged", "excluded"):
        yield Score(
            run=run, topic=ALL, measure=measure, value=_number(result.total(measure)), topics=len(result.values)
        )


def run_result(gold: Gold, segments: Iterable[SegmentRecord], settings: Tac2008QaSettings) -> RunResult:
    """Everything that the scores of one run are made of, in the order of the question file."""
    responses: dict[str, dict[str, SegmentRecord]] = {}
    for segment in segments:
        responses.setdefault(segment.topic, {}).setdefault(segment.item_key, segment)
    questions: dict[str, Result] = {}
    for topics in gold.series.values():
        for topic in topics:
            given = list(responses.get(topic.number, {}).values())
            if topic.task == "rigid":
                questions[topic.number] = _rigid_result(gold.rigid[topic.number], given)
            else:
                questions[topic.number] = _squishy_result(gold.squishy[topic.number], given, settings)
    values = {number: _question_values(result) for number, result in questions.items()}
    series = {target: _series_values(topics, values) for target, topics in gold.series.items() if topics}
    return RunResult(questions=questions, values=values, series=series)


def _rigid_result(gold: RigidGold, given: Sequence[SegmentRecord]) -> RigidResult:
    strings = tuple((segment.docno, segment.text, gold.judgments.get(segment.item_key)) for segment in given)
    correct = {judgment.answer_class for _, _, judgment in strings if judgment is not None}
    score = list_score(distinct=len(correct & gold.answers.keys()), final=len(gold.answers), instances=len(strings))
    return RigidResult(strings=strings, score=score)


def _squishy_result(gold: SquishyGold, given: Sequence[SegmentRecord], settings: Tac2008QaSettings) -> SquishyResult:
    strings = tuple((segment.docno, segment.text, gold.marks.get(segment.item_key, ())) for segment in given)
    returned = returned_nuggets((mark for _, _, marks in strings for mark in marks), gold.parts)
    length = sum(count_characters(text) for _, text, _ in strings)
    weights = gold.vital_okay if settings.single_assessor else gold.pyramid
    score, single = (
        nugget_score(each, returned, length, beta=settings.beta, allowance=settings.allowance)
        for each in (weights, gold.vital_okay)
    )
    return SquishyResult(strings=strings, weights=weights, score=score, single=single)


def _question_values(result: Result) -> Values:
    score = result.score
    if isinstance(result, RigidResult):
        return {
            "F": score.f,
            "IR": score.recall,
            "IP": score.precision,
            "instances": Fraction(len(result.strings)),
            "unjudged": Fraction(result.unjudged),
        }
    return {
        "F": score.f,
        "NR": score.recall,
        "NP": score.precision,
        "F" + SINGLE: result.single.f,
        "NR" + SINGLE: result.single.recall,
        "length": Fraction(result.score.length),
    }


def _series_values(topics: Sequence[TopicRecord], values: dict[str, Values]) -> Values:
    """Type scores, combined scores, and how many questions were left out of the official ones."""
    official = series_score({kind: [values[t.number]["F"] for t in topics if t.task == kind] for kind in KINDS})
    single = series_score(
        {
            kind: [values[t.number]["F" + SINGLE if kind == "squishy" else "F"] for t in topics if t.task == kind]
            for kind in KINDS
        }
    )
    return {
        "combined": official.combined,
        **official.types,
        "combined" + SINGLE: single.combined,
        "squishy" + SINGLE: single.types["squishy"],
        "excluded": Fraction(official.excluded),
    }


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)

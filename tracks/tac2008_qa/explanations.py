"""Why a run got a value: the nuggets, matches, lengths and votes, or the questions and series, behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from assess.protocol import About, Explanation, RunContent, Step
from scoring.arithmetic import exact, mean_formula, sum_formula
from scoring.measures.lists import explain_list_score
from scoring.measures.nuggets import explain_nugget_score, show
from scoring.measures.series import mean_defined
from tracks.tac2008_qa.files import ITEM_KIND
from tracks.tac2008_qa.gold import Gold
from tracks.tac2008_qa.scores import (
    ALL,
    KINDS,
    QUESTION_MEANS,
    SERIES_MEASURES,
    SINGLE,
    RigidResult,
    RunResult,
    run_result,
)
from tracks.tac2008_qa.settings import Tac2008QaSettings


def explain_score(
    gold: Gold, run: str, content: RunContent, settings: Tac2008QaSettings, topic: str, measure: str
) -> Explanation | None:
    """The rows behind one value that `score_run` gives, with the formula filled in; None where it gives no such value.

    ``topic`` is a question, a target or "all".
    """
    result = run_result(gold, content.segments(), settings)
    if topic in result.values and measure in result.values[topic]:
        return _explain_question(gold, run, result, settings, topic, measure)
    if topic in result.series and measure in result.series[topic]:
        return _explain_series(gold, run, result, topic, measure)
    if topic == ALL:
        return _explain_run(run, result, measure)
    return None


def _explain_question(
    gold: Gold, run: str, result: RunResult, settings: Tac2008QaSettings, topic: str, measure: str
) -> Explanation:
    value = result.values[topic][measure]
    question = result.questions[topic]
    if isinstance(question, RigidResult):
        explanation = explain_list_score(
            question.score,
            run=run,
            topic=topic,
            measure=measure,
            strings=question.strings,
            labels=gold.rigid[topic].answers,
            item_kind=ITEM_KIND,
        )
    else:
        squishy = gold.squishy[topic]
        is_single = measure.endswith(SINGLE)
        explanation = explain_nugget_score(
            question.single if is_single else question.score,
            run=run,
            topic=topic,
            measure=measure,
            nuggets=squishy.nuggets,
            votes=squishy.votes,
            weights=squishy.vital_okay if is_single else question.weights,
            strings=question.strings,
            beta=settings.beta,
            allowance=settings.allowance,
            item_kind=ITEM_KIND,
        )
    if measure in ("length", "instances", "unjudged"):
        return _counted(explanation, measure, value)
    return explanation


def _counted(explanation: Explanation, measure: str, value: Fraction | None) -> Explanation:
    """The same rows for a plain count."""
    return Explanation(
        run=explanation.run,
        topic=explanation.topic,
        measure=measure,
        value=None if value is None else float(value),
        formula=f"{measure} = {_shown(value)}, counted in the rows below",
        steps=explanation.steps[-1:],
        arithmetic="" if value is None else exact(value),
    )


def _explain_series(gold: Gold, run: str, result: RunResult, target: str, measure: str) -> Explanation:
    values = result.series[target]
    kind, single = measure.removesuffix(SINGLE), SINGLE if measure.endswith(SINGLE) else ""
    if kind == "combined":
        parts = {name: values[name + single if name == "squishy" else name] for name in KINDS}
        about = tuple(
            About(kind="score", topic=target, name=name + single if name == "squishy" else name) for name in KINDS
        )
        return _mean(run, target, measure, parts, label="Types of questions", header=("type", "score"), about=about)
    questions = [topic for topic in gold.series[target] if measure == "excluded" or topic.task == kind]
    scores = {topic.number: result.values[topic.number]["F" + single] for topic in questions}
    if measure == "excluded":
        left_out = [number for number, value in scores.items() if value is None]
        rows = tuple((number, "F is undefined") for number in left_out)
        about = _values("F" + single, left_out)
        step = Step(
            label="Questions left out", value=str(len(rows)), header=("question", "why"), rows=rows, about=about
        )
        formula = f"excluded = {len(rows)} of {len(scores)} questions"
        return Explanation(
            run=run,
            topic=target,
            measure=measure,
            value=float(len(rows)),
            formula=formula,
            steps=(step,),
            arithmetic=str(len(rows)),
        )
    about = _values("F" + single, scores)
    return _mean(run, target, measure, scores, label="Questions", header=("question", "F" + single), about=about)


def _explain_run(run: str, result: RunResult, measure: str) -> Explanation | None:
    if measure in SERIES_MEASURES:
        parts = result.averaged(measure)
        about = _values(measure, parts)
        return _mean(run, ALL, measure, parts, label="Series", header=("target", measure), about=about)
    if measure in QUESTION_MEANS:
        parts = result.averaged(measure)
        about = _values(measure, parts)
        return _mean(run, ALL, measure, parts, label="Questions", header=("question", measure), about=about)
    if measure not in ("unjudged", "excluded"):
        return None
    rows = result.series if measure == "excluded" else result.values
    counts = {topic: values[measure] for topic, values in rows.items() if measure in values}
    total = result.total(measure)
    step = Step(
        label="By series" if measure == "excluded" else "By question",
        value=_shown(total),
        header=("target" if measure == "excluded" else "question", measure),
        rows=tuple((topic, _shown(value)) for topic, value in counts.items()),
        about=_values(measure, counts),
    )
    return Explanation(
        run=run,
        topic=ALL,
        measure=measure,
        value=float(total),
        formula=f"{measure} = {_shown(total)} in all",
        steps=(step,),
        arithmetic=sum_formula(value or Fraction(0) for value in counts.values()),
    )


def _values(measure: str, topics: Iterable[str]) -> tuple[About, ...]:
    """The same run's values of a measure on these topics."""
    return tuple(About(kind="score", topic=topic, name=measure) for topic in topics)


def _mean(
    run: str,
    topic: str,
    measure: str,
    parts: Mapping[str, Fraction | None],
    *,
    label: str,
    header: tuple[str, str],
    about: tuple[About, ...],
) -> Explanation:
    """A mean over the defined parts, each in a row."""
    value, count = mean_defined(parts.values())
    total = sum((part for part in parts.values() if part is not None), Fraction(0))
    formula = f"{measure} = {show(total)} / {count} = {_shown(value)}" if count else "undefined: nothing to average"
    rows = tuple((name, _shown(part)) for name, part in parts.items())
    step = Step(label=label, value=f"{count} of {len(parts)} averaged", header=header, rows=rows, about=about)
    return Explanation(
        run=run,
        topic=topic,
        measure=measure,
        value=None if value is None else float(value),
        formula=formula,
        steps=(step,),
        arithmetic=mean_formula(parts.values()),
    )


def _shown(value: Fraction | None) -> str:
    return "undefined" if value is None else show(value)

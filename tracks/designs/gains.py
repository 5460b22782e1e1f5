"""What grades count in scores: which question is the gold, and how decimal gains become whole ones for trec_eval.

Gains are multiplied by a unit, which changes the value of no measure that a design may name with such gains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import lcm

from scoring.measures import parse
from scoring.measures.spec import UnknownMeasure
from scoring.release.explained import Account, Node
from tracks.designs.broken import BrokenRule
from tracks.designs.question_rules import grades_by_word, grades_of, people_of
from tracks.designs.shape import Design, GradeStage, MeasureLine, Question
from tracks.installed import installed_measures


def gold_question(design: Design) -> Question | None:
    """Return the question whose gains are the gold. The design may name it; otherwise it is the first that is
    answered by a grade. Return None if there is none, or if the named one has no grades.
    """
    asked = graded_questions(design)
    return next((each for each in asked if each.key == (design.scores.question or each.key)), None)


def graded_questions(design: Design) -> list[Question]:
    """Return the questions that are answered by a grade. Only they have files of grades and count in scores."""
    stages = [stage for stage in design.stages if isinstance(stage, GradeStage)]
    return [each for stage in stages for each in stage.questions if each.answer == "grade"]


def gains_of(design: Design, question: Question, highest: int | None = None) -> dict[int | float, float]:
    """Return the gain of each recorded value of a question. ``[scores] gains`` apply only to the gold question.

    If a question has several scales, the scale that ends with the ``highest`` grade is used (`grades_of`).
    """
    graded = grades_of(question, highest)
    gains = {each.value: float(each.value if each.gain is None else each.gain) for each in graded}
    by_word = grades_by_word(question)
    said = design.scores.gains if question == gold_question(design) else {}
    return gains | {by_word[word].value: float(gain) for word, gain in said.items() if word in by_word}


def averaged(design: Design) -> dict[str, int]:
    """Return question -> number of judges (0: any number), for questions on which the mean of all grades counts.

    The exported files of these questions hold the grades of all judges.
    """
    stages = [stage for stage in design.stages if isinstance(stage, GradeStage) and stage.settle == "mean"]
    return {
        question.key: people_of(stage)[0]
        for stage in stages
        for question in stage.questions
        if question.answer == "grade"
    }


OF_GDEVAL = 4
"""The highest gain that gdeval accepts, which computes ERR and nDCG(exp=true)."""

MOST = 1_000_000
"""The highest multiplied gain, since trec_eval allocates memory for each grade up to the highest."""

MOST_AVERAGED = 10
"""The most people whose mean gain for a ranked document can be exact, with the unit 2,520."""

PARTS = 10_000
"""The largest unit, for gains with four decimals."""


def unit_of(design: Design, question: str) -> int:
    """Return a factor that makes whole numbers of a question's gains and of the bounds of its measures.

    If the grades of several judges are averaged, it makes whole numbers of their means, too, for up to `MOST_AVERAGED`
    judges.
    """
    gold = gold_question(design)
    asked = next((each for each in graded_questions(design) if each.key == question), None)
    bounds = [
        line.relevant_from
        for line in design.scores.measures
        if isinstance(line, MeasureLine) and line.relevant_from is not None
        if (line.question or (gold.key if gold is not None else "")) == question
    ]
    numbers = [*(gains_of(design, asked).values() if asked is not None else ()), design.scores.relevant_from, *bounds]
    parts = lcm(*(Fraction(str(number)).denominator for number in numbers))
    return parts * lcm(*range(1, min(averaged(design).get(question, 1), MOST_AVERAGED) + 1))


IN_ANY_UNIT = frozenset({"nDCG", "Compat", "Judged", "NumRet", "NumQ"})
"""Measures with the same value for gains in any unit, besides those that only distinguish relevant from not."""


def broken_gains(design: Design) -> Iterator[BrokenRule]:
    """Yield a fault for each question whose gains ranked runs can't use, and for each measure that can't use them.

    Gains may have too many decimals, be too large, or be means over too many people. Yields nothing for other runs.
    """
    if design.runs.form != "ranked":
        return
    for question in graded_questions(design):
        people = averaged(design).get(question.key, 1)
        if not people or people > MOST_AVERAGED:
            stage = next(
                place for place, each in enumerate(design.stages) if question in getattr(each, "questions", ())
            )
            message = f"The mean of grades of ranked documents is taken over at most {MOST_AVERAGED} people: ask fewer."
            yield BrokenRule(path=("stages", stage, "people"), message=message)
        elif (unit := unit_of(design, question.key)) > PARTS:
            message = f"Gains of {question.key}, or a bound, have more than four decimals: round them."
            yield BrokenRule(path=("scores",), message=message)
        elif max(gains_of(design, question).values(), default=0) * unit > MOST:
            message = f"Gains of {question.key} are too large for their decimals: {MOST:,} parts of one are the most."
            yield BrokenRule(path=("scores",), message=message)
        highest = max(gains_of(design, question).values(), default=0)
        for place, line in enumerate(design.scores.measures) if unit > 1 or highest > OF_GDEVAL else ():
            said = line if isinstance(line, MeasureLine) else MeasureLine(measure=line)
            gold = gold_question(design)
            if (said.question or (gold.key if gold is not None else "")) != question.key:
                continue
            if unit == 1 and _is_of_gdeval(said.measure):
                message = f"{said.measure} takes gains up to {OF_GDEVAL}; those of {question.key} go to {highest:g}."
                yield BrokenRule(path=("scores", "measures", place), message=message)
            if unit > 1 and _needs_whole(said.measure):
                decimals = (
                    f'means of several people (settle = "mean") of {question.key}'
                    if people > 1
                    else (f"those of {question.key}")
                )
                message = f"{said.measure} takes whole gains alone; {decimals} have decimals."
                yield BrokenRule(path=("scores", "measures", place), message=message)


def _is_of_gdeval(name: str) -> bool:
    try:
        chosen = parse(name)
    except UnknownMeasure:
        return False
    return chosen.measure.name == "ERR" or bool(dict(chosen.values).get("exp"))


def _needs_whole(name: str) -> bool:
    """Return whether a measure's value changes if all gains are multiplied by the same factor. For instance, it changes
    if the measure's name has a bound for relevance.
    """
    try:
        chosen = parse(name)
    except UnknownMeasure:  # another package's, with unknown units; any other is reported elsewhere
        return name in installed_measures()
    values = dict(chosen.values)
    return "rel=" in name or bool(values.get("exp")) or not ("rel" in values or chosen.measure.name in IN_ANY_UNIT)


def in_units(node: Node, unit: int) -> Node:
    """Return the node with a note in its formula that gains were multiplied by ``unit``."""

    def account() -> Account:
        found = node.account()
        return replace(found, formula=f"{found.formula} (gains × {unit})")

    return replace(node, account=account)

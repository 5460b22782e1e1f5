"""Make a criterion from a question of a design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from assess.protocol import Criterion, Grade, Unsure
from tracks.designs.question_rules import conditions_of, grades_named, grades_of, selects_evidence
from tracks.designs.shape import Grade as Written
from tracks.designs.shape import Question

SELECT = "Select the words of the text that say so"


def criterion_of(question: Question, before: Sequence[Question]) -> Criterion:
    """Return the criterion of a question, which may depend on the questions ``before`` it in its stage."""
    graded = grades_of(question)
    unsure = question.unsure
    return Criterion(
        key=question.key,
        question=question.ask,
        help=question.help,
        level=question.level,
        grades=() if question.scales else _scale(question, graded),
        scale=partial(_chosen_scale, question) if question.scales else None,
        evidence=question.evidence_ask or (SELECT if selects_evidence(question) else ""),
        note=question.note_ask,
        labels=tuple(question.evidence_labels),
        unsure=Unsure(key=unsure.press, name=unsure.name) if unsure is not None else None,
        asked_if=tuple(_condition(each, before) for each in conditions_of(question)),
        required=question.required,
        answer=question.answer,
        is_shuffled=question.order == "random",
        words=question.words or 0,
        least=question.least or (len(graded) if question.answer == "rank" and not question.most else 0),
        most=question.most or 0,
    )


def _chosen_scale(question: Question, settings: Any) -> tuple[Grade, ...]:
    """Return the grades of the scale that the campaign's setting chooses."""
    return _scale(question, grades_of(question, settings.highest_grade))


def _scale(question: Question, graded: Sequence[Written]) -> tuple[Grade, ...]:
    unsure = question.unsure
    presses = _presses([grade.press for grade in graded], unsure.press if unsure is not None else "")
    return tuple(
        Grade(
            value=int(grade.value),
            key=press,
            name=grade.name,
            help=grade.help,
            note=grade.note,
            evidence=grade.evidence,
            colour=grade.colour or "",
        )
        for grade, press in zip(graded, presses, strict=True)
    )


def _condition(said: Mapping[str, Any], before: Sequence[Question]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return a condition in which grades are replaced by their values."""
    known = {question.key: question for question in before}
    return tuple(
        (key, tuple(int(grade.value) for grade in grades_named(known[key], named))) for key, named in said.items()
    )


def _presses(said: Sequence[str | None], taken: str) -> list[str]:
    """Return the key to press for each grade. A grade that names no key gets the next digit that is not used yet."""
    free = iter([digit for digit in "1234567890" if digit not in said and digit != taken])
    return [press if press is not None else next(free) for press in said]

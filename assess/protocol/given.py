"""Answers without a grade: "can't tell", a text, a number, several of the choices, or an order of them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from assess.protocol.judging import Criterion

UNSURE: Mapping[str, Any] = {"unsure": True}
LONGEST_TEXT = 4000
LARGEST = 1e15


def given_problem(criterion: Criterion, given: object) -> str:
    """Return what is wrong with an answer without a grade, as a sentence; "" if it answers this criterion."""
    if given == UNSURE:
        return "" if criterion.unsure is not None else f"“{criterion.key}” has to be answered: {_wanted(criterion)}."
    if not isinstance(given, Mapping) or set(given) != {criterion.answer}:
        return f"“{criterion.key}” is answered otherwise: {_wanted(criterion)}."
    return _PROBLEMS[criterion.answer](criterion, given[criterion.answer])


def given_words(criterion: Criterion | None, given: Mapping[str, Any]) -> str:
    """Return an answer without a grade in words, as lists and traces show it."""
    if given.get("unsure"):
        return criterion.unsure.name if criterion is not None and criterion.unsure is not None else "can't tell"
    if (chosen := given.get("several")) is not None:
        return " + ".join(_name(criterion, value) for value in chosen) or "none of them"
    if (ordered := given.get("rank")) is not None:
        return " > ".join(_name(criterion, value) for value in ordered)
    return str(given.get("text", given.get("number", "")))


def compared_words(
    criteria: Iterable[Criterion], said: Mapping[str, int | None], expected: Mapping[str, int]
) -> list[tuple[str, str, str]]:
    """Return, for each question with a known grade, its text, the answer that was given, and the correct one."""
    known = [(each, said.get(each.key), expected[each.key]) for each in criteria if each.key in expected]
    return [(each.question, _grade_word(each, value), _grade_word(each, right)) for each, value, right in known]


def _grade_word(criterion: Criterion, value: int | None) -> str:
    return given_words(criterion, UNSURE) if value is None else _name(criterion, value)


def _name(criterion: Criterion | None, value: int) -> str:
    """Return the name of a grade, or the value itself if the criterion lacks that grade."""
    grade = criterion.grade(value) if criterion is not None else None
    return grade.name if grade is not None else str(value)


def as_word(given: Mapping[str, Any]) -> str:
    """Return an answer without a grade as JSON, in the form in which a script writes it."""
    return json.dumps(given, ensure_ascii=False, separators=(",", ":"))


def _wanted(criterion: Criterion) -> str:
    scale = ", ".join(f"{grade.value} ({grade.name})" for grade in criterion.grades)
    return {
        "text": 'write {"text": "…"}',
        "number": 'give {"number": 1.5}',
        "several": f'choose as {{"several": […]}} from {scale}',
        "rank": f'put in order, the first first, as {{"rank": […]}} {scale}',
    }.get(criterion.answer, f"give one of the grades {scale}")


def _text_problem(criterion: Criterion, text: object) -> str:
    if not isinstance(text, str) or not text.strip():
        return "Write something, or take the answer back."
    if len(text) > LONGEST_TEXT:
        return f"The text has {len(text):,} characters; {LONGEST_TEXT:,} are allowed. Shorten it."
    if criterion.words and (words := len(text.split())) > criterion.words:
        return f"The text has {words:,} words; {criterion.words:,} are allowed. Shorten it."
    return ""


def _number_problem(criterion: Criterion, number: object) -> str:
    del criterion
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        return "Give a number, such as 12 or 0.5."
    return "" if abs(number) <= LARGEST else "The number is too large to be kept exactly."


def _are_values(named: object) -> TypeGuard[list[int]]:
    return isinstance(named, list) and all(type(value) is int for value in named)


def _not_offered(criterion: Criterion, named: list[int]) -> str:
    off = next((value for value in named if criterion.grade(value) is None), None)
    return "" if off is None else f"{off} is none of what is offered. {_wanted(criterion).capitalize()}."


def _several_problem(criterion: Criterion, chosen: object) -> str:
    if not _are_values(chosen):
        return "What is chosen is a list of values."
    if problem := _not_offered(criterion, chosen):
        return problem
    if sorted(set(chosen)) != chosen:
        return "Name each value that is chosen once, the lowest first."
    if len(chosen) < criterion.least:
        return f"Choose at least {criterion.least}."
    if criterion.most and len(chosen) > criterion.most:
        return f"Choose at most {criterion.most}."
    return ""


def _rank_problem(criterion: Criterion, ordered: object) -> str:
    if not _are_values(ordered):
        return "What is put in order is a list of values, the first first."
    if problem := _not_offered(criterion, ordered):
        return problem
    if len(set(ordered)) != len(ordered):
        return "Name each value that is put in order once."
    if len(ordered) < criterion.least:
        return f"Put at least {criterion.least} in order; {len(ordered)} are."
    if criterion.most and len(ordered) > criterion.most:
        return f"Put at most {criterion.most} in order."
    return ""


_PROBLEMS = {"rank": _rank_problem, "text": _text_problem, "number": _number_problem, "several": _several_problem}

"""The rules for a design's questions: their grades, keys, conditions, and allowed combinations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from typing import Any

from tracks.designs.broken import BrokenRule, doubled_names, quoted, unknown_name
from tracks.designs.places import Path
from tracks.designs.shape import Grade, People, Question, StageBase

OF_SEVERAL = ("several", "rank")
"""Answers that consist of several grades."""

LARGEST_RECORDED = 32_767
LARGEST = 100
"""The most steps of a scale of numbers."""


PARTS = 100
"""The factor for all values of a question if one has decimals, since records hold whole numbers."""


def grades_of(question: Question, highest: int | None = None) -> list[Grade]:
    """Return the grades of a question with their recorded values; a scale of numbers is written out, with its digits as
    keys.

    If a value has decimals, all values are recorded in hundredths, and the gains are the values as written. If there
    are several scales, ``highest`` is the highest grade of the wanted scale, as a campaign sets it. By default the
    question's own `highest` is taken.
    """
    if question.scales:
        return scales_of(question).get(highest or question.highest or 0, [])
    if not isinstance(question.grades, str):
        has_decimals = any(each.value % 1 for each in question.grades)
        return [_in_parts(each, question) for each in question.grades] if has_decimals else question.grades
    low, high = _bounds(question.grades)
    if high - low > LARGEST:  # `broken_question` refuses it
        return []
    ends = {low: question.ends[0], high: question.ends[1]} if question.ends else {}
    return [
        Grade(value=value, name=ends.get(value, str(value)), press=str(value) if 0 <= value <= 9 else None)
        for value in range(low, high + 1)
    ]


def scales_of(question: Question) -> dict[int, list[Grade]]:
    """Return the scales among which a campaign's setting chooses, the shortest first. The keys are the highest grades
    of the scales.
    """
    made = {
        len(names) - 1: [Grade(value=value, name=name, press=str(value)) for value, name in enumerate(names)]
        for names in question.scales
    }
    return dict(sorted(made.items()))


def _in_parts(grade: Grade, question: Question) -> Grade:
    is_counted = question.answer == "grade" and grade.gain is None
    made: Grade = grade.model_copy(
        update={"value": round(grade.value * PARTS), "gain": grade.value if is_counted else grade.gain}
    )
    return made


def grades_by_word(question: Question) -> dict[str, Grade]:
    """Return word -> grade for all words that name a grade: its name, and its value as written."""
    written = zip(_as_written(question), grades_of(question), strict=True)
    found = {as_word(said.value): grade for said, grade in written}
    return found | {grade.name: grade for grade in grades_of(question)}


def _as_written(question: Question) -> list[Grade]:
    """Return the grades of `grades_of`, in the same order, with the values that the design gives them."""
    return grades_of(question) if question.scales or isinstance(question.grades, str) else question.grades


def as_word(value: Any) -> str:
    """Return a grade's value or name as a text. A number is written without zeros at the end of its decimals.

    >>> as_word(0.5), as_word(1.0), as_word("yes")
    ('0.5', '1', 'yes')
    """
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _bounds(scale: str) -> tuple[int, int]:
    low, _, high = scale.rpartition("-")
    return int(low), int(high)


def _steps(scale: str) -> int:
    low, high = _bounds(scale)
    return high - low


def broken_question(
    question: Question, all_questions: Sequence[Question], number: int, path: Path
) -> Iterator[BrokenRule]:
    """Yield each rule that a question breaks. If it has no usable scale of grades, yield only that.

    ``path`` is the place of the question in the design, and ``number`` its index among ``all_questions`` of the stage.
    """
    if (fault := _broken_scale(question, path)) is not None:
        yield fault
        return
    if question.ends and not isinstance(question.grades, str):
        yield BrokenRule(
            path=(*path, "ends"), message="ends names the two ends of a scale of numbers, as in 1-5; grades have names."
        )
    yield from _broken_grades(question, path)
    yield from _broken_presses(question, path)
    yield from _broken_members(question, path)
    if question.asked_if is not None and not conditions_of(question):
        yield BrokenRule(
            path=(*path, "asked_if"), message="No condition stands here. Leave asked_if out, or write one."
        )
    for place, condition in enumerate(conditions_of(question)):
        inner = (*path, "asked_if", *((place,) if isinstance(question.asked_if, list) else ()))
        yield from _condition(condition, all_questions, number, inner)


def _broken_scale(question: Question, path: Path) -> BrokenRule | None:
    if question.answer in ("grade", *OF_SEVERAL) and not question.verdicts:
        if isinstance(question.grades, str) and not 0 < _steps(question.grades) <= LARGEST:
            message = "A scale goes from a lower number to a higher one, as in 1-5."
            if _steps(question.grades) > LARGEST:
                message = f"A scale has at most {LARGEST + 1} numbers, as 0-{LARGEST} has: take larger steps."
            return BrokenRule(path=(*path, "grades"), message=message)
        if len(grades_of(question)) < 2 and not question.scales:
            return BrokenRule(path=(*path, "grades"), message=f"The question {question.key} needs two grades or more.")
    return None


def _broken_grades(question: Question, path: Path) -> Iterator[BrokenRule]:
    """Yield a fault for each grade that is not known by its own name, key and value."""
    grades = grades_of(question)
    written = _as_written(question)
    for member in ("value", "name", "press"):
        seen = [getattr(grade, member) for grade in written]
        for place, value in enumerate(seen):
            if value is not None and value in seen[:place]:
                free = f" Free are: {', '.join(_free(question))}." if member == "press" else ""
                message = f"Two grades of {question.key} have the same {member}, {quoted(value)}.{free}"
                yield BrokenRule(path=(*path, "grades", place, member), message=message)
    keys = [grade.key or grade.name.lower() for grade in grades]
    for place, grade in enumerate(grades):
        other = grades[keys.index(keys[place])]
        if other is not grade and other.name != grade.name:
            message = f"The grades {other.name} and {grade.name} of {question.key} would both be known as {keys[place]}"
            where = (*path, "grades", place, "key" if grade.key else "name")
            yield BrokenRule(path=where, message=f"{message}: give one of them another name, or a key of its own.")
    yield from _broken_values(written, path)
    values = {as_word(each.value): grade for each, grade in zip(written, grades, strict=True)}
    for place, grade in enumerate(grades):
        if values.get(grade.name, grade) is not grade:
            message = f"The name {grade.name} is the value of another grade of {question.key}: name it otherwise."
            yield BrokenRule(path=(*path, "grades", place, "name"), message=message)


def _broken_presses(question: Question, path: Path) -> Iterator[BrokenRule]:
    """Yield a fault for each grade, and the answer "unsure", that no key of its own can give."""
    grades = grades_of(question)
    presses = [grade.press for grade in grades if grade.press]
    taken = [*presses, *([question.unsure.press] if question.unsure else [])]
    if (keyless := len(grades) - len(presses)) > (digits := sum(digit not in taken for digit in "1234567890")):
        message = (
            f"Grades of {question.key} that say no key: {keyless}; digits that are free: {digits}. Give each a press."
            if isinstance(question.grades, list)
            else f"{question.grades} has {len(grades)} grades, and each is pressed by a digit: write at most "
            'ten (1-10), or let a number be typed (answer = "number"), which is recorded and not scored.'
        )
        yield BrokenRule(path=(*path, "grades"), message=message)
    for place, grade in enumerate(grades):
        if grade.press is not None and (grade.press.isspace() or not grade.press.isprintable()):
            message = f"Write a letter, a digit or a sign for press. Free are: {', '.join(_free(question))}."
            yield BrokenRule(path=(*path, "grades", place, "press"), message=message)
    if question.unsure and question.unsure.name in [grade.name for grade in grades]:
        message = f"A grade of {question.key} has the name “{question.unsure.name}” already: give unsure another."
        yield BrokenRule(path=(*path, "unsure", "name"), message=message)
    if question.unsure and question.unsure.press in presses:
        message = f"“{question.unsure.press}” is pressed for a grade already. Free are: {', '.join(_free(question))}."
        yield BrokenRule(path=(*path, "unsure", "press"), message=message)


def _broken_members(question: Question, path: Path) -> Iterator[BrokenRule]:
    """Yield a fault for each member that does not go with the question's kind of answer."""
    grades = grades_of(question)
    if question.answer in ("text", "number") and question.grades:
        message = f'A question with answer = "{question.answer}" has no grades: take them away, or the answer.'
        yield BrokenRule(path=(*path, "grades"), message=message)
    if question.answer in OF_SEVERAL and (question.least or 0) > (question.most or len(grades)):
        message = f"least is more than can be chosen, which is {question.most or len(grades)}."
        yield BrokenRule(path=(*path, "least"), message=message)
    if question.answer in OF_SEVERAL and (question.most or 0) > len(grades):
        yield BrokenRule(
            path=(*path, "most"), message=f"most is more than there are to choose from, which is {len(grades)}."
        )
    yield from doubled_names("label", question.evidence_labels, (*path, "evidence_labels"))
    if (question.least or question.most) and question.answer not in OF_SEVERAL:
        yield BrokenRule(
            path=(*path, "least" if question.least else "most"),
            message='least and most are for answer = "several" or "rank".',
        )
    if question.answer != "grade" and "level" in question.model_fields_set:
        message = f'level is of a scale of grades, and {question.key} has answer = "{question.answer}": take it away.'
        yield BrokenRule(path=(*path, "level"), message=message)
    for place, grade in enumerate(grades if question.answer in OF_SEVERAL else ()):
        for member, usual in (("gain", None), ("note", "offered"), ("evidence", "offered")):
            if getattr(grade, member) != usual:
                message = (
                    f'{member} counts where one grade is given, not with answer = "{question.answer}": take it away.'
                )
                yield BrokenRule(path=(*path, "grades", place, member), message=message)
    if question.order == "random" and question.answer in ("text", "number"):
        message = f'order is of grades, and {question.key} has answer = "{question.answer}": take it away.'
        yield BrokenRule(path=(*path, "order"), message=message)
    if question.words and question.answer != "text":
        yield BrokenRule(path=(*path, "words"), message='words is for answer = "text".')


def _broken_values(grades: Sequence[Grade], path: Path) -> Iterator[BrokenRule]:
    """Yield a fault for each value that has more decimals than can be recorded, or is too large."""
    parts = PARTS if any(each.value % 1 for each in grades) else 1
    for place, grade in enumerate(grades):
        said = grade.value * parts
        if not isclose(said, round(said), abs_tol=1e-6):
            message = f"A value has two decimals at most, not {grade.value}: round it, and say its gain as it is."
            yield BrokenRule(path=(*path, "grades", place, "value"), message=message)
        elif abs(said) > LARGEST_RECORDED:
            message = f"Where one value has decimals all are at most {LARGEST_RECORDED / parts}, not {grade.value}."
            yield BrokenRule(path=(*path, "grades", place, "value"), message=message)


def selects_evidence(question: Question) -> bool:
    """Return whether the question, or one of its grades, asks people to select evidence in a document."""
    said = (each for each in grades_of(question) if "evidence" in each.model_fields_set)
    asks = question.evidence_ask or question.evidence_labels
    return bool(asks) or any(each.evidence != "none" for each in said)


def people_of(stage: StageBase) -> tuple[int, float]:
    """Return (number of people who judge a topic, share of the topics that so many judge); (0, 1.0) for any number."""
    if isinstance(stage.people, People):
        return stage.people.each, stage.people.share
    return (stage.people, 1.0) if isinstance(stage.people, int) else (0, 1.0)


def conditions_of(question: Question) -> list[dict[str, Any]]:
    """Return the conditions under which a question is asked, any of which is enough. Return [] if it is always
    asked.
    """
    asked = question.asked_if
    return [] if asked is None else asked if isinstance(asked, list) else [asked]


def grades_named(question: Question, named: Any) -> list[Grade]:
    """Return the grades that a condition names, by name or value."""
    by_word = grades_by_word(question)
    wanted = [
        by_word[word] for each in (named if isinstance(named, list) else [named]) if (word := as_word(each)) in by_word
    ]
    return [grade for grade in grades_of(question) if grade in wanted]


def _condition(
    condition: Mapping[str, Any], all_questions: Sequence[Question], number: int, path: Path
) -> Iterator[BrokenRule]:
    known = {question.key: question for question in all_questions[:number]}
    later = [question.key for question in all_questions[number + 1 :]]
    if not condition:
        yield BrokenRule(path=path, message="This condition names no question, so it would always hold: leave it out.")
    for name, values in condition.items():
        inner = (*path, name)
        if name == all_questions[number].key:
            yield BrokenRule(path=inner, message=f"{name} can't depend on its own answer: name a question before it.")
            continue
        if name in later:
            message = f"{name} is asked after this one: move it before it, so that its answer is there."
            yield BrokenRule(path=inner, message=message)
            continue
        if name not in known:
            yield BrokenRule(
                path=inner, message=unknown_name("question", name, list(known), "before this one in its stage")
            )
            continue
        grades = grades_of(known[name])
        if not grades or known[name].answer != "grade":
            yield BrokenRule(path=inner, message=f"{name} is not answered by a grade, so nothing can depend on it.")
            continue
        allowed = grades_by_word(known[name])
        wanted = values if isinstance(values, list) else [values]
        if not wanted:
            yield BrokenRule(
                path=inner, message=f"No grade of {name} is named, so this would never be asked: name one."
            )
        for value in wanted:
            if isinstance(value, bool) or as_word(value) not in allowed:
                shown = str(value).lower() if isinstance(value, bool) else as_word(value)
                message = unknown_name(f"grade of {name}", shown, [grade.name for grade in grades], "")
                yield BrokenRule(path=inner, message=message)


def _free(question: Question) -> list[str]:
    taken = {grade.press for grade in grades_of(question)} | ({question.unsure.press} if question.unsure else set())
    return [key for key in "1234567890abhmorswxyz" if key not in taken][:6]

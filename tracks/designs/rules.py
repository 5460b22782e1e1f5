"""Which members of a design go together: what one says of another, and what Assay does not know yet."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from scoring.measures import MEASURES, parse
from scoring.measures.graded_items import CITED
from scoring.measures.spec import UnknownMeasure
from tracks.designs.judged_items import CITATION, KINDS, has_document, item_kind, item_word
from tracks.designs.places import Path
from tracks.designs.shape import Design, Grade, GradeStage, ItemRuns, MeasureLine, PairStage, Question

BENCH_KEYS = frozenset("ijkuftlqvedcnpgHD/?[]+=-")
"""Keys that the bench has itself."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Broken:
    """A rule that does not hold, and where."""

    path: Path
    message: str
    severity: Literal["error", "warning"] = "error"


def broken_rules(design: Design) -> Iterator[Broken]:
    """Every rule that the design breaks."""
    yield from _doubled("stage", [stage.key for stage in design.stages], ("stages",))
    stages = [stage.key for stage in design.stages]
    for place, stage in enumerate(design.stages):
        path: Path = ("stages", place)
        for member, named in (("after", stage.after), ("needs", stage.needs), ("from", stage.source)):
            if named and named not in stages[:place]:
                yield Broken(path=(*path, member), message=_no_such("stage", named, stages[:place], "before this one"))
        if isinstance(stage, GradeStage | PairStage):
            questions = [question.key for question in stage.questions]
            yield from _doubled("question", questions, (*path, "questions"))
            for number, question in enumerate(stage.questions):
                yield from _question(question, stage.questions[:number], (*path, "questions", number))
    asked = [
        (each.key, ("stages", place, "questions", number))
        for place, stage in enumerate(design.stages)
        if isinstance(stage, GradeStage)
        for number, each in enumerate(stage.questions)
    ]
    for number, (key, where) in enumerate(asked):
        earlier = [other for other, there in asked[:number] if there[:2] != where[:2]]
        if key in earlier:
            message = f"Another stage has a question {key}, too: give each a key of its own, as their files are named."
            yield Broken(path=(*where, "key"), message=message)
    yield from broken_items(design)
    if design.guidelines is not None and re.search(r"[/\\\x00]|^\.", design.guidelines.file):
        message = "The guidelines lie beside the design: write the name of a file alone."
        yield Broken(path=("guidelines", "file"), message=message)
    yield from _scores(design)
    yield from _changes(design)
    yield from _unknown_yet(design)


def broken_items(design: Design) -> Iterator[Broken]:
    """What stages and measures ask of items that runs of this form do not have."""
    gold = gold_question(design)
    cited = {
        question.key
        for stage in design.stages
        if isinstance(stage, GradeStage) and item_kind(design, stage) == CITATION
        for question in stage.questions
    }
    for place, line in enumerate(design.scores.measures):
        name, said = (line.measure, line.question) if isinstance(line, MeasureLine) else (line, "")
        asked = said or (gold.key if gold is not None else "")
        if name in CITED and design.runs.form != "ranked" and asked not in cited:
            message = f"{name} is taken of a question that is asked of citations, and {asked} is not."
            yield Broken(path=("scores", "measures", place), message=message)
    known = KINDS[design.runs.form]
    for place, stage in enumerate(design.stages):
        if not isinstance(stage, GradeStage):
            continue
        path: Path = ("stages", place)
        word, kind = item_word(design, stage), item_kind(design, stage)
        if not kind:
            message = _no_such("item", word, list(known), f"in runs of the form {design.runs.form}")
            yield Broken(path=(*path, "item"), message=message)
        elif not has_document(design, kind):
            hint = "name the column of its docno in [runs] document" if isinstance(design.runs, ItemRuns) else ""
            hint = hint or "ask it of a citation or a passage"
            for number, question in enumerate(stage.questions):
                if question.evidence_ask:
                    message = f"Evidence is selected in a document, and a {word} has none: {hint}."
                    yield Broken(path=(*path, "questions", number, "evidence_ask"), message=message)


# ---------------------------------------------------------------- questions


def grades_of(question: Question) -> list[Grade]:
    """The grades of a question, those of a scale of numbers written out: pressed by their digits."""
    if not isinstance(question.grades, str):
        return question.grades
    low, high = _bounds(question.grades)
    ends = {low: question.ends[0], high: question.ends[1]} if question.ends else {}
    return [
        Grade(value=value, name=ends.get(value, str(value)), press=str(value) if 0 <= value <= 9 else None)
        for value in range(low, high + 1)
    ]


def _bounds(scale: str) -> tuple[int, int]:
    low, _, high = scale.rpartition("-")
    return int(low), int(high)


def _question(question: Question, before: Sequence[Question], path: Path) -> Iterator[Broken]:
    if question.answer in ("grade", "several") and not question.verdicts:
        if isinstance(question.grades, str) and not 0 < _bounds(question.grades)[1] - _bounds(question.grades)[0] < 101:
            yield Broken(path=(*path, "grades"), message="A scale goes from a lower number to a higher one, as in 1-5.")
            return
        if len(grades_of(question)) < 2:
            yield Broken(path=(*path, "grades"), message=f"The question {question.key} needs two grades or more.")
            return
    if question.ends and not isinstance(question.grades, str):
        yield Broken(
            path=(*path, "ends"), message="ends names the two ends of a scale of numbers, as in 1-5; grades have names."
        )
    grades = grades_of(question)
    for member in ("value", "name", "press"):
        seen = [getattr(grade, member) for grade in grades]
        for place, value in enumerate(seen):
            if value is not None and value in seen[:place]:
                free = f" Free are: {', '.join(_free(question))}." if member == "press" else ""
                message = f"Two grades of {question.key} have the same {member}, {_shown(value)}.{free}"
                yield Broken(path=(*path, "grades", place, member), message=message)
    presses = [grade.press for grade in grades if grade.press]
    if (keyless := len(grades) - len(presses)) > (digits := sum(digit not in presses for digit in "1234567890")):
        message = (
            f"Grades of {question.key} that say no key: {keyless}; digits that are free: {digits}. Give each a press."
        )
        yield Broken(path=(*path, "grades"), message=message)
    if question.unsure and question.unsure.press in presses:
        message = f"“{question.unsure.press}” is pressed for a grade already. Free are: {', '.join(_free(question))}."
        yield Broken(path=(*path, "unsure", "press"), message=message)
    if (question.least or question.most) and question.answer != "several":
        yield Broken(
            path=(*path, "least" if question.least else "most"), message='least and most are for answer = "several".'
        )
    if question.words and question.answer != "text":
        yield Broken(path=(*path, "words"), message='words is for answer = "text".')
    for number, condition in enumerate(_conditions(question)):
        inner = (*path, "asked_if", *((number,) if isinstance(question.asked_if, list) else ()))
        yield from _condition(condition, before, inner)


def _conditions(question: Question) -> list[dict[str, Any]]:
    asked = question.asked_if
    return [] if asked is None else asked if isinstance(asked, list) else [asked]


def _condition(condition: Mapping[str, Any], before: Sequence[Question], path: Path) -> Iterator[Broken]:
    known = {question.key: question for question in before}
    for name, values in condition.items():
        if name not in known:
            yield Broken(
                path=(*path, name), message=_no_such("question", name, list(known), "before this one in its stage")
            )
            continue
        grades = grades_of(known[name])
        allowed = {str(each) for grade in grades for each in (grade.name, grade.value)}
        for value in values if isinstance(values, list) else [values]:
            if str(value) not in allowed:
                message = _no_such(f"grade of {name}", str(value), [grade.name for grade in grades], "")
                yield Broken(path=(*path, name), message=message)


def _free(question: Question) -> list[str]:
    taken = {grade.press for grade in grades_of(question)} | ({question.unsure.press} if question.unsure else set())
    return [key for key in "1234567890abhmorswxyz" if key not in taken][:6]


# ---------------------------------------------------------------- scores and changes


def gold_question(design: Design) -> Question | None:
    """The question whose gains are the gold: the one that is named, else the first of a stage of grades."""
    asked = [question for stage in design.stages if isinstance(stage, GradeStage) for question in stage.questions]
    return next((each for each in asked if each.key == (design.scores.question or each.key)), None)


def gains_of(design: Design, question: Question) -> dict[int | float, float]:
    """What each value of a question counts in scores."""
    said = {str(name): gain for name, gain in design.scores.gains.items()}
    gains = {}
    for grade in grades_of(question):
        own = grade.value if grade.gain is None else grade.gain
        gains[grade.value] = float(said.get(grade.name, said.get(str(grade.value), own)))
    return gains


def _scores(design: Design) -> Iterator[Broken]:
    scores = design.scores
    asked = [each.key for stage in design.stages if isinstance(stage, GradeStage) for each in stage.questions]
    gold = gold_question(design)
    if scores.question and gold is None:
        yield Broken(path=("scores", "question"), message=_no_such("question", scores.question, asked, ""))
    if gold is not None:
        names = {str(each) for grade in grades_of(gold) for each in (grade.name, grade.value)}
        for name in scores.gains:
            if name not in names:
                known = [grade.name for grade in grades_of(gold)]
                yield Broken(path=("scores", "gains", name), message=_no_such(f"grade of {gold.key}", name, known, ""))
        gains = gains_of(design, gold).values()
        if not any(gain >= scores.relevant_from for gain in gains):
            message = f"No grade of {gold.key} gains {scores.relevant_from} or more, so nothing would be relevant."
            yield Broken(path=("scores", "relevant_from"), message=message)
        if any(gain < 0 for gain in gains):
            yield Broken(path=("scores",), message=f"A gain of {gold.key} is below 0; the least is 0.")
    labels = []
    for place, line in enumerate(scores.measures):
        name = line.measure if isinstance(line, MeasureLine) else line
        labels.append(line.label or name if isinstance(line, MeasureLine) else name)
        yield from _measure(name, ("scores", "measures", place), FAMILIES.get(design.runs.form, "graded"))
        if isinstance(line, MeasureLine) and line.question and line.question not in asked:
            message = _no_such("question", line.question, asked, "")
            yield Broken(path=("scores", "measures", place, "question"), message=message)
    yield from _doubled("measure", labels, ("scores", "measures"))
    if scores.official and scores.official not in labels:
        yield Broken(path=("scores", "official"), message=_no_such("measure", scores.official, labels, "in measures"))


OF_OTHERS = frozenset(
    {
        *("rubric-supported", "rubric-contradicted"),
        *("davidson", "bradley-terry", "rao-kupper"),
    }
)
"""Measures of kinds of work that come later."""


FAMILIES = {"ranked": "ranked"}
"""The family of measures that runs of a form have; those of other forms have the measures of graded items."""


def _measure(name: str, path: Path, family: str) -> Iterator[Broken]:
    if name in OF_OTHERS:
        yield Broken(path=path, message=f"The measure {name} is not known yet.")
        return
    try:
        if parse(name).measure.family != family:
            named = [each.name for each in MEASURES if each.family == family]
            message = f"{name} is no measure of ranked runs; see `python -m scoring measures`."
            if family != "ranked":
                message = _no_such("measure of graded items", name, named, "")
            yield Broken(path=path, message=message)
    except UnknownMeasure as error:
        yield Broken(path=path, message=f"{str(error)[:1].upper()}{str(error)[1:].rstrip('?')}.")


def _changes(design: Design) -> Iterator[Broken]:
    asked = {each.key: each for stage in design.stages if isinstance(stage, GradeStage) for each in stage.questions}
    for place, change in enumerate(design.changes):
        question = asked.get(change.question)
        if question is None:
            message = _no_such("question", change.question, list(asked), "")
            yield Broken(path=("changes", place, "question"), message=message)
        elif change.now not in [grade.value for grade in grades_of(question)]:
            message = f"{change.now} is no value of {question.key}, so nothing can be mapped to it."
            yield Broken(path=("changes", place, "to"), message=message)
        if (change.question, change.before) in [(each.question, each.before) for each in design.changes[:place]]:
            message = f"What {change.before} of {change.question} becomes is said twice."
            yield Broken(path=("changes", place, "from"), message=message)


# ---------------------------------------------------------------- what is not known yet


def _unknown_yet(design: Design) -> Iterator[Broken]:
    """What the names stand for already and Assay can't do yet, each with its line."""
    if isinstance(design.runs, ItemRuns):
        if not isinstance(design.runs.text, str):
            yield _later(("runs", "text"), "pairs of texts")
        if design.runs.suggest:
            yield _later(("runs", "suggest"), "answers that are suggested in a file; the API takes machine judges'")
    gold = gold_question(design)
    gains = gains_of(design, gold).values() if gold is not None else ()
    if not all(gain.is_integer() for gain in gains):
        yield _later(("scores",), "a gain that is no whole number")
    for place, line in enumerate(design.scores.measures):
        if isinstance(line, MeasureLine) and not float(line.relevant_from or 0).is_integer():
            yield _later(("scores", "measures", place, "relevant_from"), "a bound that is no whole number")
    if not float(design.scores.relevant_from).is_integer():
        yield _later(("scores", "relevant_from"), "a bound that is no whole number")
    if design.base:
        yield _later(("base",), "A design on the base of another evaluation")
    if design.exports:
        yield _later(("exports", 0), "[[exports]]")
    for place, stage in enumerate(design.stages):
        path: Path = ("stages", place)
        if not isinstance(stage, GradeStage):
            yield _later((*path, "work"), f'work = "{stage.work}" in a design')
            continue
        if stage.settle != "adjudicator":
            yield _later((*path, "settle"), f'settle = "{stage.settle}"')
        for name in ("control", "practice", "repeats", "hand_out", "agreement"):
            if getattr(stage, name) is not None:
                yield _later((*path, name), f"[stages.{name}]; set it on the site's pages")
        for member, said in (("needs", stage.needs), ("from", stage.source), ("help_file", stage.help_file)):
            if said:
                yield _later((*path, member), f"{member} in a design")
        if not isinstance(stage.people, int) and stage.people != "any":
            yield _later((*path, "people"), "people with a share; hand the second judgments out on the site's pages")
        for number, question in enumerate(stage.questions):
            yield from _unknown_in(question, (*path, "questions", number))


def _unknown_in(question: Question, path: Path) -> Iterator[Broken]:
    if question.answer != "grade":
        yield _later((*path, "answer"), f'answer = "{question.answer}"')
    for name in ("asked_if", "unsure", "evidence_labels", "verdicts", "reasons", "help_file"):
        if getattr(question, name):
            yield _later((*path, name), name)
    if question.order == "random":
        yield _later((*path, "order"), 'order = "random"')
    if not question.required:
        yield _later((*path, "required"), "required = false")
    for place, grade in enumerate(grades_of(question)):
        inner = (*path, "grades", place)
        if isinstance(grade.value, float) and not grade.value.is_integer():
            yield _later((*inner, "value"), "a value that is no whole number")
        if grade.note == "required":
            yield _later((*inner, "note"), 'note = "required"')
        if grade.press in BENCH_KEYS:
            yield _later((*inner, "press"), f"the key “{grade.press}” for a grade, which the bench has itself")


def _later(path: Path, what: str) -> Broken:
    return Broken(path=path, message=f"Not yet known: {what}. Leave it out until it is.")


# ---------------------------------------------------------------- words


def _doubled(what: str, names: Iterable[str], path: Path) -> Iterator[Broken]:
    listed = list(names)
    counts = Counter(listed)
    for place, name in enumerate(listed):
        if counts[name] > 1 and name in listed[:place]:
            yield Broken(path=(*path, place), message=f"There are two of {what} {name}: give each a name of its own.")


def _no_such(what: str, name: str, known: Sequence[str], where: str) -> str:
    near = get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    there = f" There are: {', '.join(known)}." if known else " There is none."
    return f"There is no {what} “{name}”{f' {where}' if where else ''}.{hint}{there}"


def _shown(value: Any) -> str:
    return f"“{value}”" if isinstance(value, str) else str(value)

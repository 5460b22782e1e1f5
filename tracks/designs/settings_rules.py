"""Check what a design leaves to campaigns and their files: the scale, the bound of relevance, published qrels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from tracks.designs.broken import BrokenRule
from tracks.designs.gains import gold_question
from tracks.designs.judged_items import DOCUMENT, item_kind
from tracks.designs.places import Path
from tracks.designs.question_rules import conditions_of, scales_of
from tracks.designs.shape import Design, GradeStage, PairStage, Question


def faults_of_settings(design: Design) -> Iterator[BrokenRule]:
    """Yield a fault for each choice that is left to campaigns or files but conflicts with the rest of the design."""
    scaled: list[str] = []
    reading: list[str] = []
    for place, stage in enumerate(design.stages):
        for number, question in enumerate(stage.questions if isinstance(stage, GradeStage | PairStage) else ()):
            path: Path = ("stages", place, "questions", number)
            yield from _scales(question, path)
            if question.scales or question.highest:
                yield from _scales_in_place(design, stage, question, scaled, path)
            if question.qrels:
                yield from _qrels(design, stage, question, reading, path)
    if design.scores.relevant_from_setting and design.runs.form != "ranked":
        message = "Of ranked runs alone a campaign may set from which gain on something is relevant: take this away."
        yield BrokenRule(path=("scores", "relevant_from_setting"), message=message)
    gold = gold_question(design)
    if design.scores.gains and gold is not None and gold.scales:
        message = f"{gold.key} has several scales, whose grades gain their values: take these away, or write grades."
        yield BrokenRule(path=("scores", "gains"), message=message)
    if (said := design.guidelines) is not None and bool(said.file) == bool(said.text):
        message = "Both file and text stand here: keep one." if said.file else "[guidelines] needs file or text."
        yield BrokenRule(path=("guidelines", "text") if said.file else ("guidelines",), message=message)


def _scales(question: Question, path: Path) -> Iterator[BrokenRule]:
    """Yield the faults of a question's scales: scales that are invalid, and a question for which no scale could be
    chosen.
    """
    if not question.scales:
        if question.highest is not None:
            message = "highest says which of several scales is asked, and there is none: take it away, or write scales."
            yield BrokenRule(path=(*path, "highest"), message=message)
        return
    if question.grades:
        yield BrokenRule(path=(*path, "scales"), message="Both grades and scales stand here: keep one.")
    if question.answer != "grade":
        message = f'scales are chosen from where one grade is given, not with answer = "{question.answer}".'
        yield BrokenRule(path=(*path, "scales"), message=message)
    known: set[int] = set()
    for place, names in enumerate(question.scales):
        if len(names) in known:
            message = f"Two scales have the highest grade {len(names) - 1}, by which they are chosen: keep one of them."
            yield BrokenRule(path=(*path, "scales", place), message=message)
        known.add(len(names))
        lower = [name.lower() for name in names]
        for value, name in enumerate(lower):
            if name in lower[:value]:
                message = f"Two grades of a scale are called {names[value]}: give each a name of its own."
                yield BrokenRule(path=(*path, "scales", place, value), message=message)
            elif name != str(value) and re.fullmatch(r"[0-9]+", name):
                message = f"The grade {value} is called {name}, which is another number: give it another name."
                yield BrokenRule(path=(*path, "scales", place, value), message=message)
    if question.highest not in scales_of(question):
        ends = ", ".join(map(str, scales_of(question)))
        message = f"Say in highest with which of the scales a campaign begins, by its highest grade: {ends}."
        yield BrokenRule(path=(*path, "scales" if question.highest is None else "highest"), message=message)
    if question.unsure and question.unsure.press in {str(value) for value in range(max(known))}:
        message = f"“{question.unsure.press}” is pressed for a grade of one of the scales: give unsure another key."
        yield BrokenRule(path=(*path, "unsure", "press"), message=message)


def _scales_in_place(
    design: Design, stage: GradeStage | PairStage, question: Question, scaled: list[str], path: Path
) -> Iterator[BrokenRule]:
    """Yield the faults of a question with several scales: a place where such a question is not allowed, or a member
    that depends on the grades of one scale.
    """
    if design.runs.form != "ranked":
        yield BrokenRule(
            path=(*path, "scales"), message="Of ranked runs alone a campaign chooses the scale: write grades."
        )
    if scaled:
        message = f"The scale of {scaled[0]} is chosen by the setting highest_grade already: write grades here."
        yield BrokenRule(path=(*path, "scales"), message=message)
    scaled.append(question.key)
    for number, other in enumerate(stage.questions):
        if any(question.key in condition for condition in conditions_of(other)):
            message = f"{question.key} has several scales, so that no grade of it can be a condition: give it grades."
            yield BrokenRule(path=(*path[:-1], number, "asked_if"), message=message)
    for member in ("control", "practice"):
        if getattr(stage, member) is not None:
            message = f"{question.key} has several scales, and known answers are those of one: give it grades."
            yield BrokenRule(path=(*path[:2], member), message=message)


def _qrels(
    design: Design, stage: GradeStage | PairStage, question: Question, reading: list[str], path: Path
) -> Iterator[BrokenRule]:
    """Yield the faults of a question's qrels: its grades are not of ranked documents, another question reads qrels
    already, or no file can have the name.
    """
    is_graded = question.answer == "grade" and isinstance(stage, GradeStage)
    if design.runs.form != "ranked" or not is_graded or item_kind(design, stage) != DOCUMENT:
        message = "qrels are grades of documents that runs rank: take this away."
        yield BrokenRule(path=(*path, "qrels"), message=message)
    if reading:
        message = f"The files of qrels are judgments of {reading[0]} already: take this away."
        yield BrokenRule(path=(*path, "qrels"), message=message)
    reading.append(question.key)
    for place, name in enumerate(question.qrels):
        if re.search(r"[/\\\x00]|^\.", name):
            message = "Qrels lie among the files of the campaign: write a name alone, such as qrels*.txt."
            yield BrokenRule(path=(*path, "qrels", place), message=message)
        elif fnmatchcase("judgments.jsonl", name) or fnmatchcase("topics.txt", name):
            message = f"{name} is the name of other files, too: write one that only qrels have, such as qrels*.txt."
            yield BrokenRule(path=(*path, "qrels", place), message=message)

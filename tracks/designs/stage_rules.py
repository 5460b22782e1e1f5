"""Check which members of a stage of questions go together, and which of them Assay does not support yet."""

from __future__ import annotations

from collections.abc import Iterator

from tracks.designs.broken import BrokenRule, not_yet_known, unknown_name
from tracks.designs.judged_items import has_document, item_kind, item_word, items_of_form
from tracks.designs.places import Path
from tracks.designs.question_rules import grades_of
from tracks.designs.run_tables import ItemRuns
from tracks.designs.shape import Design, GradeStage, ItemStage, PairStage, Question


def faults_of_grading(design: Design, stage: GradeStage, place: int) -> Iterator[BrokenRule]:
    """Yield a fault for everything that is wrong with a stage in which items are graded."""
    path: Path = ("stages", place)
    yield from _settled(stage, path)
    for member, said in (("needs", stage.needs), ("from", stage.source)):
        if said:
            yield not_yet_known((*path, member), f"{member} in a design")
    if stage.without_runs:
        yield not_yet_known((*path, "without_runs"), "without_runs of a stage of grades")
    for number, question in enumerate(stage.questions):
        yield from _unknown_in(question, (*path, "questions", number))
    yield from faults_of_item(design, stage, place)
    yield from _evidence(design, stage, path)


def faults_of_pairs(design: Design, stage: PairStage, place: int) -> Iterator[BrokenRule]:
    """Yield one fault, which says that pairs are not supported yet."""
    del design
    message = (
        f'Not yet known: work = "{stage.work}" in a design. The nearest is a table of pairs: [runs] form = "items", '
        'text = one answer, shown = ["the other"], and a question whose grades are left, equal and right.'
    )
    yield BrokenRule(path=("stages", place, "work"), message=message)


def faults_of_item(design: Design, stage: ItemStage, place: int) -> Iterator[BrokenRule]:
    """Yield a fault if runs of this form do not have the kind of items that the stage judges."""
    if not item_kind(design, stage):
        if item_word(design, stage) == "topic":
            yield not_yet_known(("stages", place, "item"), 'item = "topic"')
            return
        known = list(items_of_form(design.runs.form))
        message = unknown_name("item", item_word(design, stage), known, f"in runs of the form {design.runs.form}")
        yield BrokenRule(path=("stages", place, "item"), message=message)


def _evidence(design: Design, stage: GradeStage, path: Path) -> Iterator[BrokenRule]:
    """Yield a fault for each question that asks for evidence although its items have no document."""
    kind = item_kind(design, stage)
    if not kind or has_document(design, kind):
        return
    hint = "name the column of its text in [runs] source, or of its docno in document"
    if not isinstance(design.runs, ItemRuns):
        hint = "ask it of a citation or a passage"
    for number, question in enumerate(stage.questions):
        needed = any(grade.evidence == "required" for grade in grades_of(question))
        if question.evidence_ask or question.evidence_labels or needed:
            member = next((each for each in ("evidence_ask", "evidence_labels") if getattr(question, each)), "")
            message = f"Evidence is selected in a document, and a {item_word(design, stage)} has none: {hint}."
            yield BrokenRule(path=(*path, "questions", number, member or "grades"), message=message)


def _settled(stage: GradeStage, path: Path) -> Iterator[BrokenRule]:
    """Yield a fault if a stage asks to be settled by majority or mean, but can't be."""
    if stage.settle in ("majority", "mean") and stage.people == 1:
        message = f'settle = "{stage.settle}" counts what several say: say how many people judge.'
        yield BrokenRule(path=(*path, "settle"), message=message)
    for number, question in enumerate(stage.questions if stage.settle == "mean" else ()):
        if question.asked_if is not None:
            yield not_yet_known(
                (*path, "questions", number, "asked_if"), "conditions where the mean of all grades counts"
            )


def _unknown_in(question: Question, path: Path) -> Iterator[BrokenRule]:
    for name in ("verdicts", "reasons"):
        if getattr(question, name):
            yield not_yet_known((*path, name), name)

"""The names of the files that a design exports: the usual names, or those in its [[exports]]."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tracks.designs.gains import averaged, gold_question, graded_questions
from tracks.designs.judged_items import has_matches
from tracks.designs.places import Path
from tracks.designs.shape import Design, Exported, GradeStage
from tracks.rag_nuggets.exports import ASSIGNMENTS, NUGGETS

FIXED = frozenset({"judgments.jsonl", "manifest.json"})
"""Files that every campaign exports."""


def rows_file(question: str) -> str:
    """Return the name of the file with the grades of each system's rows."""
    return f"rows-{question}.csv"


def usual_files(design: Design) -> dict[str, str]:
    """Return the default file name for each question."""
    asked = [each.key for each in graded_questions(design)]
    gold = gold_question(design)
    in_lines = asked if design.runs.form != "ranked" else list(averaged(design))
    qrels = {key: "qrels.txt" if gold is not None and key == gold.key else f"qrels-{key}.txt" for key in asked}
    return {key: f"grades-{key}.jsonl" if key in in_lines else qrels[key] for key in asked}


def exported_files(design: Design) -> dict[str, str]:
    """Return question -> file name. The name is given by an entry of [[exports]] or, if there is none, is the usual
    one.
    """
    named = {_question(design, each): each.name for each in design.exports}
    return {question: named.get(question, name) for question, name in usual_files(design).items()}


def _question(design: Design, entry: Exported) -> str:
    """Return the key of the question that an entry is about. If the entry names no question, it is the only question of
    its stage. Return "" if the stage has several.
    """
    stage = next((each for each in design.stages if each.key == entry.stage), None)
    keys = [each.key for each in stage.questions] if isinstance(stage, GradeStage) else []
    if entry.question:
        return entry.question if entry.question in keys else ""
    return keys[0] if len(keys) == 1 else ""


def faults_of_exports(design: Design) -> Iterator[tuple[Path, str]]:
    """Yield (path, message) for each fault of an entry of [[exports]]; an entry may have several.

    It must name a question of a stage that has no earlier entry, and a file name that is allowed and not taken. Columns
    are not supported yet.
    """
    questions: set[str] = set()
    named = {_question(design, each) for each in design.exports}
    kept = {name for question, name in usual_files(design).items() if question not in named}
    of_nuggets = {NUGGETS, ASSIGNMENTS} if has_matches(design) else set()
    of_rows = set(map(rows_file, usual_files(design))) if getattr(design.runs, "row", "") else set()
    names = {name.lower(): name for name in kept | of_nuggets | of_rows | FIXED}
    for place, entry in enumerate(design.exports):
        path: Path = ("exports", place)
        question = _question(design, entry)
        stages = {each.key: each for each in design.stages}
        stage = stages.get(entry.stage)
        if stage is None:
            yield (*path, "stage"), f"There is no stage “{entry.stage}”. There are: {', '.join(stages)}."
        elif not question:
            asked = [each.key for each in stage.questions] if isinstance(stage, GradeStage) else []
            yield (*path, "question"), f"Name one of the questions of {stage.key}: {', '.join(asked)}."
        elif question in questions:
            yield path, f"The question {question} has a file already."
        questions.add(question)
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", entry.name):
            yield (*path, "name"), "The name of a file has letters, digits, “.”, “_” and “-” alone."
        elif entry.name.lower() in names:
            yield (*path, "name"), f"There is another file called {names[entry.name.lower()]}."
        names[entry.name.lower()] = entry.name
        if entry.columns:
            yield (*path, "columns"), "Not yet known: columns of a file. Leave it out until it is."

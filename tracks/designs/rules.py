"""Check which members of a design go together, and which of them Assay does not support yet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches

from assess.documents.words import LANGUAGES
from scoring.measures import MEASURES, parse
from scoring.measures.graded_items import CITED, RUBRIC
from scoring.measures.ranked_values import refuse_uncomputed
from scoring.measures.spec import UnknownMeasure
from scoring.measures.trec_eval_names import measures_called
from tracks.designs.broken import BrokenRule, doubled_names, not_yet_known, unknown_name
from tracks.designs.checked_work import AGREEMENT, faults_of_work
from tracks.designs.described_work import described_works
from tracks.designs.exported_files import faults_of_exports
from tracks.designs.gains import broken_gains, gains_of, gold_question, graded_questions
from tracks.designs.judged_items import (
    CITATION,
    OF_NUGGETS,
    OWN,
    has_matches,
    item_kind,
)
from tracks.designs.nugget_rules import sentences_beside_matches
from tracks.designs.places import Path
from tracks.designs.question_rules import broken_question, grades_by_word, grades_of, selects_evidence
from tracks.designs.run_tables import ItemRuns
from tracks.designs.settings_rules import faults_of_settings
from tracks.designs.shape import Design, GradeStage, MeasureLine, PairStage, Question
from tracks.installed import installed_measures


def broken_rules(design: Design) -> Iterator[BrokenRule]:
    """Yield each rule that the design breaks."""
    yield from doubled_names("stage", [stage.key for stage in design.stages], ("stages",))
    stages = [stage.key for stage in design.stages]
    for place, stage in enumerate(design.stages):
        path: Path = ("stages", place)
        for member, named in (("after", stage.after), ("needs", stage.needs), ("from", stage.source)):
            if named and named not in stages[:place]:
                yield BrokenRule(
                    path=(*path, member), message=unknown_name("stage", named, stages[:place], "before this one")
                )
        if isinstance(stage, GradeStage | PairStage):
            questions = [question.key for question in stage.questions]
            yield from doubled_names("question", questions, (*path, "questions"))
            for number, question in enumerate(stage.questions):
                yield from broken_question(question, stage.questions, number, (*path, "questions", number))
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
            yield BrokenRule(path=(*where, "key"), message=message)
    if design.language not in LANGUAGES:
        message = f"“{design.language}” is no language that Assay knows. Write its code, such as en, de or zh."
        yield BrokenRule(path=("language",), message=message)
    yield from doubled_names("topic", design.topics.judged, ("topics", "judged"))
    yield from _cited_measures(design)
    yield from faults_of_settings(design)
    if design.guidelines is not None and _lies_elsewhere(design.guidelines.file or ""):
        message = "The guidelines lie beside the design: write the name of a file alone."
        yield BrokenRule(path=("guidelines", "file"), message=message)
    yield from (BrokenRule(path=path, message=message) for path, message in faults_of_exports(design))
    yield from (BrokenRule(path=path, message=message) for path, message in faults_of_work(design))
    for place, stage in enumerate(design.stages):
        yield from described_works()[stage.work].faults(design, stage, place)
    yield from sentences_beside_matches(design)
    yield from _scores(design)
    yield from broken_gains(design)
    yield from _changes(design)
    yield from _documents_and_pool(design)
    yield from _items(design)


def _lies_elsewhere(named: str) -> bool:
    """Return whether a file's name contains a folder, or is the name of a hidden file."""
    return re.search(r"[/\\\x00*?\[]|^\.", named) is not None


def _documents_and_pool(design: Design) -> Iterator[BrokenRule]:
    """Yield faults in [documents] and [pool]: members that have no effect for runs of this form, and documents that a
    bench can't show as asked.
    """
    documents = design.documents
    if documents.form == "markdown":
        yield not_yet_known(("documents", "as"), 'as = "markdown"; such documents are shown as text')
    if "text" not in [name.lower() for name in documents.shown]:
        yield not_yet_known(("documents", "shown"), "documents without their text; name text, too")
    yield from doubled_names("field", [name.lower() for name in documents.shown], ("documents", "shown"))
    asked = [each for stage in design.stages if isinstance(stage, GradeStage) for each in stage.questions]
    if "form" in documents.model_fields_set and documents.form == "html" and any(map(selects_evidence, asked)):
        message = 'Snippets are selected in the text of a document, which comes first here: say as = "text".'
        yield BrokenRule(path=("documents", "as"), message=message)
    if "depth" in design.pool.model_fields_set and design.runs.form not in ("ranked", "strings"):
        message = f"All that runs of the form {design.runs.form} return is judged: take depth away."
        yield BrokenRule(path=("pool", "depth"), message=message)


def _cited_measures(design: Design) -> Iterator[BrokenRule]:
    """Yield a fault for each measure of citations whose question is not asked about citations."""
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
            other = f"{asked} is not" if asked else "none is"
            message = f"{name} is taken of a question that is asked of citations, and {other}."
            yield BrokenRule(path=("scores", "measures", place), message=message)


# ---------------------------------------------------------------- scores and changes


def _scores(design: Design) -> Iterator[BrokenRule]:
    scores = design.scores
    asked = [each.key for each in graded_questions(design)]
    gold = gold_question(design)
    yield from _twice_gained(design)
    if gold is None and not scores.question and any(isinstance(stage, GradeStage) for stage in design.stages):
        yield BrokenRule(path=("stages",), message="Nothing could be scored: let one question be answered by grades.")
    if scores.question and gold is None:
        yield BrokenRule(path=("scores", "question"), message=_not_scored(design, scores.question, asked))
    if gold is not None:
        names = grades_by_word(gold)
        for name in scores.gains:
            if name not in names:
                known = [grade.name for grade in grades_of(gold)]
                yield BrokenRule(
                    path=("scores", "gains", name), message=unknown_name(f"grade of {gold.key}", name, known, "")
                )
        gains = gains_of(design, gold).values()
        if gains and not any(gain >= scores.relevant_from for gain in gains):
            message = f"No grade of {gold.key} gains {scores.relevant_from} or more, so nothing would be relevant."
            yield BrokenRule(path=("scores", "relevant_from"), message=message)
        if any(gain < 0 for gain in gains) and not _only_of_rubrics(design):
            message = (
                f"A gain of {gold.key} is below 0; the least is 0, but for {' and '.join(RUBRIC)} alone. Give the "
            )
            message += "grades gains from 0 up (gain = …)."
            yield BrokenRule(path=_below_zero(design, gold), message=message)
    yield from _above_nothing(design, scores.relevant_from, ("scores", "relevant_from"))
    labels = []
    for place, line in enumerate(scores.measures):
        name = line.measure if isinstance(line, MeasureLine) else line
        labels.append(line.label or name if isinstance(line, MeasureLine) else name)
        yield from _measure(
            name, ("scores", "measures", place), FAMILIES.get(design.runs.form, "graded"), nuggets=has_matches(design)
        )
        yield from _of_rubric(design, name, ("scores", "measures", place))
        if design.runs.form == "ranked" and (level := re.search(r"\brel=([0-9]+)", name)):
            said = line if isinstance(line, MeasureLine) else MeasureLine(measure=name)
            named = said.model_copy(update={"relevant_from": int(level[1])})
            for each in _reached(design, named, ("scores", "measures", place)):
                yield replace(each, severity="warning")
        if isinstance(line, MeasureLine) and name in OF_NUGGETS and line.question:
            message = f"{name} counts nuggets, and no grades of a question: leave the question out."
            yield BrokenRule(path=("scores", "measures", place, "question"), message=message)
        if isinstance(line, MeasureLine) and line.relevant_from is not None:
            bound: Path = ("scores", "measures", place, "relevant_from")
            yield from _reached(design, line, bound)
            yield from _above_nothing(design, line.relevant_from, bound)
            if _has_no_bound(name, design.runs.form):
                message = f"{name} counts all gains, and nothing as relevant from a bound on: leave relevant_from out."
                yield BrokenRule(path=bound, message=message, severity="warning")
        if isinstance(line, MeasureLine) and line.question and line.question not in asked:
            message = _not_scored(design, line.question, asked)
            yield BrokenRule(path=("scores", "measures", place, "question"), message=message)
    for place in (place for place, label in enumerate(labels) if label in labels[:place]):
        message = f"There are two columns called {labels[place]}: give one of them a label of its own."
        yield BrokenRule(path=("scores", "measures", place), message=message)
    if scores.official and scores.official not in labels:
        yield BrokenRule(
            path=("scores", "official"), message=unknown_name("measure", scores.official, labels, "in measures")
        )


def _not_scored(design: Design, named: str, graded: list[str]) -> str:
    """Return why a question can't be scored: it is not answered by one grade, or there is no such question."""
    stages = [stage.questions for stage in design.stages if isinstance(stage, GradeStage)]
    for each in (each for questions in stages for each in questions if each.key == named):
        there = f" There are: {', '.join(graded)}." if graded else ""
        return f'{named} has answer = "{each.answer}", and only questions answered by one grade are scored.{there}'
    return unknown_name("question", named, graded, "")


def _twice_gained(design: Design) -> Iterator[BrokenRule]:
    """Yield a fault for each grade to which [scores] gains gives another gain by its name than by its value."""
    gold, said = gold_question(design), design.scores.gains
    words = grades_by_word(gold) if gold is not None else {}
    for name in said:
        first = next(each for each in said if words.get(each, each) == words.get(name, name))
        if said[first] != said[name]:
            message = f"“{first}” and “{name}” are one grade, with two gains: keep one."
            yield BrokenRule(path=("scores", "gains", name), message=message, severity="warning")


def _has_no_bound(name: str, form: str) -> bool:
    """Return whether a measure distinguishes no relevant items from others, or its own name says from where on."""
    if form != "ranked":
        return name != "share"
    if name in installed_measures():
        return True
    try:
        return "rel=" in name or "rel" not in dict(parse(name).values)
    except UnknownMeasure:  # reported already
        return False


def _below_zero(design: Design, gold: Question) -> Path:
    """Return the path of the first gain below 0. It may be in [scores] gains, or be the gain or the value of a
    grade.
    """
    if said := next((name for name, gain in design.scores.gains.items() if gain < 0), ""):
        return ("scores", "gains", said)
    stages = [stage.questions if isinstance(stage, GradeStage) else [] for stage in design.stages]
    place, number = next((i, asked.index(gold)) for i, asked in enumerate(stages) if gold in asked)
    path: Path = ("stages", place, "questions", number, "grades")
    if not isinstance(gold.grades, list):
        return path
    grade, at = next(
        (each, at) for at, each in enumerate(gold.grades) if (each.value if each.gain is None else each.gain) < 0
    )
    return (*path, at, "value" if grade.gain is None else "gain")


def _only_of_rubrics(design: Design) -> bool:
    """Return whether the design names measures, and only those that can't be spoiled by gains below 0 because they
    don't add them up.
    """
    names = {line.measure if isinstance(line, MeasureLine) else line for line in design.scores.measures}
    return bool(names) and names <= {*RUBRIC, "judged", "share"}


def _of_rubric(design: Design, name: str, path: Path) -> Iterator[BrokenRule]:
    """Yield a fault if the design names a measure of rubrics, but no column that says to which question of the rubric a
    row belongs.
    """
    if name in RUBRIC and not (isinstance(design.runs, ItemRuns) and design.runs.group):
        message = (
            f'{name} is counted question by question: name their column, as in [runs] form = "items", group = "…".'
        )
        yield BrokenRule(path=path, message=message)


def _above_nothing(design: Design, bound: float, path: Path) -> Iterator[BrokenRule]:
    """Yield a fault if the bound of relevance for ranked runs is not above 0, since unjudged documents have the gain 0
    and would then count as relevant.
    """
    if design.runs.form == "ranked" and bound <= 0:
        message = f"relevant_from is above 0, not {bound}: else what gains nothing would be relevant."
        yield BrokenRule(path=path, message=message)


def _reached(design: Design, line: MeasureLine, path: Path) -> Iterator[BrokenRule]:
    """Yield a fault if a measure counts items from a certain gain on, but no grade of its question has that gain."""
    asked = [each for stage in design.stages if isinstance(stage, GradeStage) for each in stage.questions]
    question = next(
        (each for each in asked if each.key == line.question), None if line.question else gold_question(design)
    )
    if question is None or line.relevant_from is None:
        return
    if not any(gain >= line.relevant_from for gain in gains_of(design, question).values()):
        message = f"No grade of {question.key} gains {line.relevant_from} or more, so nothing would be relevant."
        yield BrokenRule(path=path, message=message)


OF_OTHERS = frozenset(
    {
        *("davidson", "bradley-terry", "rao-kupper"),
    }
)
"""Measures of kinds of work that are not supported yet."""


FAMILIES = {"ranked": "ranked"}
"""The family of measures for a form of runs; other forms have the measures of graded items."""


def _measure(name: str, path: Path, family: str, *, nuggets: bool) -> Iterator[BrokenRule]:
    if name in installed_measures() or (nuggets and name in OF_NUGGETS):
        return
    if name in OF_OTHERS:
        yield BrokenRule(path=path, message=f"The measure {name} is not known yet.")
        return
    try:
        chosen = parse(name)
        if chosen.measure.family != family:
            named = [each.name for each in MEASURES if each.family == family]
            message = f"{name} is no measure of ranked runs; see `python -m scoring measures`."
            if family != "ranked":
                message = unknown_name("measure of graded items", name, named, "")
            yield BrokenRule(path=path, message=message)
        elif chosen.measure.subtopics:
            yield BrokenRule(path=path, message=f"{name} needs judgments of subtopics, which no design has.")
        elif family == FAMILIES["ranked"]:
            refuse_uncomputed(chosen)
    except UnknownMeasure as error:
        if (called := measures_called(name)) != [name] and all(map(_is_measure, called)):
            yield BrokenRule(path=path, message=f"Here “{name}” is called {' and '.join(called)}: write that.")
            return
        if name in AGREEMENT:
            message = f"{name} is a measure of agreement: name it in [stages.agreement] measures."
            yield BrokenRule(path=path, message=message)
            return
        near = "".join(get_close_matches(name, installed_measures(), n=1))
        hint = f"; did you mean {near}?" if near else "."
        said = str(error).rstrip("?")
        said = said if said[:4] == name[:4] else f"{said[:1].upper()}{said[1:]}"  # nDCG stays as it is
        yield BrokenRule(path=path, message=f"{said}{hint}")


def _is_measure(name: str) -> bool:
    try:
        return parse(name).measure.family == FAMILIES["ranked"]
    except UnknownMeasure:
        return False


def _changes(design: Design) -> Iterator[BrokenRule]:
    asked = {each.key: each for stage in design.stages if isinstance(stage, GradeStage) for each in stage.questions}
    for place, change in enumerate(design.changes):
        question = asked.get(change.question)
        if question is None:
            message = unknown_name("question", change.question, list(asked), "")
            yield BrokenRule(path=("changes", place, "question"), message=message)
        elif question.answer != "grade":
            message = f"{question.key} is not answered by a grade, so nothing can be mapped."
            yield BrokenRule(path=("changes", place, "question"), message=message)
        elif change.now not in [grade.value for grade in grades_of(question)]:
            message = f"{change.now} is no value of {question.key}, so nothing can be mapped to it."
            yield BrokenRule(path=("changes", place, "to"), message=message)


# ---------------------------------------------------------------- what is not supported yet


def _items(design: Design) -> Iterator[BrokenRule]:
    """Yield the faults in [runs] of a design whose items are given: members that conflict, and members that Assay does
    not support yet.
    """
    if isinstance(design.runs, ItemRuns):
        yield from _blind(design.runs)
        if not isinstance(design.runs.text, str):
            message = (
                "Not yet known: pairs of texts. Name one column in text, and the other in shown, to stand beside it."
            )
            yield BrokenRule(path=("runs", "text"), message=message)
        if design.runs.source and design.runs.document:
            message = "A row has one document: keep source, its text, or document, its docno."
            yield BrokenRule(path=("runs", "source"), message=message)
        if "batch" in design.runs.model_fields_set and design.runs.topic:
            message = f"The column {design.runs.topic} groups rows into topics: take batch away, or topic."
            yield BrokenRule(path=("runs", "batch"), message=message, severity="warning")
        if "suggest_shown" in design.runs.model_fields_set and not design.runs.suggest:
            message = "No answers are suggested: name their file in suggest, or take this away."
            yield BrokenRule(path=("runs", "suggest_shown"), message=message)
        if _lies_elsewhere(design.runs.suggest):
            message = "The suggested answers lie beside the design: write the name of a file alone."
            yield BrokenRule(path=("runs", "suggest"), message=message)


def _blind(runs: ItemRuns) -> Iterator[BrokenRule]:
    """Yield a fault for each column that assessors would see although it names systems."""
    for member in ("text", "shown", "topic", "document", "source", *OWN):
        said = getattr(runs, member)
        for place, name in enumerate(said if isinstance(said, list) else [said]):
            path: Path = ("runs", member, *((place,) if isinstance(said, list) else ()))
            if name and name in runs.systems:
                message = f"“{name}” names systems, which nobody who judges may see: name another column here."
                yield BrokenRule(path=path, message=message)
            elif name == "system":
                message = "“system” is where the files of single runs say whose they are: call this column otherwise."
                yield BrokenRule(path=path, message=message)

"""Build the track that a design describes, with the same types that a track in Python has."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from assess.protocol import (
    MAJORITY,
    MEAN,
    RANDOM,
    RECORDED_JUDGMENTS,
    ContextPart,
    Export,
    Grading,
    KnownAnswer,
    PoolRecipe,
    Practice,
    Scoring,
    Stage,
    StageChecks,
    Task,
    Track,
)
from scoring.formats.grades import read_item_grades, write_item_grades
from scoring.formats.qrels import KIND, read_graded_qrels, write_graded_qrels
from tracks.designs.bases import text_beside
from tracks.designs.checked_work import AGREEMENT
from tracks.designs.criteria import criterion_of
from tracks.designs.exported_files import exported_files
from tracks.designs.gains import averaged, graded_questions
from tracks.designs.judged_items import item_kind, item_word
from tracks.designs.known_answers import known_answers, practice_answers
from tracks.designs.question_rules import people_of
from tracks.designs.ranked_form import RANKING, RUN, TOPICS, judgment_files, ranked_settings
from tracks.designs.ranked_scoring import ranked_scoring
from tracks.designs.shape import Design, GradeStage, MeasureLine
from tracks.plain_topics import described, plain_wordings

ALL_PARTS = "*"
"""The word of `[topics] shown` for all parts of a topic."""


def track_of_design(design: Design, stages: tuple[Stage, ...], *, folder: Path | None = None) -> Track:
    """Return the track of these stages. ``folder`` holds the files that the design names, such as guidelines. Raises
    BadToml if the file of guidelines can't be read.
    """
    asked = {question.key: question for question in graded_questions(design)}
    files = exported_files(design)
    task = Task(
        key=RANKING,
        label=design.task or design.title,
        topics_setting="judged_topics",
        pooling=(PoolRecipe(kind=KIND, priorities_setting="", depth_setting="pool_depth"),),
        stages=stages,
    )
    return Track(
        key=design.key,
        label=design.title,
        source=design.source or "a design",
        language=design.language,
        settings=ranked_settings(design),
        topic_files=(TOPICS,),
        submissions=(RUN,),
        tasks=(task,),
        exports=(*(_export(design, files[key], key) for key in asked), RECORDED_JUDGMENTS),
        scoring=in_own_words(design, ranked_scoring(design)),
        judgment_files=judgment_files(design),
        lease_hours=lease_hours(design),
        guidelines=guidelines_of(design, folder),
        context=partial(context_of, frozenset(design.topics.shown)),
        wordings=plain_wordings,
        document_view=document_view(design),
        document_facts=document_facts(design),
    )


def in_own_words(design: Design, scoring: Scoring) -> Scoring:
    """Return the scoring, with its measures' help texts replaced by those that the design gives."""
    lines = [line for line in design.scores.measures if isinstance(line, MeasureLine)]
    said = {line.label or line.measure: line.help for line in lines if line.help}
    return replace(
        scoring, measures=tuple(replace(each, help=said.get(each.key, each.help)) for each in scoring.measures)
    )


def stage_of_design(design: Design, stage: GradeStage) -> Stage:
    """Return the stage in which items are graded."""
    people, share = people_of(stage)
    return Stage(
        key=stage.key,
        label=stage.label or stage.key,
        work=Grading(
            criteria=tuple(criterion_of(each, stage.questions[:place]) for place, each in enumerate(stage.questions))
        ),
        help=stage.help or stage.questions[0].ask,
        item_kind=item_kind(design, stage),
        noun=item_word(design, stage),
        after=stage.after or None,
        by_hand=stage.by_hand,
        many=stage.people == "any",
        second=people > 1,
        people=people,
        share=share,
        spread_is_weight=stage.settle in ("none", MEAN),
        counts=stage.settle if stage.settle in (MAJORITY, MEAN) else "",
        order=stage.hand_out.order if stage.hand_out is not None else RANDOM,
        most_items=(stage.hand_out.most or 0) if stage.hand_out is not None else 0,
        checks=_checks(stage),
    )


def _checks(stage: GradeStage) -> StageChecks:
    repeats, agreement = stage.repeats, stage.agreement
    known = [each for each in known_answers(stage) if isinstance(each, KnownAnswer)]
    practised = practised_in(stage)
    measures = (agreement.measures or ["alpha"]) if agreement is not None else []
    return StageChecks(
        repeats=repeats.share if repeats is not None else 0.0,
        gap=repeats.after if repeats is not None else 10,
        agreement=tuple(AGREEMENT[each] for each in measures),
        floor=agreement.floor if agreement is not None else None,
        gold=tuple(each for each in known if practised is None or each not in practised.answers),
        gold_every=stage.control.every if stage.control is not None else 0,
        reveals_gold=stage.control is not None and stage.control.tell == "after",
        practice=practised,
    )


def practised_in(stage: GradeStage) -> Practice | None:
    """Return the practice that comes before the work of a stage; None if there is none.

    It has the first known answers, as many as the design says. Lines that are no answers are left out.
    """
    if (said := stage.practice) is None:
        return None
    answers = [each for each in practice_answers(stage) if isinstance(each, KnownAnswer)]
    return Practice(answers=tuple(answers[: said.items]), passed=said.passed, tries=said.tries)


def lease_hours(design: Design) -> int | None:
    """Return the number of hours after which work that is not touched is taken back, or None if the design gives none.
    The first stage that gives a number of days decides for all stages.
    """
    return next((24 * each.hand_out.days for each in design.stages if each.hand_out and each.hand_out.days), None)


def document_view(design: Design) -> str:
    """Return the view in which documents open, "text" or "page", or "" if the design does not say."""
    said = design.documents.form if "form" in design.documents.model_fields_set else ""
    return {"text": "text", "html": "page"}.get(said, "")


def document_facts(design: Design) -> tuple[str, ...] | None:
    """Return which facts of a document are shown at once beside its text, or None if the design does not say."""
    return tuple(design.documents.shown) if "shown" in design.documents.model_fields_set else None


def _export(design: Design, name: str, question: str) -> Export:
    of_one = f", {question}" if len(graded_questions(design)) > 1 else ""
    if question in averaged(design):
        return Export(
            name=name,
            label=f"Grades of the pooled documents{of_one}, as each of those who judge gives them",
            collect="grades",
            write=write_item_grades,
            read=read_item_grades,
            options={"kind": KIND, "criteria": (question,), "role": "each", "unjudged": True},
        )
    return Export(
        name=name,
        label=f"Grades of the pooled documents{of_one}: topic iteration docno grade",
        collect="grades",
        write=write_graded_qrels,
        read=read_graded_qrels,
        options={"kind": KIND, "criteria": (question,), "unjudged": True},
    )


def guidelines_of(design: Design, folder: Path | None) -> str:
    if design.guidelines is not None and design.guidelines.text:
        return design.guidelines.text
    if design.guidelines is None or design.guidelines.file is None or folder is None:
        asked = [each for stage in design.stages if isinstance(stage, GradeStage) for each in stage.questions]
        return "\n\n".join(f"## {each.ask}\n\n{each.help}".rstrip() for each in asked)
    return text_beside(design.guidelines.file, folder, 1)


def context_of(shown: frozenset[str], topic: Any, ancestors: Any) -> Iterator[Any]:
    """Yield the parts of a topic. Those that the design names are open, all others closed."""
    for part in described(topic, ancestors):
        yield opened(part, shown)


def opened(part: ContextPart, shown: Collection[str]) -> ContextPart:
    """Return a part of a topic, open if its heading, in lower case, is in ``shown``, otherwise closed.

    If "*" is in ``shown``, the part is returned unchanged.
    """
    return part if ALL_PARTS in shown else replace(part, is_open=part.heading.lower() in shown)

"""The track that a design says: the one value that a module builds, so that nothing behind it knows a difference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, fields, make_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from assess.base.track_settings import TrackSettings
from assess.protocol import (
    MAJORITY,
    MEAN,
    RANDOM,
    Export,
    Grading,
    KnownAnswer,
    PoolRecipe,
    Practice,
    Stage,
    StageChecks,
    Task,
    Track,
)
from scoring.formats.grades import read_item_grades, write_item_grades
from scoring.formats.judgments_jsonl import read_judgments, write_judgments
from scoring.formats.qrels import KIND, read_graded_qrels, write_graded_qrels
from tracks.adhoc import RANKING, AdhocSettings
from tracks.adhoc import TRACK as ADHOC
from tracks.designs.bases import text_beside
from tracks.designs.checked_work import AGREEMENT
from tracks.designs.criteria import criterion_of
from tracks.designs.exported_files import exported_files
from tracks.designs.gains import averaged, graded_questions
from tracks.designs.judged_items import item_kind, item_word
from tracks.designs.known_answers import known_answers, practice_answers
from tracks.designs.question_rules import people_of
from tracks.designs.ranked_scoring import ranked_scoring
from tracks.designs.shape import Design, GradeStage
from tracks.plain_topics import described


def track_of_design(design: Design, stages: tuple[Stage, ...], *, folder: Path | None = None) -> Track:
    """The track of these stages. ``folder`` is where the files lie that the design names: guidelines."""
    asked = {question.key: question for question in graded_questions(design)}
    files = exported_files(design)
    task = Task(
        key=RANKING,
        label=design.title,
        topics_setting="judged_topics",
        pooling=(PoolRecipe(kind=KIND, priorities_setting="", depth_setting="pool_depth"),),
        stages=stages,
    )
    return replace(
        ADHOC,
        key=design.key,
        label=design.title,
        source=design.source or "a design",
        settings=_settings(design),
        tasks=(task,),
        exports=(*(_export(design, files[key], key) for key in asked), EVERYTHING),
        scoring=ranked_scoring(design),
        judgment_files=(),
        lease_hours=lease_hours(design),
        guidelines=guidelines_of(design, folder),
        context=partial(context_of, frozenset(design.topics.shown)),
        document_view=document_view(design),
        document_facts=document_facts(design),
    )


def _settings(design: Design) -> type[TrackSettings]:
    """Those of ad hoc retrieval that a design has, with its own values as defaults."""
    own = {
        "pool_depth": design.pool.depth,
        "ranked_limit": getattr(design.runs, "limit", 1000),
        "judged_topics": tuple(design.topics.judged),
    }
    kept = [each for each in fields(AdhocSettings) if each.name not in ("highest_grade", "relevant_from")]
    members = [
        (each.name, each.type, field(default=own.get(each.name, each.default), metadata=each.metadata)) for each in kept
    ]
    made: type[TrackSettings] = make_dataclass(
        "DesignSettings",
        members,
        bases=(TrackSettings,),
        namespace={"problems": _problems},
        frozen=True,
        kw_only=True,
        slots=True,
    )
    return made


def _problems(settings: Any) -> dict[str, str]:
    given = {each.name: getattr(settings, each.name) for each in fields(settings)}
    return AdhocSettings(**given).problems()


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
    """What is answered before the work of a stage; None where nothing is."""
    if (said := stage.practice) is None:
        return None
    answers = [each for each in practice_answers(stage) if isinstance(each, KnownAnswer)]
    return Practice(answers=tuple(answers[: said.items]), passed=said.passed, tries=said.tries)


def lease_hours(design: Design) -> int | None:
    """After how many hours without anything done work goes back: the days that a stage says, the same for all."""
    return next((24 * each.hand_out.days for each in design.stages if each.hand_out and each.hand_out.days), None)


def document_view(design: Design) -> str:
    """The view with which documents open; "" where the design does not say."""
    said = design.documents.form if "form" in design.documents.model_fields_set else ""
    return {"text": "text", "html": "page"}.get(said, "")


def document_facts(design: Design) -> tuple[str, ...] | None:
    """What is seen of a document at once beside its text; None where the design does not say."""
    return tuple(design.documents.shown) if "shown" in design.documents.model_fields_set else None


def _export(design: Design, name: str, question: str) -> Export:
    if question in averaged(design):
        return Export(
            name=name,
            label=f"Grades of the pooled documents, {question}, as each of those who judge gives them",
            collect="grades",
            write=write_item_grades,
            read=read_item_grades,
            options={"kind": KIND, "criteria": (question,), "role": "each", "unjudged": True},
        )
    return Export(
        name=name,
        label=f"Grades of the pooled documents, {question}: topic iteration docno grade",
        collect="grades",
        write=write_graded_qrels,
        read=read_graded_qrels,
        options={"kind": KIND, "criteria": (question,), "unjudged": True},
    )


EVERYTHING = Export(
    name="judgments.jsonl",
    label="Everything that assessors said, to be replayed",
    collect="everything",
    write=write_judgments,
    read=read_judgments,
)


def guidelines_of(design: Design, folder: Path | None) -> str:
    if design.guidelines is None or folder is None:
        asked = [each for stage in design.stages if isinstance(stage, GradeStage) for each in stage.questions]
        return "\n\n".join(f"## {each.ask}\n\n{each.help}".rstrip() for each in asked)
    return text_beside(design.guidelines.file, folder, 1)


def context_of(shown: frozenset[str], topic: Any, ancestors: Any) -> Iterator[Any]:
    """The parts of a topic: those that the design names open at once, the others closed."""
    for part in described(topic, ancestors):
        yield replace(part, is_open=part.heading.lower() in shown)

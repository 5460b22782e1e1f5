"""Show the stages of tracks written in Python as designs describe them."""

from __future__ import annotations

from typing import Any

from assess.protocol import Criterion, Stage
from nuggets.options import Matching, NuggetWriting
from tracks.designs.nugget_rules import FULL

Said = dict[str, Any]

ITEM_WORDS = frozenset({"document", "passage", "string", "sentence", "citation", "response", "topic", "line"})


def shown_stage(stage: Stage) -> Said:
    """Return the members that stages of all kinds have: key and texts, what is judged, when, and by whom."""
    said: Said = {"key": stage.key, "work": stage.work.key, "label": stage.label, "help": stage.help}
    said |= {"item": stage.item_kind} if stage.item_kind in ITEM_WORDS - {"document"} else {}
    said |= {"after": stage.after} if stage.after else {}
    said |= {"by_hand": True} if stage.by_hand else {}
    each = stage.people or 2
    people = {"each": each, "share": stage.share} if stage.share < 1 else each
    return said | ({"people": "any"} if stage.many else {"people": people} if stage.second else {})


def shown_grading(stage: Stage, settings: Any) -> Said | None:
    """Return the members of a stage in which questions are asked. Return None if the track makes the stage's items by
    its own code.
    """
    if stage.item_kind not in ITEM_WORDS:
        return None
    return {**shown_stage(stage), "questions": [_question(each.with_scale(settings)) for each in stage.criteria]}


def _question(criterion: Criterion) -> Said:
    said: Said = {"key": criterion.key, "ask": criterion.question}
    said |= {"help": criterion.help} if criterion.help else {}
    said |= {"level": criterion.level}
    said |= {"evidence_ask": criterion.evidence} if criterion.evidence else {}
    grades = []
    for grade in criterion.grades:
        one: Said = {"value": grade.value, "press": grade.key, "name": grade.name}
        one |= {"help": grade.help} if grade.help else {}
        one |= {"evidence": "required"} if grade.value in criterion.evidence_for else {}
        grades.append(one)
    return {**said, "grades": grades}


def shown_nuggets(stage: Stage, settings: Any) -> Said:
    """Return the members of a stage in which lists of nuggets are written."""
    del settings
    said = {name: value for name, value in shown_stage(stage).items() if name != "item"}
    return said | ({"references": "required"} if stage.options(NuggetWriting).asks_quotes else {})


def shown_matches(stage: Stage, settings: Any) -> Said:
    """Return the members of a stage in which the nuggets of the stage before it are matched."""
    del settings
    said = {name: value for name, value in shown_stage(stage).items() if name != "after"}
    said |= {"from": stage.after} if stage.after else {}
    return said | ({} if stage.options(Matching).partial else {"marks": [{"key": FULL, "value": 1}]})

"""The disagreement that lies on the adjudication bench: what it is about, and its sides without names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.http import HttpRequest

from assess.adjudication.queries.disagreements import kind_of
from assess.adjudication.views.desk import SIDES, Desk, DeskLine, place_names, places_of, why_closed
from assess.assignments.models import Assignment
from assess.assignments.queries.handles import handle_of
from assess.judging.queries.bench import BenchItem
from assess.judging.views import Asked, Thing, make_thing
from assess.kinds.opinions import Disagreement, Line

KEYS = dict(zip(SIDES, ("ArrowLeft", "ArrowRight"), strict=True))


@dataclass(frozen=True, kw_only=True, slots=True)
class SideShown:
    """One side as it is shown: nobody's name, the value in words, notes, snippets, lines. ``key`` takes its value."""

    place: str
    value: int
    name: str
    key: str
    notes: Sequence[str]
    snippets: Sequence[str]
    lines: Sequence[Line]


def shown_always(desk: Desk) -> dict[str, Any]:
    """What page and fragment both show."""
    return {
        "desk": desk,
        "stage": desk.stage,
        "criterion": desk.criterion,
        "kind": kind_of(desk.stage),
        "closed": why_closed(desk.seat.campaign),
    }


def shown_of(request: HttpRequest, desk: Desk, line: DeskLine) -> dict[str, Any]:
    """What is disputed, an item with its document as its own bench shows it; its topic, and the sides."""
    row = next(row for row in desk.all if desk.shown(row) == line.id)
    kind = kind_of(desk.stage)
    topic = desk.seat.campaign.topics.select_related("parent").get(pk=row.topic_id)
    topic.campaign = desk.seat.campaign
    seen_from = Assignment(
        campaign=desk.seat.campaign,
        topic=topic,
        stage=desk.stage.key,
        assessor=desk.seat.user,
        role=Assignment.Role.ADJUDICATOR,
        seed=row.thing.item_id or row.topic_id,
    )
    return {
        "current": line,
        "thing": _thing(request, seen_from, desk, row, line),
        "about": kind.about(desk.seat.campaign, desk.stage, row) if kind.about is not None else None,
        "asked": Asked(criterion=desk.criterion, value=row.decided, snippets=()),
        "topic": topic,
        "row": row,
        "said": places_of(row).get(row.decided, "their own") if row.decided is not None else "",
        "sides": _sides(desk, row),
        "client_key": str(uuid4()),
    }


def _thing(request: HttpRequest, seen_from: Assignment, desk: Desk, row: Disagreement, line: DeskLine) -> Thing | None:
    """The item, where the thing is one or lies in one."""
    if row.thing.item_id is None:
        return None
    shown = BenchItem(
        id=row.thing.item_id,
        handle=handle_of(seen_from, row.thing.item_id),
        place=0,
        text="",
        label=line.label,
        docno=line.docno,
        values=line.values,
        note=line.note,
        seconds=None,
        flag="",
        is_judged=line.is_judged,
    )
    return make_thing(request, seen_from, desk.stage, shown, name=line.id)


def _sides(desk: Desk, row: Disagreement) -> list[SideShown]:
    """The sides, first to last: the left one and the right one have keys of their own."""
    kind = kind_of(desk.stage)
    told = kind.told(desk.seat.campaign, desk.stage, desk.criterion, row)
    shown = []
    for side, place in zip(row.sides, place_names(row), strict=True):
        said = told[side.assessor_id]
        grade = desk.criterion.grade(side.value)
        shown.append(
            SideShown(
                place=place,
                value=side.value,
                name="" if kind.is_whole else grade.name if grade is not None else str(side.value),
                key=KEYS.get(place, ""),
                notes=said.notes,
                snippets=said.quotes,
                lines=said.lines,
            )
        )
    return shown

"""What the adjudication bench shows: which disagreements, in which order, and the one on it with its sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from django.core.paginator import Page, Paginator
from django.http import HttpRequest
from django.urls import reverse

from assess.domain.access import Seat, access_seat
from assess.domain.errors import NotFound
from assess.domain.scores.effects import Effect, effects_of, why_no_effects
from assess.models import Assignment, Campaign, Role
from assess.protocol import Criterion, Stage
from assess.queries.judging.disagreements import (
    Disagreement,
    adjudicated_stages,
    disagreements,
    labels_of,
    rows_of_sides,
)
from assess.queries.judging.workbench import BenchItem, label_of
from assess.views.judging.bench_thing import make_thing
from assess.workbench import Tally

PER_PAGE = 200
SORTS = (("topic", "topic"), ("size", "size, largest first"), ("effect", "effect on scores, largest first"))
FILTERS = (("all", "all"), ("unjudged", "undecided"), ("flagged", "noted or later"))
EFFECTS = (("", "any"), ("moves", "moves a score"), ("order", "changes an order of runs"))
SIDES = ("left", "right")


@dataclass(frozen=True, kw_only=True, slots=True)
class SideShown:
    """One side as it is shown: nobody's name, the value in words, notes and snippets. ``key`` takes its value."""

    place: str
    value: int
    name: str
    key: str
    notes: Sequence[str]
    snippets: Sequence[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Desk:
    """What one page of the bench is about: a criterion, what the address narrows and sorts it by, and the rows left."""

    seat: Seat
    stage: Stage
    criterion: Criterion
    all: list[Disagreement]
    rows: list[Disagreement]
    effects: dict[int, Effect | None]
    chosen: dict[str, str]
    no_effects: str

    @property
    def base(self) -> str:
        """The address of the bench."""
        return reverse("adjudicate", args=[self.seat.campaign.slug, self.stage.key, self.criterion.key])

    @property
    def kept(self) -> str:
        """What narrows and sorts the list, as the beginning of an address's query."""
        address = urlencode({name: value for name, value in self.chosen.items() if value})
        return f"{address}&" if address else ""


def said_of(desk: Desk, row: Disagreement) -> str:
    """What the list says of a row: what was decided, or that it is open."""
    if row.decided is None:
        return "open"
    grade = desk.criterion.grade(row.decided)
    return grade.name if grade is not None else str(row.decided)


def access_adjudicator(request: HttpRequest, slug: str) -> Seat:
    """The seat of who settles disagreements: adjudicators, and organisers."""
    return access_seat(request.user, slug, Role.ADJUDICATOR, Role.ORGANISER)


def adjudication_address(assignment: Assignment, stage: Stage) -> str | None:
    """Where an adjudicator settles what is disputed in their topic, at what is open first; None where nothing is."""
    if assignment.role != Assignment.Role.ADJUDICATOR:
        return None
    campaign, found = assignment.campaign, {}
    for each in stage.criteria:
        if rows := disagreements(campaign, stage, each, topics=[assignment.topic_id]):
            found[each.key] = sum(row.decided is None for row in rows)
    if not found:
        return None
    criterion = max(found, key=lambda key: found[key] > 0)
    address = reverse("adjudicate", args=[campaign.slug, stage.key, criterion])
    return f"{address}?{urlencode({'topic': assignment.topic.number})}"


def why_closed(campaign: Campaign) -> str:
    """Why nothing can be decided now, or ""."""
    if campaign.state == Campaign.State.JUDGING:
        return ""
    return f"The campaign is {campaign.get_state_display()}, so nothing can be decided now. You can read what was."


def criterion_of(campaign: Campaign, stage: str, criterion: str) -> tuple[Stage, Criterion]:
    """A stage that is adjudicated and one of its criteria, by their keys."""
    found = next((each for _, each in adjudicated_stages(campaign) if each.key == stage), None)
    asked = found.criterion(criterion) if found is not None else None
    if found is None or asked is None:
        raise NotFound
    return found, asked


def open_desk(request: HttpRequest, slug: str, stage: str, criterion: str) -> Desk:
    """The desk at an address, for who may sit there."""
    seat = access_adjudicator(request, slug)
    found = criterion_of(seat.campaign, stage, criterion)
    return make_desk(request, seat, found, disagreements(seat.campaign, *found, person=seat.user))


def make_desk(request: HttpRequest, seat: Seat, about: tuple[Stage, Criterion], rows: list[Disagreement]) -> Desk:
    """The rows as the address narrows and sorts them. Effects are computed only where it asks for them."""
    chosen = {name: request.GET.get(name, "") for name in ("topic", "size", "effect", "sort")}
    kept = [row for row in rows if chosen["topic"] in ("", row.topic)]
    if chosen["size"].isascii() and chosen["size"].isdigit():
        kept = [row for row in kept if row.size >= int(chosen["size"][:4])]
    effects: dict[int, Effect | None] = {}
    why = ""
    if chosen["sort"] == "effect" or chosen["effect"]:
        why = why_no_effects(seat.campaign, kept)
        effects = {} if why else effects_of(seat.campaign, *about, kept)
    if chosen["effect"] and not why:
        kept = [row for row in kept if _has_effect(effects.get(row.item_id), chosen["effect"])]
    if chosen["sort"] == "size":
        kept.sort(key=lambda row: -row.size)
    elif chosen["sort"] == "effect":
        kept.sort(key=lambda row: -_moved(effects.get(row.item_id)))
    return Desk(
        seat=seat,
        stage=about[0],
        criterion=about[1],
        all=rows,
        rows=kept,
        effects=effects,
        chosen=chosen,
        no_effects=why,
    )


def _moved(effect: Effect | None) -> float:
    return effect.change if effect is not None else -1.0


def _has_effect(effect: Effect | None, wanted: str) -> bool:
    if effect is None:
        return False
    return effect.reorders if wanted == "order" else effect.change > 0


def page_of(request: HttpRequest, rows: list[Disagreement]) -> Page[Disagreement]:
    """The page that the address asks for, or that holds the item that it names."""
    pages = Paginator(rows, PER_PAGE)
    wanted = request.GET.get("item", "")
    place = next((place for place, row in enumerate(rows) if str(row.item_id) == wanted), None)
    return pages.get_page(request.GET.get("page") if place is None else place // PER_PAGE + 1)


def lines_of(desk: Desk, rows: Sequence[Disagreement]) -> list[BenchItem]:
    """The rows as lines of the list, numbered as the desk orders them. One query."""
    items = labels_of(rows)
    place = {row.item_id: number for number, row in enumerate(desk.rows, start=1)}
    return [
        BenchItem(
            id=row.item_id,
            place=place.get(row.item_id, 0),
            text=items[row.item_id].text,
            label=label_of(items[row.item_id]),
            docno=items[row.item_id].docno,
            values={desk.criterion.key: row.decided} if row.decided is not None else {},
            note=row.note,
            seconds=None,
            flag="",
            is_judged=row.decided is not None,
        )
        for row in rows
    ]


def current_line(request: HttpRequest, lines: list[BenchItem]) -> BenchItem | None:
    """The line that the address names, else the first that is open."""
    wanted = request.GET.get("item", "")
    named = next((line for line in lines if str(line.id) == wanted), None)
    return named or next((line for line in lines if not line.is_judged), lines[0] if lines else None)


def lines_around(lines: list[BenchItem], current: BenchItem | None) -> dict[str, BenchItem]:
    """The lines before and after, for pages without scripts."""
    if current is None:
        return {}
    index = lines.index(current)
    found = {"previous": lines[index - 1] if index else None, "next": lines[index + 1 : index + 2]}
    return {name: line[0] if isinstance(line, list) else line for name, line in found.items() if line}


def shown_always(desk: Desk) -> dict[str, Any]:
    """What page and fragment both show."""
    return {
        "desk": desk,
        "stage": desk.stage,
        "criterion": desk.criterion,
        "closed": why_closed(desk.seat.campaign),
        "tally": Tally(
            done=sum(row.decided is not None for row in desk.rows), total=len(desk.rows), unit="disagreements"
        ),
    }


def shown_of(request: HttpRequest, desk: Desk, line: BenchItem) -> dict[str, Any]:
    """The item with its document as the grading bench shows it, its topic, and the sides."""
    row = next(row for row in desk.all if row.item_id == line.id)
    topic = desk.seat.campaign.topics.select_related("parent").get(pk=row.topic_id)
    topic.campaign = desk.seat.campaign
    seen_from = Assignment(
        campaign=desk.seat.campaign,
        topic=topic,
        stage=desk.stage.key,
        assessor=desk.seat.user,
        role=Assignment.Role.ADJUDICATOR,
        seed=row.item_id,
    )
    thing = make_thing(request, seen_from, desk.stage, replace(line, place=0))
    asked = next(each for each in thing.asked if each.criterion.key == desk.criterion.key)
    return {
        "thing": thing,
        "asked": asked,
        "topic": topic,
        "row": row,
        "sides": _sides(desk, row),
        "client_key": str(uuid4()),
    }


def _sides(desk: Desk, row: Disagreement) -> list[SideShown]:
    """The sides, first to last: the left one and the right one have keys of their own."""
    said = rows_of_sides(desk.stage, row)
    shown = []
    for number, side in enumerate(row.sides, start=1):
        judgments = said[side.assessor_id]
        own = next((each for each in judgments if each.criterion == desk.criterion.key), None)
        grade = desk.criterion.grade(side.value)
        is_last = number == len(row.sides)
        place = SIDES[0] if number == 1 else SIDES[1] if is_last else f"middle {number - 1}"
        shown.append(
            SideShown(
                place=place,
                value=side.value,
                name=grade.name if grade is not None else str(side.value),
                key="ArrowLeft" if number == 1 else "ArrowRight" if is_last else "",
                notes=list(dict.fromkeys(each.note for each in judgments if each.note.strip())),
                snippets=[snippet["quote"] for snippet in (own.evidence or ())] if own is not None else [],
            )
        )
    return shown

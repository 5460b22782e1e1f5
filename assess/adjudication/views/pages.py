"""The adjudication pages: where assessors disagree, and the bench on which an adjudicator settles it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from assess.adjudication.domain import decide, question_named
from assess.adjudication.queries.disagreements import adjudicated_stages, disputed_questions, kind_of
from assess.adjudication.queries.listing import inner_name
from assess.adjudication.views.desk import (
    FILTERS,
    SIDES,
    SORTS,
    Desk,
    DeskLine,
    access_adjudicator,
    current_line,
    desk_of_one,
    lines_around,
    lines_of,
    named_row,
    open_desk,
    outcome_text,
    page_of,
    place_names,
    places_of,
    why_closed,
)
from assess.assignments.domain.setting_aside import decide_later
from assess.assignments.models import Assignment
from assess.assignments.queries.work_items import decided_later, handle_of
from assess.base.errors import Invalid, NotFound
from assess.judging.queries.bench import BenchItem
from assess.judging.views.bench_page import notice_values
from assess.judging.views.item_on_bench import AskedCriterion, ItemOnBench, show_item
from assess.kinds.base import Tally
from assess.kinds.opinions import Decision, Disagreement, OpinionLine, parse_name
from assess.web.page import render_page
from assess.web.requests import posted_click, posted_number, posted_seconds, wants_json

# The disagreement open on the adjudication bench: what it is about, and its sides without names.

KEYS = dict(zip(SIDES, ("ArrowLeft", "ArrowRight"), strict=True))


@dataclass(frozen=True, kw_only=True, slots=True)
class SideShown:
    """One side as the page shows it, without a name: its value in words, notes, snippets and lines.

    ``key`` is the key on the keyboard that chooses this side.
    """

    place: str
    value: int
    name: str
    key: str
    notes: Sequence[str]
    snippets: Sequence[str]
    lines: Sequence[OpinionLine]


def shown_always(desk: Desk) -> dict[str, Any]:
    """Return the template values that the page and the fragment with one disagreement have in common."""
    return {
        "desk": desk,
        "stage": desk.stage,
        "criterion": desk.criterion,
        "kind": kind_of(desk.stage),
        "closed": why_closed(desk.seat.campaign),
    }


def shown_of(request: HttpRequest, desk: Desk, row: Disagreement, line: DeskLine) -> dict[str, Any]:
    """Return the template values of a disagreement: the thing (an item as its own bench shows it), its topic and its
    sides.
    """
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
        "thing": _item_on_bench(request, seen_from, desk, row, line),
        "about": kind.about([row]).get(row.name),
        "asked": AskedCriterion(criterion=desk.criterion, value=row.decided, snippets=()),
        "topic": topic,
        "row": row,
        "said": places_of(row).get(row.decided, gettext("their own")) if row.decided is not None else "",
        "sides": _sides(desk, row),
        "client_key": str(uuid4()),
        "shown": json.dumps({"value": row.decided, "note": row.note}),
    }


def _item_on_bench(
    request: HttpRequest, seen_from: Assignment, desk: Desk, row: Disagreement, line: DeskLine
) -> ItemOnBench | None:
    """Return the item that the thing is or belongs to, or None."""
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
    return show_item(request, seen_from, desk.stage, shown, name=line.id)


def _sides(desk: Desk, row: Disagreement) -> list[SideShown]:
    """Return the sides in order. The leftmost and the rightmost can be chosen by a key on the keyboard."""
    kind = kind_of(desk.stage)
    reasonings = kind.reasonings(desk.seat.campaign, desk.stage, desk.criterion, row)
    shown = []
    for side, place in zip(row.sides, place_names(row), strict=True):
        said = reasonings[side.assessor_id]
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


# The pages.


@login_required
@require_safe
def adjudication(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the criteria on which assessors disagree, and how many disagreements are left to settle."""
    seat = access_adjudicator(request, slug)
    questions = disputed_questions(seat.campaign, seat.user)
    total, decided = sum(each.total for each in questions), sum(each.decided for each in questions)
    onward = next((each for each in questions if each.left), None)
    return render_page(
        request,
        "assess/adjudication/disagreements.html",
        seat,
        questions=questions,
        total=total,
        decided=decided,
        next=onward,
        stages=adjudicated_stages(seat.campaign),
        closed=why_closed(seat.campaign),
    )


@login_required
@require_safe
def adjudicate(request: HttpRequest, slug: str, stage: str, criterion: str) -> HttpResponse:
    """Show the bench: the list of disagreements, with the one that the address names or the first open one."""
    desk = open_desk(request, slug, stage, criterion)
    page = page_of(request, desk)
    rows = desk.rows[max(page.start_index() - 1, 0) : page.end_index()]
    later = decided_later(desk.seat.campaign, desk.seat.user, stage=stage, criterion=criterion)
    lines = lines_of(desk, rows, page.start_index(), later)
    current = current_line(request, lines)
    chosen = request.GET.get("filter", "all")
    decided, total = desk.rows.decided, len(desk.rows)
    shown = {line.id for line in lines if _belongs(line, chosen)}
    return render_page(
        request,
        "assess/adjudication/adjudicate_whole.html"
        if kind_of(desk.stage).is_whole
        else "assess/adjudication/adjudicate.html",
        desk.seat,
        **shown_always(desk),
        tally=Tally(done=decided, total=total, unit="disagreements"),
        rows=[
            (line, row, outcome_text(desk, row, line), line.id in shown) for line, row in zip(lines, rows, strict=True)
        ],
        filters=FILTERS,
        filter=chosen if chosen in dict(FILTERS) else "all",
        has_shown=bool(shown),
        page=page,
        elsewhere=(decided - sum(row.decided is not None for row in rows), total - len(rows)),
        topics=desk.topics,
        sizes=range(2, desk.largest + 1),
        sorts=SORTS,
        around=lines_around(lines, current),
        **notice_values(desk.seat),
        **(shown_of(request, desk, rows[lines.index(current)], current) if current is not None else {"row": None}),
    )


@login_required
@require_safe
def adjudicate_item(request: HttpRequest, slug: str, stage: str, criterion: str, thing: str) -> HttpResponse:
    """Return the fragment with one disagreement, which the bench's page includes as well.

    Raises `NotFound` for a disagreement on a whole work, and what `desk_of_one` raises.
    """
    desk = desk_of_one(request, slug, stage, criterion, thing)
    if kind_of(desk.stage).is_whole:
        raise NotFound
    (row,) = desk.rows[:1]
    (line,) = lines_of(desk, [row])
    part = "assess/adjudication/parts/adjudicate_item.html"
    return render_page(request, part, desk.seat, **shown_always(desk), **shown_of(request, desk, row, line))


@login_required
@require_POST
def adjudicate_decide(request: HttpRequest, slug: str, stage: str, criterion: str) -> HttpResponse:
    """Settle one disagreement. Return JSON to the script's outbox, or redirect a plain form to the next open one.

    For whole works the JSON has the address of the next open one, as ``next``: their bench loads a page for each.
    """
    seat = access_adjudicator(request, slug)
    found, asked = question_named(seat.campaign, stage, criterion)
    shown = _posted_thing(request)
    thing = inner_name(seat.campaign, found, shown, seat.user)
    click = posted_click(request)
    decision = Decision(
        thing=thing,
        criterion=asked.key,
        value=posted_number(request, "value") if request.POST.get("value", "") else None,
        client_key=click.key,
        how=click.how,
        note=request.POST.get("note", "").replace("\x00", "").replace("\r\n", "\n"),
        seconds=posted_seconds(request),
        about=request.POST.get("about"),
    )
    made = decide(
        actor=seat.user, campaign=seat.campaign, stage=found, decision=decision, shown=click.shown, told=click.told
    )
    answer = {"id": made.pk, "item": shown, "criterion": asked.key, "value": decision.value}
    if wants_json(request) and not kind_of(found).is_whole:
        return JsonResponse(answer)
    desk = open_desk(request, slug, stage, criterion)
    row = named_row(desk, thing)
    if row is not None:
        messages.success(request, _done(desk, row))
    onward = desk.rows.open_after(thing)
    item = desk.shown(onward) if onward is not None else shown if row is not None else ""
    address = f"{desk.base}?{desk.kept}{f'item={item}' if item else ''}"
    return JsonResponse(answer | {"next": address}) if wants_json(request) else redirect(address)


@login_required
@require_POST
def adjudicate_later(request: HttpRequest, slug: str, stage: str, criterion: str) -> HttpResponse:
    """Set one disagreement aside for later. With ``back``, undo that."""
    seat = access_adjudicator(request, slug)
    found, asked = question_named(seat.campaign, stage, criterion)
    shown = _posted_thing(request)
    desk = desk_of_one(request, slug, stage, criterion, shown)
    thing = inner_name(seat.campaign, found, shown, seat.user)
    back = bool(request.POST.get("back"))
    decide_later(
        actor=seat.user, campaign=seat.campaign, stage=found.key, criterion=asked.key, thing=thing, is_back=back
    )
    if wants_json(request):
        return JsonResponse({"item": shown})
    messages.success(request, gettext("Set aside for later."))
    return redirect(f"{desk.base}?{desk.kept}")


def _posted_thing(request: HttpRequest) -> str:
    """Return the name of the disagreement that was posted, as this adjudicator knows it. Raises `Invalid` for a text
    that is no such name.
    """
    shown = request.POST.get("item", "")
    if parse_name(shown) is None:
        raise Invalid(gettext("“item” must name what is decided. Reload the page and try again."))
    return shown


def _belongs(line: DeskLine, chosen: str) -> bool:
    if chosen == "unjudged":
        return not line.is_judged
    return chosen != "flagged" or bool(line.note) or line.state == "later"


def _done(desk: Desk, row: Disagreement) -> str:
    """Return a sentence that says what was decided."""
    kind, said = kind_of(desk.stage), outcome_text(desk, row) if row.decided is not None else gettext("undone")
    if kind.is_whole:
        words = said if row.decided is None else gettext("what is on the %(place)s counts") % {"place": said}
        return f"{row.topic}: {words}"
    return f"{kind.labels(desk.seat.campaign, desk.stage, [row])[row.name].label[:60]}: {said}"

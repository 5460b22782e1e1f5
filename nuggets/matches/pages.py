"""The workbench for marking which nuggets of the frozen list each string contains, response by response."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from assess.assignments.access import access_assignment, access_work_item, held_work
from assess.assignments.domain.notices import require_told
from assess.assignments.models import Assignment
from assess.base.errors import Invalid, UnknownItem
from assess.campaigns.queries import stage_of
from assess.campaigns.seats import access_seat
from assess.judging.domain import nothing_unseen
from assess.judging.views.bench_page import render_bench
from assess.ledger.newest import Click
from assess.web.page import render_page
from assess.web.requests import person_of, posted_click, posted_span, posted_text, wants_json
from nuggets.matches.bench import MatchDesk, StringView, match_desk, suggest_nuggets
from nuggets.matches.current import ids_before, marks_in_item
from nuggets.matches.models import NuggetMatch
from nuggets.matches.record import MatchInput, record_match, review_items, was_reviewed
from nuggets.matches.tally import tally_matches
from nuggets.writing.access import access_answers
from nuggets.writing.counting_lists import list_for
from nuggets.writing.models import Nugget
from nuggets.writing.strings import opened_string, opened_values

SAID: dict[str | None, str] = {
    NuggetMatch.Value.FULL: "is in",
    NuggetMatch.Value.PARTIAL: "is partly in",
    NuggetMatch.Value.ABSENT: "is not in",
    None: "is not marked any more in",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class StringRow:
    """One string as the page shows it. ``marks`` is JSON: [number, part, value, quote] of each."""

    view: StringView
    letter: str
    marks: str
    suggested: str
    is_current: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ResponseRow:
    """One response as the page shows it; number 0 holds the strings that are in none."""

    number: int
    strings: tuple[StringRow, ...]
    is_current: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class NuggetRow:
    """One nugget beside the string in hand. ``say`` is what pressing it says without scripts."""

    nugget: Nugget
    count: int
    is_marked: bool
    is_again: bool
    say: str


def page(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """The frozen list beside the response that the address names, else the first that is not finished."""
    seat = access_seat(request.user, assignment.campaign.slug)
    assignment.topic.campaign = assignment.campaign
    task, stage = stage_of(assignment.campaign, assignment.stage)
    desk = match_desk(assignment)
    shared: dict[str, Any] = {"assignment": assignment, "stage": stage, "desk": desk}
    if desk is None:
        return render_page(request, "nuggets/matches/waiting.html", seat, **shared)
    strings = list(_strings(desk))
    place = _place(request, strings)
    rows = _response_rows(desk, strings, place)
    in_hand = strings[place][1] if strings else None
    return render_bench(
        request,
        "nuggets/matches/bench.html",
        seat,
        **shared,
        tally=tally_matches([assignment])[assignment.pk],
        responses=rows,
        nuggets=_nugget_rows(desk, in_hand),
        asks_importance=all(each.asks_importance for each in task.stages),
        in_hand=in_hand,
        following=place + 1 if place + 1 < len(strings) else 0,
        place=place,
        shown=json.dumps({"marks": sorted(_marks(in_hand))}) if in_hand is not None else None,
        client_key=uuid4(),
        review_key=uuid4(),
        **opened_values(request, assignment, opened_string(request, assignment)),
    )


@login_required
@require_POST
def mark(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Say that a string contains a nugget, a part of it, or not: as JSON for the outbox, else back to the page."""
    with held_work(request.user, slug, assignment_id) as assignment:
        nugget_id, part, value = _said(request)
        nugget = _nugget(assignment, nugget_id)
        handle = _whole(request.POST.get("item", ""), "item")
        item = access_work_item(assignment, handle)
        click = posted_click(request)
        match = MatchInput(
            nugget=nugget,
            item=item,
            client_key=click.key,
            value=value,
            part=part,
            quote=posted_text(request, "quote"),
            span=posted_span(request),
            how=click.how,
        )
        with nothing_unseen(
            assignment,
            click=click,
            was_sent=lambda: NuggetMatch.objects.filter(client_key=match.client_key).exists(),
            stands=lambda: _stands(assignment, match, click),
        ):
            row = record_match(actor=person_of(request), assignment=assignment, match=match)
    if wants_json(request):
        answer = {"id": row.pk, "item": handle, "nugget": nugget.number, "part": row.part, "value": row.value}
        return JsonResponse({**answer, "quote": row.quote})
    return _back(request, assignment, f"Nugget {nugget.number} {SAID[value]} “{item.text[:60]}”.")


@login_required
@require_POST
def review(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Say that strings were looked at and nothing more is in them, or take that back."""
    assignment = access_assignment(access_seat(request.user, slug), assignment_id)
    handles = [_whole(word, "items") for word in request.POST.get("items", "").split()[:2000]]
    items = access_answers(assignment, handles)
    is_reviewed = request.POST.get("is_reviewed", "1") == "1"
    click = posted_click(request)
    require_told(
        actor=person_of(request),
        campaign=assignment.campaign,
        told=click.told,
        was_sent=lambda: was_reviewed(click.key, items),
    )
    review_items(
        actor=person_of(request),
        assignment=assignment,
        items=items,
        client_key=click.key,
        is_reviewed=is_reviewed,
        how=click.how,
    )
    if wants_json(request):
        return JsonResponse({"items": handles, "is_reviewed": is_reviewed})
    return _back(request, assignment, "Looked at." if is_reviewed else "Not looked at any more.")


def _stands(assignment: Assignment, match: MatchInput, click: Click) -> object:
    """What the page shows of the nugget in the string: part, value and quote of each mark.

    A plain form, whose buttons are for all nuggets, says what it showed of all: each with its number.
    """
    found = list_for(assignment)
    before = ids_before(assignment)
    person = assignment.assessor_id
    marks = marks_in_item(found, match.item.pk, assessor_id=person, before=before) if found is not None else []
    if click.shown is not None and isinstance(click.shown.value, dict):
        return {"marks": sorted([mark.number, mark.part, mark.value, mark.quote] for mark in marks)}
    own = [mark for mark in marks if mark.number == match.nugget.number]
    return sorted([mark.part, mark.value, mark.quote] for mark in own)


def _strings(desk: MatchDesk) -> Iterator[tuple[int, StringView]]:
    """Every string with its response's number, in the order of the page."""
    for response in desk.responses:
        for string in response.strings:
            yield response.number, string
    for string in desk.loose:
        yield 0, string


def _place(request: HttpRequest, strings: list[tuple[int, StringView]]) -> int:
    """The place of the string in hand among all: what the address names, else the first that is not finished."""
    asked = request.GET.get("string", "")
    if asked.isascii() and asked.isdigit() and len(asked) < 9 and int(asked) < len(strings):
        return int(asked)
    open_ones = (at for at, (_, string) in enumerate(strings) if not (string.is_finished or string.is_excused))
    return next(open_ones, 0)


def _response_rows(desk: MatchDesk, strings: list[tuple[int, StringView]], place: int) -> tuple[ResponseRow, ...]:
    texts = {nugget.number: nugget.text for nugget in desk.nuggets}
    suggested = suggest_nuggets(texts, ((string.item.pk, string.item.text) for _, string in strings))
    grouped: dict[int, list[StringRow]] = {}
    for at, (number, string) in enumerate(strings):
        row = StringRow(
            view=string,
            letter=_letter(len(grouped.get(number, ()))),
            marks=json.dumps(_marks(string)),
            suggested=" ".join(str(each) for each in suggested.get(string.item.pk, ())),
            is_current=at == place,
        )
        grouped.setdefault(number, []).append(row)
    current = strings[place][0] if strings else None
    return tuple(
        ResponseRow(number=number, strings=tuple(rows), is_current=number == current)
        for number, rows in grouped.items()
    )


def _marks(string: StringView) -> list[list[Any]]:
    return [[mark.number, mark.part, mark.value, mark.quote] for mark in (*string.marks, *string.absent)]


def _nugget_rows(desk: MatchDesk, in_hand: StringView | None) -> list[NuggetRow]:
    marked = {mark.number for mark in in_hand.marks if not mark.part} if in_hand is not None else set()
    return [
        NuggetRow(
            nugget=nugget,
            count=desk.counts.get(nugget.number, 0),
            is_marked=nugget.number in marked,
            is_again=nugget.number in desk.again,
            say=f"{nugget.pk} 0 {'' if nugget.number in marked else NuggetMatch.Value.FULL}",
        )
        for nugget in desk.nuggets
    ]


def _letter(place: int) -> str:
    """A to z, then aa, ab, …"""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, len(ascii_lowercase))
        letters = ascii_lowercase[rest] + letters
    return letters


def _said(request: HttpRequest) -> tuple[int, int, str | None]:
    """The nugget's id, its part and the value: three fields, or one button's three words. No value withdraws."""
    if said := request.POST.get("say", ""):
        words = said.split(" ")
    else:
        words = [request.POST.get(name, "") or default for name, default in (("nugget", ""), ("part", "0"))]
        words.append(request.POST.get("value", NuggetMatch.Value.FULL))
    if len(words) != 3:
        raise Invalid("A mark needs a nugget, a part and a value. Reload the page and try again.")
    return _whole(words[0], "nugget"), _whole(words[1], "part"), words[2] or None


def _whole(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise Invalid(f"“{name}” must be a whole number. Reload the page and try again.")
    return int(text)


def _nugget(assignment: Assignment, nugget_id: int) -> Nugget:
    """A nugget of the topic's lists; whether its list counts now, the domain asks."""
    nugget = Nugget.objects.filter(pk=nugget_id, nugget_list__topic=assignment.topic_id).first()
    if nugget is None:
        raise UnknownItem
    return nugget


def _back(request: HttpRequest, assignment: Assignment, said: str) -> HttpResponse:
    messages.success(request, said)
    address = reverse("workbench", args=[assignment.campaign.slug, assignment.pk])
    place = request.POST.get("string", "")
    return redirect(f"{address}?string={place}" if place.isascii() and place.isdigit() else address)

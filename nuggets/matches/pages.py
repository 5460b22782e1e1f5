"""The workbench for marking which nuggets of the frozen list each string contains, response by response."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from assess.assignments.access import (
    access_assignment,
    access_held_item,
    access_work,
    access_work_item,
    held_work,
    reading_click,
)
from assess.assignments.models import Assignment
from assess.assignments.queries.work_items import item_of
from assess.base.errors import Invalid, NotFound, UnknownItem
from assess.base.numbers import grouped
from assess.campaigns.queries import stage_of
from assess.campaigns.seats import access_seat
from assess.items.handles import NO_ITEM
from assess.judging.domain import require_nothing_unseen, require_notices_shown
from assess.judging.views.bench_page import render_bench
from assess.kinds.base import Tally
from assess.ledger.newest import Click, unless_sent
from assess.web.page import render_page, render_part
from assess.web.requests import person_of, posted_click, posted_span, posted_text, wants_json
from nuggets.matches.bench import DeskOutline, desk_outline
from nuggets.matches.bench_rows import marks_of, nugget_rows, response_at, response_rows
from nuggets.matches.current import ids_before, marks_in_item
from nuggets.matches.models import NuggetMatch
from nuggets.matches.offered import ListOffer, drafts_of_marks
from nuggets.matches.record import WORK, MatchInput, add_match, review_items, was_reviewed
from nuggets.options import NuggetWriting
from nuggets.writing.access import access_answers
from nuggets.writing.counting_lists import list_for
from nuggets.writing.models import Nugget
from nuggets.writing.strings import opened_string, opened_values

SAID: dict[str | None, str | Promise] = {
    NuggetMatch.Value.FULL: gettext_lazy("Nugget %(number)s is in “%(text)s”."),
    NuggetMatch.Value.PARTIAL: gettext_lazy("Nugget %(number)s is partly in “%(text)s”."),
    NuggetMatch.Value.ABSENT: gettext_lazy("Nugget %(number)s is not in “%(text)s”."),
    None: gettext_lazy("Nugget %(number)s is not marked any more in “%(text)s”."),
}


MOST_REVIEWED = 2000
LONG = 200  # strings; of more, a page holds one response, and scripts ask for the others


def page(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Show the frozen list beside a response: the one that the address names, or else the first that is not finished.
    Without a frozen list, say that the work waits for it.
    """
    seat = access_seat(request.user, assignment.campaign.slug)
    assignment.topic.campaign = assignment.campaign
    task, stage = stage_of(assignment.campaign, assignment.stage)
    outline = desk_outline(assignment)
    shared: dict[str, Any] = {"assignment": assignment, "stage": stage}
    if outline is None:
        return render_page(request, "nuggets/matches/waiting.html", seat, **shared)
    items = [item for strings in outline.responses for _, item in strings]
    place = _place(request, assignment, outline, items)
    everything = range(len(outline.responses))
    current = response_at(outline, place)
    offer = ListOffer(assignment.topic, outline.nuggets)
    drafts = drafts_of_marks(assignment, stage, outline.nugget_list)
    rows = response_rows(outline, everything if len(items) <= LONG else [current], place, offer, drafts)
    row = next((row for response in rows for row in response.strings if row.is_current), None)
    in_hand = row.view if row is not None else None
    done, total = outline.tally
    return render_bench(
        request,
        "nuggets/matches/bench.html",
        seat,
        **shared,
        **_outline_values(outline),
        tally=Tally(done=done, total=total, unit=""),
        responses=rows,
        nuggets=nugget_rows(outline, row),
        is_in_list_order=offer.is_in_list_order,
        has_drafts=bool(drafts),
        asks_importance=all(each.work.asks_importance for each in task.stages if isinstance(each.work, NuggetWriting)),
        in_hand=in_hand,
        following=place + 1 if place + 1 < len(items) else 0,
        place=place,
        shown=json.dumps({"marks": sorted(marks_of(in_hand))}) if in_hand is not None else None,
        client_key=uuid4(),
        review_key=uuid4(),
        **opened_values(request, assignment, opened_string(request, assignment)),
    )


@login_required
@require_GET
def response(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Return a response and the progress on all responses, as a part of the page. The address names it by its place
    ("at") or by a string that it contains ("item"). Answers "not found" if there is no such response, or no frozen
    list.
    """
    assignment = access_work(request.user, slug, assignment_id)
    _, stage = stage_of(assignment.campaign, assignment.stage)
    outline = desk_outline(assignment) if stage.work.key == WORK else None
    if outline is None:
        raise NotFound
    at: int | None = _whole(request.GET.get("at", "0"), "at")
    if request.GET.get("item", ""):
        at = outline.index_of(access_work_item(assignment, _whole(request.GET["item"], "item")).pk)
    if at is None or at >= len(outline.responses):
        raise NotFound
    drafts = drafts_of_marks(assignment, stage, outline.nugget_list)
    return render_part(
        request,
        "nuggets/matches/response.html",
        assignment.campaign,
        assignment=assignment,
        base=reverse("workbench", args=[slug, assignment.pk]),
        responses=response_rows(outline, [at], -1, ListOffer(assignment.topic, outline.nuggets), drafts),
        **_outline_values(outline),
    )


@login_required
@require_POST
def mark(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Record how far a string contains a nugget. The outbox gets JSON, a plain form is sent to the page."""
    with reading_click(request.user, slug, assignment_id):
        nugget_id, part, value = _posted_mark(request)
        handle = _whole(request.POST.get("item", ""), "item")
        click = posted_click(request)
    with held_work(request.user, slug, assignment_id, handle=handle) as held:
        assignment = held.assignment
        nugget = _nugget(assignment, nugget_id)
        item = access_held_item(held, handle)
        match = MatchInput(
            nugget=nugget,
            item=item,
            client_key=click.key,
            value=value,
            part=part,
            quote=posted_text(request, "quote"),
            span=posted_span(request),
            how=click.how,
            offered=request.POST.get("offered") or None,
        )
        with unless_sent(NuggetMatch.objects.filter(client_key=click.key).exists):
            require_nothing_unseen(assignment, click=click, current=lambda: _marks_shown(assignment, match, click))
        row = add_match(actor=person_of(request), held=held, match=match)
    if wants_json(request):
        answer = {"id": row.pk, "item": handle, "nugget": nugget.number, "part": row.part, "value": row.value}
        return JsonResponse({**answer, "quote": row.quote})
    return _back(request, assignment, str(SAID[value]) % {"number": nugget.number, "text": item.text[:60]})


@login_required
@require_POST
def review(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Record that an assessor looked at strings and marked every nugget in them, or take that back."""
    assignment = access_assignment(access_seat(request.user, slug), assignment_id)
    words = request.POST.get("items", "").split()
    if len(words) > MOST_REVIEWED:
        raise Invalid(gettext("Name at most %(most)s strings.") % {"most": grouped(MOST_REVIEWED)})
    handles = [_whole(word, "items") for word in words]
    items = access_answers(assignment, handles)
    is_reviewed = request.POST.get("is_reviewed", "1") == "1"
    click = posted_click(request)
    with unless_sent(lambda: was_reviewed(click.key, items)):
        require_notices_shown(actor=person_of(request), campaign=assignment.campaign, told=click.told)
    review_items(
        actor=person_of(request),
        assignment=assignment,
        items=items,
        client_key=click.key,
        is_reviewed=is_reviewed,
        nugget_list=_whole(shown, "list") if (shown := request.POST.get("list", "")) else None,
        how=click.how,
    )
    if wants_json(request):
        return JsonResponse({"items": handles, "is_reviewed": is_reviewed})
    return _back(request, assignment, gettext("Looked at.") if is_reviewed else gettext("Not looked at any more."))


def _marks_shown(assignment: Assignment, match: MatchInput, click: Click) -> object:
    """Return what the page should have shown of the marks in the string: [part, value, quote] of each current mark of
    the nugget, sorted.

    A plain form has buttons for all nuggets, and sends the marks that it showed for each. For such a form the current
    marks of all nuggets are returned, each with the nugget's number before it.
    """
    found = list_for(assignment)
    before = ids_before(assignment)
    person = assignment.assessor_id
    marks = marks_in_item(found, match.item.pk, assessor_id=person, before=before) if found is not None else []
    if click.shown is not None and isinstance(click.shown.value, dict):
        return {"marks": sorted([mark.number, mark.part, mark.value, mark.quote] for mark in marks)}
    own = [mark for mark in marks if mark.number == match.nugget.number]
    return sorted([mark.part, mark.value, mark.quote] for mark in own)


def _place(request: HttpRequest, assignment: Assignment, outline: DeskOutline, items: Sequence[int]) -> int:
    """Return the place of the current string among all strings. It is the string that the address names or, if it names
    none, the first unfinished one.
    """
    asked = request.GET.get("string", "")
    if (named := _item_named(request, assignment)) in items:
        return items.index(named)
    if asked.isascii() and asked.isdigit() and len(asked) < 9 and int(asked) < len(items):
        return int(asked)
    return next((at for at, item in enumerate(items) if not outline.is_settled(item)), 0)


def _item_named(request: HttpRequest, assignment: Assignment) -> int:
    """Return the id of the item whose number the address names, or `NO_ITEM`."""
    asked = request.GET.get("item", "")
    known = asked.isascii() and asked.isdigit() and len(asked) < 20
    return item_of(assignment, int(asked)) if known else NO_ITEM


def _outline_values(outline: DeskOutline) -> dict[str, Any]:
    """Return the values about all responses that the templates of the page and of the fragment both need."""
    done, total = outline.tally
    return {
        "desk": outline,
        "left": " ".join(str(each) for each in outline.left),
        "counts": " ".join(f"{number}:{count}" for number, count in outline.counts.items()),
        "done": done,
        "total": total,
    }


def _posted_mark(request: HttpRequest) -> tuple[int, int, str | None]:
    """Return (nugget id, part, value). The form sends them in three fields, or as three words in the value of a button.
    Refuse anything else.

    The value None withdraws an earlier mark.
    """
    if said := request.POST.get("say", ""):
        words = said.split(" ")
    else:
        words = [request.POST.get(name, "") or default for name, default in (("nugget", ""), ("part", "0"))]
        words.append(request.POST.get("value", NuggetMatch.Value.FULL))
    if len(words) != 3:
        raise Invalid(gettext("A mark needs a nugget, a part and a value. Reload the page and try again."))
    return _whole(words[0], "nugget"), _whole(words[1], "part"), words[2] or None


def _whole(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise Invalid(gettext("“%(name)s” must be a whole number. Reload the page and try again.") % {"name": name})
    return int(text)


def _nugget(assignment: Assignment, nugget_id: int) -> Nugget:
    """Return a nugget of any list for the topic by its id; the domain checks whether that list counts now. Raise
    `UnknownItem` if there is none.
    """
    nugget = Nugget.objects.filter(pk=nugget_id, nugget_list__topic=assignment.topic_id).first()
    if nugget is None:
        raise UnknownItem
    return nugget


def _back(request: HttpRequest, assignment: Assignment, said: str) -> HttpResponse:
    messages.success(request, said)
    address = reverse("workbench", args=[assignment.campaign.slug, assignment.pk])
    place = request.POST.get("string", "")
    return redirect(f"{address}?string={place}" if place.isascii() and place.isdigit() else address)

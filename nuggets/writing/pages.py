"""The workbench for writing and freezing a nugget list."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from assess.assignments.access import access_assignment
from assess.assignments.models import Assignment
from assess.campaigns.dates import clocks_of
from assess.campaigns.queries import stage_of, track_of
from assess.campaigns.seats import Seat, access_seat
from assess.judging.domain import nothing_unseen
from assess.judging.queries.stage_items import found_by_author
from assess.judging.views.bench_page import closed_values, render_bench
from assess.kinds.base import noun_and_plural
from assess.topic_drafts.models import DraftFind
from assess.web.requests import person_of, posted_click, wants_json
from nuggets.writing.bench import (
    NuggetLines,
    StringsOutline,
    TopicDocument,
    like_nuggets,
    nugget_lines,
    response_window,
    strings_outline,
    topic_documents,
)
from nuggets.writing.counting_lists import latest_list
from nuggets.writing.drafts import offered_drafts
from nuggets.writing.lists import finish_frozen, start_list
from nuggets.writing.models import NuggetList
from nuggets.writing.posted_edits import Posted, do_edit
from nuggets.writing.record import TEXT_LIMIT
from nuggets.writing.strings import document_values, opened_string, opened_values
from nuggets.writing.tally import noun_of


def page(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Show the list beside all strings of the topic. If there is no list yet, one is begun as `start_list` does."""
    nugget_list = _list_of(request, assignment)
    outline = strings_outline(assignment)
    window = response_window(outline, _first(request.GET.get("from", "")))
    documents = topic_documents(assignment)
    seat = access_seat(request.user, assignment.campaign.slug)
    assignment.topic.campaign = assignment.campaign
    return render_bench(
        request,
        "nuggets/writing/bench.html",
        seat,
        documents=documents,
        **_opened(request, assignment, documents, has_strings=bool(outline.responses)),
        **_page_values(request, assignment, nugget_list, outline),
        window=window,
        responses=window.responses,
    )


@login_required
@require_POST
def edit(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Make one change of the list. The outbox gets JSON with the changed list, a plain form is sent to the page."""
    seat = access_seat(request.user, slug)
    assignment = access_assignment(seat, assignment_id)
    nugget_list = _list_of(request, assignment)
    click = posted_click(request)
    with nothing_unseen(
        assignment,
        click=click,
        was_sent=nugget_list.edits.filter(client_key=click.key).exists,
        current=nugget_list.edits.count,
    ):
        did = do_edit(Posted(request=request, seat=seat, assignment=assignment, nugget_list=nugget_list))
    if did.frozen is not None:
        return _after_freezing(request, seat, assignment, did.frozen)
    if not wants_json(request):
        messages.success(request, did.said)
        address = reverse("workbench", args=[slug, assignment.pk])
        first = _first(request.POST.get("from", ""))
        asked = {"nugget": did.number, "from": first if first > 1 else None}
        query = urlencode({name: value for name, value in asked.items() if value is not None})
        return redirect(f"{address}?{query}" if query else address)
    answer: dict[str, Any] = {"said": did.said, "number": did.number, "reload": did.is_new_page}
    if not did.is_new_page:
        shown = _page_values(request, assignment, _list_of(request, assignment), strings_outline(assignment))
        context = {"seat": seat, **shown}
        answer["edits"] = shown["lines"].edits
        with clocks_of(seat.campaign):
            answer["html"] = render_to_string("nuggets/writing/parts/list.html", context, request)
    return JsonResponse(answer)


@login_required
@require_GET
def like(request: HttpRequest, slug: str, assignment_id: int) -> JsonResponse:
    """Return the nuggets of the assessor's own list that say nearly the same as ``text``, as typed so far."""
    assignment = access_assignment(access_seat(request.user, slug), assignment_id)
    nugget_list = latest_list(assignment)
    text = request.GET.get("text", "")[:TEXT_LIMIT]
    found = like_nuggets(nugget_list, text, track_of(assignment.campaign).language) if nugget_list is not None else []
    return JsonResponse({"like": [{"number": each.number, "text": each.text} for each in found]})


def _after_freezing(
    request: HttpRequest, seat: Seat, assignment: Assignment, frozen: NuggetList
) -> HttpResponse | JsonResponse:
    """Finish the assignment and go to the list of work. If it can't be finished, go back to the bench and say why."""
    left = finish_frozen(actor=person_of(request), nugget_list=frozen)
    noun = noun_of(stage_of(assignment.campaign, assignment.stage)[1])
    if left:
        said = gettext("The list is frozen, version %(version)s, but the work is not finished. %(left)s") % {
            "version": frozen.version,
            "left": left,
        }
        address = reverse("workbench", args=[seat.campaign.slug, assignment.pk])
        messages.warning(request, said)
    else:
        said = gettext("Frozen and finished: the %(noun)s list of %(topic)s, version %(version)s.") % {
            "noun": noun_and_plural(noun)[0],
            "topic": assignment.topic.number,
            "version": frozen.version,
        }
        address = reverse("work", args=[seat.campaign.slug])
        messages.success(request, said)
    if not wants_json(request):
        return redirect(address)
    return JsonResponse({"said": said, "number": None, "reload": True, "address": address})


def _opened(
    request: HttpRequest, assignment: Assignment, documents: tuple[TopicDocument, ...], *, has_strings: bool
) -> dict[str, Any]:
    """Return the page's values for the string or document that the address asks to open. If it asks for none and the
    topic has no strings, return those of the first document.
    """
    string = opened_string(request, assignment)
    loaded = [each.document for each in documents if each.document is not None]
    asked = next((each for each in loaded if each.docno == request.GET.get("doc")), None)
    if asked is None and string is None and loaded and not has_strings:
        asked = loaded[0]
    if asked is None:
        return opened_values(request, assignment, string)
    asked.campaign = assignment.campaign
    return document_values(request, assignment, asked)


def _list_of(request: HttpRequest, assignment: Assignment) -> NuggetList:
    found = latest_list(assignment)
    nugget_list = found if found is not None else start_list(actor=person_of(request), assignment=assignment)
    nugget_list.assignment = assignment
    return nugget_list


def _page_values(
    request: HttpRequest, assignment: Assignment, nugget_list: NuggetList, outline: StringsOutline
) -> dict[str, Any]:
    task, stage = stage_of(assignment.campaign, assignment.stage)
    lines = nugget_lines(nugget_list, outline, stage)
    closed = closed_values(assignment)
    is_editable = not nugget_list.is_frozen and not closed["closed"]
    noun, nouns = noun_and_plural(noun_of(stage))
    return {
        "assignment": assignment,
        "stage": stage,
        "noun": noun,
        "nouns": nouns,
        "is_used": any(each.work.key in ("matches", "votes") for each in task.stages),
        "lines": lines,
        "current": _current(request, lines),
        "found": found_by_author(assignment, DraftFind.Kind.NUGGET),
        "response_count": outline.numbered,
        "is_editable": is_editable,
        "drafts": offered_drafts(nugget_list) if is_editable else None,
        **closed,
        "client_key": uuid4(),
        "redo_key": uuid4(),
    }


def _current(request: HttpRequest, lines: NuggetLines) -> int | None:
    """Return the number of the current nugget. It is the nugget that the address names or, if it names none, the first
    one.
    """
    numbers = [line.nugget.number for line in lines.active]
    asked = request.GET.get("nugget", "")
    return next((number for number in numbers if str(number) == asked), numbers[0] if numbers else None)


def _first(text: str) -> int:
    """Return the place, from 1, of the first response to show. It is given as a text in the address or form; a text
    that is not a number means 1.
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 1

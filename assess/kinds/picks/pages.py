"""The bench for picking items and putting them in order."""

from __future__ import annotations

import json
from dataclasses import dataclass
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from assess.assignments.access import access_assignment, access_item, access_work_item, held_work
from assess.assignments.models import Assignment
from assess.assignments.queries.work_items import handle_of
from assess.base.errors import Invalid
from assess.campaigns.queries import stage_of
from assess.campaigns.seats import access_seat
from assess.documents.views.pane import Pane, make_pane
from assess.items.models import Item
from assess.judging.domain import require_nothing_unseen, require_notices_shown
from assess.judging.queries.picked import ranking_of
from assess.judging.views.bench_page import render_bench
from assess.kinds.picks.bench import WORK, current_picks, label_of, labels_of, page_images, picks_tally
from assess.kinds.picks.record import add_label, add_picks, record_picks, was_recorded
from assess.ledger.newest import unless_sent
from assess.web.requests import person_of, posted_click, posted_json, posted_key, posted_seconds, wants_json


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A page of the topic, numbered from 1. A page that is not stored has no pane and is only named."""

    number: int
    docno: str
    pane: Pane | None


def page(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Show the bench with the topic's pages, the labels to choose from, and the picks."""
    _, stage = stage_of(assignment.campaign, assignment.stage)
    labels = labels_of(assignment, stage)
    by_id = {item.pk: item for item in labels}
    standing = current_picks(assignment, stage)
    picked = [by_id[pk] for pk, _ in standing.items if pk in by_id]
    tally = picks_tally([assignment])[assignment.pk]
    return render_bench(
        request,
        "assess/kinds/picks/bench.html",
        access_seat(request.user, assignment.campaign.slug),
        assignment=assignment,
        stage=stage,
        criterion=ranking_of(stage),
        noun=gettext(stage.noun or stage.item_kind),
        labels=[(handle_of(assignment, item.pk), label_of(item)) for item in labels],
        picked=[(handle_of(assignment, item.pk), label_of(item)) for item in picked],
        none=standing.none,
        is_carried=standing.is_carried,
        tally=tally,
        pages=_pages(request, assignment),
        client_key=str(uuid4()),
        shown=json.dumps({"items": [handle_of(assignment, pk) for pk, _ in standing.items], "none": standing.none}),
    )


@login_required
@require_POST
def pick(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Record the whole list: "items" holds handles in order as JSON; a plain form adds or removes one item."""
    with held_work(request.user, slug, assignment_id) as held:
        assignment = held.assignment
        items = _posted_items(request, assignment)
        none = {"1": True, "0": False}.get(request.POST.get("none", ""))
        click, seconds = posted_click(request), posted_seconds(request)
        with unless_sent(lambda: was_recorded(assignment, click.key)):
            require_nothing_unseen(assignment, click=click, current=lambda: _current_list(assignment))
        rows = add_picks(
            actor=person_of(request),
            held=held,
            items=[] if none else items,
            client_key=click.key,
            none=none,
            how=click.how,
            seconds=seconds,
        )
    if wants_json(request):
        return JsonResponse({"rows": len(rows), "items": [handle_of(assignment, item.pk) for item in items]})
    messages.success(request, gettext("Noted: none of them.") if none else gettext("Noted."))
    return redirect(reverse("workbench", args=[slug, assignment.pk]))


@login_required
@require_POST
def add(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Add a label that is not in the list; a plain form also puts it at the end of the picks."""
    assignment = access_assignment(access_seat(request.user, slug), assignment_id)
    if not wants_json(request):  # a plain form also picks the label
        told = posted_click(request).told
        require_notices_shown(actor=person_of(request), campaign=assignment.campaign, told=told)
    item = add_label(actor=person_of(request), assignment=assignment, label=request.POST.get("label", ""))
    if wants_json(request):
        return JsonResponse({"item": handle_of(assignment, item.pk), "label": label_of(item)})
    picked = _current(assignment)
    if item not in picked:
        record_picks(
            actor=person_of(request), assignment=assignment, items=[*picked, item], client_key=posted_key(request)
        )
    return redirect(reverse("workbench", args=[slug, assignment.pk]))


def missing(assignment: Assignment) -> str:
    """Return a sentence that says what is still to be done, or "" after picks or the answer "none of them"."""
    if picks_tally([assignment])[assignment.pk].done:
        return ""
    return gettext(
        "You have picked nothing. If none of them fits, say so with “None of them”, and mark the work as done then."
    )


def _pages(request: HttpRequest, assignment: Assignment) -> list[Page]:
    pages = []
    for number, image in enumerate(page_images(assignment.topic), start=1):
        pane = None
        if image.document is not None:
            image.document.campaign = assignment.campaign
            pane = make_pane(request, image.document)
        pages.append(Page(number=number, docno=image.docno, pane=pane))
    return pages


def _current_list(assignment: Assignment) -> dict[str, object]:
    """Return the current list as the page shows it, and whether the answer is "none of them"."""
    standing = current_picks(assignment, stage_of(assignment.campaign, assignment.stage)[1])
    return {"items": [handle_of(assignment, pk) for pk, _ in standing.items], "none": standing.none}


def _current(assignment: Assignment) -> list[Item]:
    _, stage = stage_of(assignment.campaign, assignment.stage)
    if stage.work.key != WORK:
        return []
    return [access_item(assignment, pk) for pk, _ in current_picks(assignment, stage).items]


def _posted_items(request: HttpRequest, assignment: Assignment) -> list[Item]:
    if "items" in request.POST:
        return [access_work_item(assignment, handle) for handle in _posted_handles(request)]
    picked = _current(assignment)
    for name in ("add", "remove"):
        value = request.POST.get(name, "")
        if value.isascii() and value.isdigit() and len(value) < 19:
            item = access_work_item(assignment, int(value))
            picked = [each for each in picked if each != item] + ([item] if name == "add" else [])
    return picked


def _posted_handles(request: HttpRequest) -> list[int]:
    ids = posted_json(request, "items")
    if not isinstance(ids, list) or not all(type(each) is int and abs(each) < 1 << 62 for each in ids):
        raise Invalid(gettext("“items” must be a JSON list of whole numbers. Reload the page and try again."))
    if len(ids) > 1000:
        raise Invalid(gettext("“items” holds more than a thousand numbers. Reload the page and try again."))
    return ids

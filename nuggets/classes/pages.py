"""The workbench for grouping correct answers into classes."""

from __future__ import annotations

from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.views.decorators.http import require_GET, require_POST

from assess.assignments.access import access_assignment, access_work_item
from assess.assignments.models import Assignment
from assess.assignments.queries.handles import marked_in
from assess.base.errors import Invalid, NotFound
from assess.campaigns.seats import Seat, access_seat
from assess.campaigns.tracks import stage_of
from assess.documents.queries.terms import topic_terms
from assess.documents.views.pane import make_pane
from assess.judging.domain.unseen import nothing_unseen
from assess.web.page import render_page, wants_json
from assess.web.requests import person_of, posted_key, posted_shown
from nuggets.classes.bench import class_board, told
from nuggets.classes.models import ClassEdit
from nuggets.classes.posted_edits import EDITS
from nuggets.classes.tally import grouped_noun


def page(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """The answers that wait beside the classes there are."""
    seat = access_seat(request.user, assignment.campaign.slug)
    assignment.topic.campaign = assignment.campaign
    _, stage = stage_of(assignment.campaign, assignment.stage)
    return render_page(
        request,
        "nuggets/classes/bench.html",
        seat,
        assignment=assignment,
        stage=stage,
        board=class_board(assignment, stage),
        is_done=assignment.state == Assignment.State.DONE,
        client_key=str(uuid4()),
    )


@login_required
@require_POST
def edit(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Change the grouping: for the outbox as JSON with both columns anew, from a plain form by showing the page."""
    seat = access_seat(request.user, slug)
    assignment = access_assignment(seat, assignment_id)
    action = "suggest" if request.POST.get("accept") else request.POST.get("action", "")
    make = EDITS.get(action)
    if make is None:
        raise Invalid("Say what to do with the chosen lines: use one of the buttons.")
    edits = ClassEdit.objects.filter(assignment=assignment)
    with nothing_unseen(
        assignment,
        shown=posted_shown(request),
        was_sent=edits.filter(client_key=posted_key(request)).exists,
        stands=edits.count,
    ):
        made = make(request, assignment, person_of(request))
    if not wants_json(request):
        _, stage = stage_of(assignment.campaign, assignment.stage)
        messages.success(request, told(made, grouped_noun(stage)) + ".")
        return redirect("workbench", slug, assignment.pk)
    return JsonResponse(_answer(request, seat, assignment, made))


@login_required
@require_GET
def answer_document(request: HttpRequest, slug: str, assignment_id: int, handle: int) -> HttpResponse:
    """The document that supports an answer, with the answer marked in it, for the panel beside the work."""
    seat = access_seat(request.user, slug)
    assignment = access_assignment(seat, assignment_id)
    item = access_work_item(assignment, handle)
    if item.document is None:
        raise NotFound("This document is not loaded into the campaign.")
    item.document.campaign = assignment.campaign
    terms, marked = topic_terms(assignment.topic), marked_in(assignment, item)
    pane = make_pane(request, item.document, answer=item.text, terms=terms, marked=marked)
    in_panel = bool(getattr(request, "htmx", False))
    template = "nuggets/classes/parts/document.html" if in_panel else "assess/documents/document.html"
    return render_page(request, template, seat, pane=pane, item=item, assignment=assignment, in_panel=in_panel)


def _answer(request: HttpRequest, seat: Seat, assignment: Assignment, made: ClassEdit) -> dict[str, object]:
    _, stage = stage_of(assignment.campaign, assignment.stage)
    board = class_board(assignment, stage)
    context = {"seat": seat, "assignment": assignment, "stage": stage, "board": board, "is_done": False}
    return {
        "id": made.pk,
        "did": told(made, board.noun),
        "edits": board.edits,
        "touched": made.answer_class_id,
        "done": board.tally.done,
        "total": board.tally.total,
        "classes_count": len(board.classes),
        "can_undo": board.can_undo,
        "can_redo": board.can_redo,
        "waiting": render_to_string("nuggets/classes/parts/waiting.html", context, request),
        "classes": render_to_string("nuggets/classes/parts/list.html", context, request),
    }

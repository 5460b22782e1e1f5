"""The workbench for grouping correct answers into classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from assess.assignments.access import access_assignment, access_work_item
from assess.assignments.models import Assignment
from assess.assignments.queries.work_items import marked_in
from assess.base.errors import Invalid, NotFound
from assess.campaigns.queries import stage_of
from assess.campaigns.seats import Seat, access_seat
from assess.documents.queries.search import topic_terms
from assess.documents.views.pane import make_pane
from assess.items.models import Item
from assess.judging.domain import nothing_unseen
from assess.judging.views.bench_page import closed_values, render_bench
from assess.web.page import render_page
from assess.web.requests import person_of, posted_click, wants_json
from nuggets.classes.accepted_suggestions import accept_suggestions
from nuggets.classes.access import access_class
from nuggets.classes.bench import class_board, class_of, edit_sentence, own_numbers
from nuggets.classes.edits import redo_class_edit, undo_class_edit
from nuggets.classes.found_answers import add_found_answer
from nuggets.classes.models import AnswerClass, ClassEdit
from nuggets.classes.record import (
    assign_to_class,
    create_class,
    merge_classes,
    remove_from_class,
    rename_class,
    split_class,
)
from nuggets.classes.tally import grouped_noun
from nuggets.writing.access import access_answers

# Reading an edit of the grouping from a form, and the domain function that each action calls.

ITEMS_LIMIT = 5000
Shared = dict[str, Any]
"""What every edit of a grouping is called with: the actor, the assignment, the click's key, and how it came in."""


def _create(request: HttpRequest, assignment: Assignment, shared: Shared) -> ClassEdit:
    return create_class(**shared, items=_items(request, assignment), label=_text(request, "label"))


def _assign(request: HttpRequest, assignment: Assignment, shared: Shared) -> ClassEdit:
    items = _items(request, assignment)
    return assign_to_class(**shared, items=items, answer_class=_class(request, assignment, "into"))


def _remove(request: HttpRequest, assignment: Assignment, shared: Shared) -> ClassEdit:
    return remove_from_class(**shared, items=_items(request, assignment))


def _merge(request: HttpRequest, assignment: Assignment, shared: Shared) -> ClassEdit:
    """Merge the chosen classes into the one with the lowest number. Refuse fewer than two."""
    ids, numbers = _ids(request, "class"), own_numbers(assignment)
    chosen = sorted(
        (access_class(assignment, pk) for pk in ids[:ITEMS_LIMIT]),
        key=lambda found: numbers.get(found.pk, found.number),
    )
    if len(chosen) < 2:
        raise Invalid(gettext("Choose two classes or more to merge."))
    return merge_classes(**shared, into=chosen[0], others=chosen[1:])


def _split(request: HttpRequest, assignment: Assignment, shared: Shared) -> ClassEdit:
    """Split the class that the request names. A plain form names no class; then the class of the first chosen answer is
    split.
    """
    items = _items(request, assignment)
    named = request.POST.get("from", "")
    found = _class(request, assignment, "from") if named else _class_of(assignment, items[0])
    return split_class(**shared, answer_class=found, items=items, label=_text(request, "label"))


def _rename(request: HttpRequest, assignment: Assignment, shared: Shared) -> ClassEdit:
    ids = _ids(request, "class")
    if len(ids) != 1:
        raise Invalid(gettext("Choose one class to rename."))
    return rename_class(**shared, answer_class=access_class(assignment, ids[0]), label=_text(request, "label"))


def _suggest(request: HttpRequest, assignment: Assignment, shared: Shared) -> ClassEdit:
    return accept_suggestions(**shared, items=access_answers(assignment, _ids(request, "accept")))


def _found(request: HttpRequest, assignment: Assignment, shared: Shared) -> ClassEdit:
    return add_found_answer(
        **shared,
        text=_text(request, "text"),
        docno=_text(request, "docno").strip(),
        answer_class=_class(request, assignment, "into") if request.POST.get("into") else None,
        label=_text(request, "label"),
    )


EDITS: dict[str, Callable[[HttpRequest, Assignment, Shared], ClassEdit]] = {
    "create": _create,
    "assign": _assign,
    "remove": _remove,
    "merge": _merge,
    "split": _split,
    "rename": _rename,
    "suggest": _suggest,
    "found": _found,
    "undo": lambda request, assignment, shared: undo_class_edit(**shared),
    "redo": lambda request, assignment, shared: redo_class_edit(**shared),
}


def _items(request: HttpRequest, assignment: Assignment) -> list[Item]:
    ids = _ids(request, "item")
    if not ids:
        raise Invalid(gettext("Choose at least one line."))
    return access_answers(assignment, ids)


def _class(request: HttpRequest, assignment: Assignment, name: str) -> AnswerClass:
    ids = _ids(request, name)
    if len(ids) != 1:
        raise Invalid(gettext("Choose one class."))
    return access_class(assignment, ids[0])


def _class_of(assignment: Assignment, item: Item) -> AnswerClass:
    found = class_of(assignment, item)
    if found is None:
        raise Invalid(gettext("Choose lines that are in a class."))
    return found


def _ids(request: HttpRequest, name: str) -> list[int]:
    """Return the ids in check boxes, or those in one field, separated by commas. Refuse anything else, and too many."""
    words = [word.strip() for field in request.POST.getlist(name) for word in field.split(",") if word.strip()]
    if len(words) > ITEMS_LIMIT or not all(word.isascii() and word.isdigit() and len(word) <= 18 for word in words):
        raise Invalid(
            gettext("“%(name)s” must be numbers with commas between them. Reload the page and try again.")
            % {"name": name}
        )
    return list(dict.fromkeys(int(word) for word in words))


def _text(request: HttpRequest, name: str) -> str:
    return request.POST.get(name, "").replace("\x00", "")


# The bench.


def page(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Show the page for grouping, with the waiting answers beside the classes."""
    seat = access_seat(request.user, assignment.campaign.slug)
    assignment.topic.campaign = assignment.campaign
    _, stage = stage_of(assignment.campaign, assignment.stage)
    return render_bench(
        request,
        "nuggets/classes/bench.html",
        seat,
        assignment=assignment,
        stage=stage,
        board=class_board(assignment, stage),
        client_key=str(uuid4()),
    )


@login_required
@require_POST
def edit(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Make one change of the grouping. The outbox gets JSON with both columns of the page, a plain form is sent to the
    page.
    """
    seat = access_seat(request.user, slug)
    assignment = access_assignment(seat, assignment_id)
    action = "suggest" if request.POST.get("accept") else request.POST.get("action", "")
    make = EDITS.get(action)
    if make is None:
        raise Invalid(gettext("Say what to do with the chosen lines: use one of the buttons."))
    edits, click = ClassEdit.objects.filter(assignment=assignment), posted_click(request)
    with nothing_unseen(
        assignment,
        click=click,
        was_sent=edits.filter(client_key=click.key).exists,
        current=edits.count,
    ):
        shared = {"actor": person_of(request), "assignment": assignment, "client_key": click.key, "how": click.how}
        made = make(request, assignment, shared)
    if not wants_json(request):
        _, stage = stage_of(assignment.campaign, assignment.stage)
        messages.success(request, edit_sentence(made, grouped_noun(stage)) + ".")
        return redirect("workbench", slug, assignment.pk)
    return JsonResponse(_answer(request, seat, assignment, made))


@login_required
@require_GET
def answer_document(request: HttpRequest, slug: str, assignment_id: int, handle: int) -> HttpResponse:
    """Return the document that supports an answer, with the answer marked in it, for the panel beside the work."""
    seat = access_seat(request.user, slug)
    assignment = access_assignment(seat, assignment_id)
    item = access_work_item(assignment, handle)
    if item.document is None:
        raise NotFound(gettext("This document is not loaded into the campaign."))
    item.document.campaign = assignment.campaign
    terms, marked = topic_terms(assignment.topic), marked_in(assignment, item)
    pane = make_pane(request, item.document, answer=item.text, terms=terms, marked=marked)
    in_panel = bool(getattr(request, "htmx", False))
    template = "nuggets/classes/parts/document.html" if in_panel else "assess/documents/document.html"
    return render_page(request, template, seat, pane=pane, item=item, assignment=assignment, in_panel=in_panel)


def _answer(request: HttpRequest, seat: Seat, assignment: Assignment, made: ClassEdit) -> dict[str, object]:
    _, stage = stage_of(assignment.campaign, assignment.stage)
    board = class_board(assignment, stage)
    context = {"seat": seat, "assignment": assignment, "stage": stage, "board": board, **closed_values(assignment)}
    return {
        "id": made.pk,
        "did": edit_sentence(made, grouped_noun(stage)),
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

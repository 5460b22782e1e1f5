"""An assessor's way through their work: home, the list of assignments, opening, finishing, asking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from assess.adjudication.views.desk import adjudication_address
from assess.assignments.access import (
    access_assignment,
    access_assignments,
    access_own_assignment,
    access_work,
    access_work_item,
)
from assess.assignments.domain.assignments import (
    finish_assignment,
    open_assignment,
    reopen_assignment,
    return_assignment,
)
from assess.assignments.domain.held_work import Stopped
from assess.assignments.domain.leases import Lapsed, return_lapsed, take_up_again
from assess.assignments.domain.questions_to_organiser import ask_organiser
from assess.assignments.domain.setting_aside import set_aside, undo_set_aside
from assess.assignments.domain.who_takes_work import set_takes_work
from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import is_lapsed_for_good
from assess.assignments.queries.notices import notices_of
from assess.assignments.queries.who_can_be_given_work import takes_work
from assess.base.errors import NoLongerYours
from assess.base.prose import read_blocks, section_about
from assess.campaigns.models import JUDGES, Campaign
from assess.campaigns.queries import current_guideline, stage_of, track_of
from assess.campaigns.seats import access_campaigns, access_seat
from assess.kinds.base import work_kind
from assess.practice.queries import practice_of, practised_stages
from assess.web.page import render_page
from assess.web.requests import person_of, posted_key, posted_number, posted_yes_no, wants_json
from assess.work.domain import take_from_stack
from assess.work.queries.own_work import (
    Waiting,
    lapsed_work,
    next_row,
    places_of,
    waiting_disagreements,
    waiting_of,
    work_of,
)
from assess.work.queries.stack import author_stack_of, has_author, stack_of, unfinished_author, unfinished_second

ROWS = 100
"""The number of assignments that are shown of a list; the others are on its further pages."""


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Show the person's campaigns, and what to do next in each."""
    person = person_of(request)
    places = places_of(person, access_campaigns(request.user))
    waiting = waiting_of(person, [(place.campaign, place.roles) for place in places])
    shown = [(place, _with_addresses(place.campaign, waiting.get(place.campaign.pk, ()))) for place in places]
    return render_page(request, "assess/work/home.html", places=shown)


def _with_addresses(campaign: Campaign, waiting: Iterable[Waiting]) -> list[tuple[str, str]]:
    """Return (sentence, address of the page on which it is done) for each thing to do."""
    return [(each.text, reverse(each.page, args=[campaign.slug]) + each.query) for each in waiting]


@login_required
@require_GET
def work(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the assessor's own assignments by stage, and which to take up next.

    Assignments in the campaign whose lease ran out are given back first, whoever has them.
    """
    seat = access_seat(request.user, slug, *JUDGES)
    return_lapsed(campaign=seat.campaign)
    mine = access_assignments(seat).filter(assessor=seat.user).exclude(state=Assignment.State.RETURNED)
    stages = work_of(seat.campaign, mine)
    stack = stack_of(seat.campaign, seat.user)
    authors = author_stack_of(seat.campaign, seat.user)
    unread = notices_of(seat.campaign, seat.user)
    states = [practice_of(seat.campaign, each, seat.user) for each in practised_stages(seat.campaign)]
    practised = [state for state in states if state.items and not state.is_passed]
    to_settle = waiting_disagreements(seat.campaign, seat.user) if seat.is_adjudicator else None
    return render_page(
        request,
        "assess/work/work.html",
        seat,
        stages=stages,
        lists=[
            (
                entry,
                _part(request, f"left-{entry.stage.key}", entry.left),
                _part(request, f"done-{entry.stage.key}", entry.finished),
            )
            for entry in stages
        ],
        waiting=_with_addresses(seat.campaign, [to_settle] if to_settle else []),
        can_judge=seat.campaign.state == Campaign.State.JUDGING,
        next=next_row(stages, [state.stage.key for state in practised]),
        grown=_part(request, "grown", [row for entry in stages for row in entry.rows if row.has_grown]),
        notices=unread,
        stack=None if stack is None else len(stack),
        in_hand=unfinished_second(seat.campaign, seat.user) if stack else None,
        has_stack=stack is not None and (bool(stack) or has_author(seat.campaign)),
        authors=None if authors is None else len(authors),
        author_in_hand=unfinished_author(seat.campaign, seat.user) if authors else None,
        takes_work=takes_work(seat.campaign, seat.user),
        practised=practised,
        lapsed=_part(
            request,
            "lapsed",
            lapsed_work(seat.campaign, seat.user) if seat.campaign.lease_hours is not None else [],
        ),
    )


def _part(request: HttpRequest, name: str, rows: Sequence[Any]) -> tuple[str, Page[Any]]:
    """Return the parameter of one of several lists, and the page of it that the address asks for."""
    return name, Paginator(rows, ROWS).get_page(request.GET.get(name))


@login_required
@require_POST
def take(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the next topic from the stack, as second assessor unless the form says primary."""
    seat = access_seat(request.user, slug, *JUDGES)
    role = request.POST.get("role", Assignment.Role.SECOND)
    made = take_from_stack(actor=seat.user, campaign=seat.campaign, role=role)
    whose = gettext("second assessor") if role == Assignment.Role.SECOND else made[0].get_role_display()
    messages.success(
        request, gettext("Topic %(number)s is yours, as %(whose)s.") % {"number": made[0].topic.number, "whose": whose}
    )
    return redirect("work", slug)


@login_required
@require_POST
def takes(request: HttpRequest, slug: str) -> HttpResponse:
    """Record whether the person takes more work."""
    seat = access_seat(request.user, slug, *JUDGES)
    again = posted_yes_no(request, "takes")
    set_takes_work(actor=seat.user, campaign=seat.campaign, user=seat.user, takes=again)
    if again:  # if not, the page says so as long as it is true
        messages.success(request, gettext("You are given work again."))
    return redirect("work", slug)


@login_required
@require_GET
def workbench(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Show the workbench of an assignment, and start the assignment if it is open.

    The stage's kind of work makes the page. An adjudicator is sent to the adjudication bench if there is a disagreement
    in the topic. If the person gave the work away and has it again, they are sent to the assignment that is theirs now.
    """
    try:
        assignment = access_work(person_of(request), slug, assignment_id)
    except NoLongerYours as gone:
        if gone.now is None:
            raise
        return redirect("workbench", slug, gone.now)
    except Lapsed as lapsed:
        return _lapsed_page(request, slug, assignment_id, lapsed)
    try:
        open_assignment(actor=person_of(request), assignment=assignment)
    except Stopped as stopped:
        return _stopped_page(request, assignment, stopped)
    _, stage = stage_of(assignment.campaign, assignment.stage)
    if (settling := adjudication_address(assignment, stage)) is not None:
        return redirect(settling)
    return work_kind(stage.work.key).page(request, assignment)


@login_required
@require_POST
def again(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Take up again an assignment that went back by itself."""
    assignment = access_own_assignment(access_seat(request.user, slug), assignment_id)
    take_up_again(actor=person_of(request), assignment=assignment)
    return _after(request, assignment, gettext("It is yours again, with all that you judged."), to="workbench")


@login_required
@require_POST
def done(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Mark an assignment as done."""
    assignment = _assignment(request, slug, assignment_id)
    finish_assignment(actor=person_of(request), assignment=assignment)
    return _after(request, assignment, gettext("Done. Thank you."), to="work")


@login_required
@require_POST
def reopen(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Reopen a finished assignment."""
    assignment = _assignment(request, slug, assignment_id)
    reopen_assignment(actor=person_of(request), assignment=assignment)
    return _after(request, assignment, gettext("Taken up again."), to="workbench")


@login_required
@require_POST
def give_back(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Give an assignment back to the organiser; its judgments are kept."""
    assignment = _assignment(request, slug, assignment_id)
    return_assignment(actor=person_of(request), assignment=assignment)
    return _after(request, assignment, gettext("Given back. What you judged is kept."), to="work")


@login_required
@require_POST
def ask(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Ask the organiser about an item, or about the topic."""
    assignment = _assignment(request, slug, assignment_id)
    handle = posted_number(request, "item") if request.POST.get("item", "") else None
    item = access_work_item(assignment, handle) if handle is not None else None
    key = posted_key(request)
    text = request.POST.get("text", "").replace("\x00", "")
    asked = ask_organiser(actor=person_of(request), assignment=assignment, item=item, text=text, client_key=key)
    if wants_json(request):
        return JsonResponse({"id": asked.pk, "item": handle})
    return _after(
        request, assignment, gettext("Asked. The organiser will answer; go on with the rest."), to="workbench"
    )


@login_required
@require_POST
def later(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Set an item aside, for later or for another reason ``why``; with ``back``, undo that. A script gets JSON."""
    assignment = _assignment(request, slug, assignment_id)
    handle = posted_number(request, "item")
    item, why = access_work_item(assignment, handle), request.POST.get("why", "later")
    is_back = bool(request.POST.get("back"))
    do = undo_set_aside if is_back else set_aside
    do(actor=person_of(request), assignment=assignment, item=item, why=why)
    if wants_json(request):
        return JsonResponse({"item": handle})
    message = gettext("Taken up again.") if is_back else gettext("Set aside for later.")
    return _after(request, assignment, message, to="workbench")


@login_required
@require_GET
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the guidelines in force, on a page or in the panel beside the work.

    ``stage`` names the section to begin at. Without published guidelines, they are the track's own.
    """
    seat = access_seat(request.user, slug)
    published = current_guideline(seat.campaign)
    text = published.text if published is not None else track_of(seat.campaign).guidelines
    template = "assess/work/parts/guidelines.html" if getattr(request, "htmx", False) else "assess/work/guidelines.html"
    blocks = read_blocks(text)
    section = section_about(blocks, request.GET.get("stage", ""))
    return render_page(request, template, seat, guideline=published, blocks=blocks, section=section)


def _assignment(request: HttpRequest, slug: str, assignment_id: int) -> Assignment:
    return access_assignment(access_seat(request.user, slug), assignment_id)


def _lapsed_page(request: HttpRequest, slug: str, assignment_id: int, lapsed: Lapsed) -> HttpResponse:
    """Show what happened to a lapsed assignment, and a button to take it up again as long as nobody else has it."""
    seat = access_seat(request.user, slug)
    assignment = access_own_assignment(seat, assignment_id)
    _, stage = stage_of(assignment.campaign, assignment.stage)
    taken = is_lapsed_for_good(assignment)
    return render_page(
        request,
        "assess/work/work_lapsed.html",
        seat,
        assignment=assignment,
        stage=stage,
        lapsed=lapsed,
        taken=taken,
        status=lapsed.status,
    )


def _stopped_page(request: HttpRequest, assignment: Assignment, stopped: Stopped) -> HttpResponse:
    """Show why an assignment was stopped, how far it was, and the way to other work."""
    seat = access_seat(request.user, assignment.campaign.slug)
    mine = access_assignments(seat).filter(assessor=seat.user).exclude(state=Assignment.State.RETURNED)
    _, stage = stage_of(assignment.campaign, assignment.stage)
    is_judged = seat.campaign.state == Campaign.State.JUDGING
    return render_page(
        request,
        "assess/work/work_stopped.html",
        seat,
        assignment=assignment,
        stage=stage,
        stopped=stopped,
        tally=work_kind(stage.work.key).tally([assignment])[assignment.pk],
        next=next_row(work_of(seat.campaign, mine)) if is_judged else None,
        status=stopped.status,
    )


def _after(request: HttpRequest, assignment: Assignment, message: str, *, to: str) -> HttpResponse:
    if wants_json(request):
        return JsonResponse({"state": assignment.state, "message": message})
    messages.success(request, message)
    if to == "work":
        return redirect("work", assignment.campaign.slug)
    return redirect("workbench", assignment.campaign.slug, assignment.pk)

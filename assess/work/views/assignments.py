"""Who judges what: the matrix of topics and stages, handing out, balancing, taking back."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess.assignments.access import access_assignments
from assess.assignments.domain.assignments import return_assignment
from assess.assignments.domain.leases import return_lapsed
from assess.assignments.models import Assignment
from assess.assignments.queries.people import assessors_of, names_to_choose, unwilling_assessors
from assess.assignments.queries.topics import all_stages, topics_to_judge, unassigned_stages
from assess.base.errors import NotFound, Refused
from assess.base.wording import counted
from assess.campaigns.seats import Seat, access_as_organiser
from assess.progress.queries.pieces import pieces_of
from assess.topics.queries.topics import with_place
from assess.web.page import render_page
from assess.web.requests import add_refusal
from assess.web.table import Column, make_table
from assess.work.domain.handing_out import balance_work, hand_out
from assess.work.forms import HandOutForm
from assess.work.queries.balance import balance_plan
from assess.work.queries.matrix import matrix_rows
from assess.work.queries.stack import has_author, stack_of

COLUMNS = (Column(key="topic", label="Topic", value=lambda topic: topic.number, order="place"),)


@login_required
@require_safe
def assignments(request: HttpRequest, slug: str) -> HttpResponse:
    """The matrix."""
    return _page(request, access_as_organiser(request.user, slug))


@login_required
@require_POST
def assignments_hand_out(request: HttpRequest, slug: str) -> HttpResponse:
    """Hand out the marked cells to one person."""
    seat = access_as_organiser(request.user, slug)
    people = {user.pk: user for user in assessors_of(seat.campaign)}
    form = HandOutForm(request.POST, assessors=names_to_choose(seat.campaign, people.values()))
    if not form.is_valid():
        return _page(request, seat, form=form)
    person = people[int(form.cleaned_data["assessor"])]
    try:
        made = hand_out(
            actor=seat.user,
            campaign=seat.campaign,
            cells=request.POST.getlist("cell"),
            assessor=person,
            role=form.cleaned_data["role"],
        )
    except Refused as refused:
        add_refusal(form, refused)
        return _page(request, seat, form=form)
    messages.success(request, f"{person} has {counted(len(made), 'piece')} of this work.")
    return redirect("assignments", slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assignments_balance(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the plan that balances the work, then hand it out."""
    seat = access_as_organiser(request.user, slug)
    if request.method == "POST":
        made = balance_work(actor=seat.user, campaign=seat.campaign)
        messages.success(request, f"{counted(len(made), 'piece')} of work handed out.")
        return redirect("assignments", slug)
    plan = balance_plan(seat.campaign)
    unwilling = unwilling_assessors(seat.campaign)
    return render_page(request, "assess/work/assignments_balance.html", seat, plan=plan, unwilling=unwilling)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assignment_return(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Say what taking work back does, then do it."""
    seat = access_as_organiser(request.user, slug)
    assignment = access_assignments(seat).filter(pk=assignment_id).exclude(state=Assignment.State.RETURNED).first()
    if assignment is None:
        raise NotFound
    assignment.campaign = seat.campaign
    if request.method == "POST":
        return_assignment(actor=seat.user, assignment=assignment)
        messages.success(request, f"The work is taken back from {assignment.assessor}.")
        return redirect("assignments", slug)
    piece = pieces_of(seat.campaign, access_assignments(seat).filter(pk=assignment_id))[0]
    return render_page(request, "assess/work/return.html", seat, piece=piece, assignment=assignment)


def _page(request: HttpRequest, seat: Seat, *, form: HandOutForm | None = None) -> HttpResponse:
    went_back = return_lapsed(campaign=seat.campaign)
    judged = with_place(topics_to_judge(seat.campaign))
    topics = make_table(request, judged, columns=COLUMNS, search=("number", "text"), order="topic", per_page=100)
    people = assessors_of(seat.campaign)
    stack = stack_of(seat.campaign)
    return render_page(
        request,
        "assess/work/assignments.html",
        seat,
        table=topics,
        stages=all_stages(seat.campaign),
        rows=matrix_rows(seat.campaign, topics.rows),
        marked=set(request.POST.getlist("cell")),
        went_back=went_back,
        unassigned=len(unassigned_stages(seat.campaign)),
        stack=None if stack is None else len(stack),
        authored=stack == [] and has_author(seat.campaign),
        people=people,
        form=form or HandOutForm(assessors=names_to_choose(seat.campaign, people)),
        status=422 if form is not None else 200,
    )

"""Handing one piece of work over, and the rules by which work is handed out and goes back."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from assess.assignments.access import access_assignments
from assess.assignments.domain.work_rules import change_work_rules
from assess.assignments.models import Assignment
from assess.assignments.queries.own_team import own_teams
from assess.assignments.queries.people import assessors_of, names_to_choose
from assess.base.errors import NotFound, Refused
from assess.campaigns.seats import access_as_organiser
from assess.progress.queries.pieces import pieces_of
from assess.web.page import render_page
from assess.web.requests import add_refusal
from assess.work.domain.handing_over import hand_over, kept_from
from assess.work.forms import HandOverForm, WorkRulesForm


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assignment_hand_over(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Say what handing over does, with to whom; then do it."""
    seat = access_as_organiser(request.user, slug)
    found = access_assignments(seat).filter(pk=assignment_id).exclude(state=Assignment.State.RETURNED)
    assignment = found.first()
    if assignment is None:
        raise NotFound
    assignment.campaign = seat.campaign
    own, kept_out = own_teams(seat.campaign), kept_from(assignment)
    people = {
        user.pk: user
        for user in assessors_of(seat.campaign)
        if user.pk not in kept_out and (user.pk not in own or assignment.topic_id not in own[user.pk].topics)
    }
    bound = request.method == "POST"
    names = names_to_choose(seat.campaign, people.values())
    form = HandOverForm(request.POST if bound else None, assessors=names)
    if bound and form.is_valid():
        to = people[int(form.cleaned_data["to"])]
        try:
            hand_over(actor=seat.user, assignment=assignment, to=to)
        except Refused as refused:
            add_refusal(form, refused)
        else:
            messages.success(
                request, f"{to} goes on with {assignment.topic.number} from where {assignment.assessor} was."
            )
            return redirect("assignments", slug)
    return render_page(
        request,
        "assess/work/hand_over.html",
        seat,
        assignment=assignment,
        piece=pieces_of(seat.campaign, found)[0],
        people=people,
        form=form,
        status=422 if form.errors else 200,
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def work_rules(request: HttpRequest, slug: str) -> HttpResponse:
    """When work goes back by itself, and who may take authors' work."""
    seat = access_as_organiser(request.user, slug)
    campaign = seat.campaign
    bound = request.method == "POST"
    present = {"lease_hours": campaign.lease_hours, "takes_primary": campaign.takes_primary}
    form = WorkRulesForm(request.POST if bound else None, initial=present)
    if bound and form.is_valid():
        try:
            change_work_rules(actor=seat.user, campaign=campaign, **form.cleaned_data)
        except Refused as refused:
            add_refusal(form, refused)
        else:
            messages.success(request, "The rules of work are kept.")
            return redirect("work-rules", slug)
    live = campaign.assignments.filter(state__in=(Assignment.State.OPEN, Assignment.State.STARTED)).count()
    return render_page(
        request,
        "assess/work/work_rules.html",
        seat,
        form=form,
        live=live,
        status=422 if form.errors else 200,
    )

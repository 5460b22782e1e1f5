"""The pages of practice: an assessor's next item with a word back on the last one, and how everybody has come along."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from assess.base.errors import NotFound, Refused
from assess.campaigns.models import JUDGES, Role
from assess.campaigns.seats import access_seat
from assess.practice.access import access_practice
from assess.practice.domain import answer_practice, let_practise_again
from assess.practice.queries import practice_of, practice_of_all, shown_text
from assess.web.page import render_page
from assess.web.requests import posted_number


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def practice(request: HttpRequest, slug: str, stage: str) -> HttpResponse:
    """The next item that is practised; a POST answers it."""
    seat = access_seat(request.user, slug, *JUDGES)
    found = access_practice(seat, stage)
    refusal = ""
    if request.method == "POST":
        try:
            values = {each.key: posted_number(request, each.key) for each in found.criteria if each.key in request.POST}
            number = posted_number(request, "number")
            answer_practice(actor=seat.user, campaign=seat.campaign, stage=found, number=number, values=values)
        except Refused as refused:
            refusal = refused.message
        else:
            return redirect("practice", slug, stage)
    state = practice_of(seat.campaign, found, seat.user)
    return render_page(
        request,
        "assess/practice/practice.html",
        seat,
        status=422 if refusal else 200,
        state=state,
        stage=found,
        refusal=refusal,
        text=shown_text(state.next) if state.next is not None else "",
        asked=[each for each in found.criteria if state.next is not None and each.key in state.next.expected],
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def practice_people(request: HttpRequest, slug: str, stage: str) -> HttpResponse:
    """How far everybody has come; a POST lets somebody practise again."""
    seat = access_seat(request.user, slug, Role.ORGANISER)
    found = access_practice(seat, stage)
    if request.method == "POST":
        user = User.objects.filter(pk=posted_number(request, "user")).first()
        if user is None:
            raise NotFound
        let_practise_again(actor=seat.user, campaign=seat.campaign, stage=found, user=user)
        messages.success(request, f"{user} can practise again.")
        return redirect("practice-people", slug, stage)
    states = practice_of_all(seat.campaign, found)
    return render_page(request, "assess/practice/people.html", seat, stage=found, states=states)

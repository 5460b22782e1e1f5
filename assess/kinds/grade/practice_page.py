"""The practice page: the grading bench with one practice item after another, and feedback on the last answer."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from assess.assignments.models import Assignment
from assess.base.errors import Refused
from assess.campaigns.models import JUDGES
from assess.campaigns.seats import access_seat
from assess.judging.answer_words import UNSURE_WORD
from assess.judging.views.item_on_bench import lay_out_practice
from assess.practice.access import access_practice
from assess.practice.domain import answer_practice
from assess.practice.queries import practice_of
from assess.protocol import Stage
from assess.web.page import render_page
from assess.web.requests import posted_number


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def practice(request: HttpRequest, slug: str, stage: str) -> HttpResponse:
    """Show the next practice item; a POST answers the current one."""
    seat = access_seat(request.user, slug, *JUDGES)
    found = access_practice(seat, stage)
    refusal = ""
    if request.method == "POST":
        try:
            answer_practice(
                actor=seat.user,
                campaign=seat.campaign,
                stage=found,
                number=posted_number(request, "number"),
                values=_posted_values(request, found),
            )
        except Refused as refused:
            refusal = refused.message
        else:
            return redirect("practice", slug, stage)
    state = practice_of(seat.campaign, found, seat.user)
    values = {"state": state, "stage": found, "refusal": refusal}
    if (following := state.next) is not None:
        item = following.item
        item.topic.campaign = seat.campaign
        values["assignment"] = Assignment(campaign=seat.campaign, topic=item.topic, stage=stage, assessor=seat.user)
        values["thing"] = lay_out_practice(
            request, found, item, number=following.number, asked=following.expected.keys()
        )
        values["total"] = len(state.items)
        values["keys"] = " ".join(key for each in found.criteria for key in each.keys)
    name = "practice_bench" if following is not None else "practice"
    status = 422 if refusal else 200
    return render_page(request, f"assess/practice/{name}.html", seat, status=status, **values)


def _posted_values(request: HttpRequest, stage: Stage) -> dict[str, int | None]:
    """Return the form's value for each criterion; None means that the assessor can't tell."""
    return {
        each.key: None if request.POST[each.key] == UNSURE_WORD else posted_number(request, each.key)
        for each in stage.criteria
        if request.POST.get(each.key)
    }

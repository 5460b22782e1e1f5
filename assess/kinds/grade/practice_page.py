"""The practice page: the grading bench with one practice item after another, and feedback on the last answer."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
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

TOLD = "told"
"""What the address has while an item that was answered wrongly is shown again."""


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def practice(request: HttpRequest, slug: str, stage: str) -> HttpResponse:
    """Show the next practice item; a POST answers the current one. One that was answered wrongly stays in sight, with
    the right answer and the reason, until the assessor goes on.
    """
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
                item=posted_number(request, "item") if "item" in request.POST else None,
                values=_posted_values(request, found),
            )
        except Refused as refused:
            refusal = refused.message
        else:
            last = practice_of(seat.campaign, found, seat.user).last
            told = f"?{TOLD}=1" if last is not None and not last[1]["right"] else ""
            return redirect(f"{reverse('practice', args=[slug, stage])}{told}")
    state = practice_of(seat.campaign, found, seat.user)
    is_right = state.last is None or state.last[1]["right"]
    told_item = state.last[0] if state.last is not None and not is_right and TOLD in request.GET else None
    values = {"state": state, "stage": found, "refusal": refusal, "told_item": told_item}
    values["tells"] = is_right or state.next is None or told_item is not None
    if (following := told_item or state.next) is not None:
        item = following.item
        item.topic.campaign = seat.campaign
        values["assignment"] = Assignment(campaign=seat.campaign, topic=item.topic, stage=stage, assessor=seat.user)
        values["thing"] = lay_out_practice(
            request, found, item, number=following.number, asked=() if told_item else following.expected.keys()
        )
        values["total"] = len(state.items)
        values["keys"] = " ".join(key for each in found.criteria for key in each.keys)
    name = "practice_bench" if following is not None else "practice"
    status = 422 if refusal else 200
    return render_page(request, f"assess/practice/{name}.html", seat, status=status, **values)


def _posted_values(request: HttpRequest, stage: Stage) -> dict[str, int | None]:
    """Return the form's value for each criterion that it answers; None means that the assessor can't tell. Raises
    `Invalid` for a value that is no number.
    """
    return {
        each.key: None if request.POST[each.key] == UNSURE_WORD else posted_number(request, each.key)
        for each in stage.criteria
        if request.POST.get(each.key)
    }

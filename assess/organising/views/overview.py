"""The first page of a campaign; the pages on which one is made or moved to another state."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from assess.assignments.queries.stops import stops_in_force
from assess.base.errors import Refused
from assess.campaigns.models import Campaign
from assess.campaigns.queries import is_corrected, track_of
from assess.campaigns.seats import access_as_organiser, access_campaign_making, access_seat
from assess.machines.suggested_answers import suggested_files
from assess.organising.domain import MOVES, move_campaign
from assess.organising.forms import CampaignForm
from assess.organising.making import make_campaign
from assess.organising.queries.overview import campaign_counts, lacking_to_judge, next_steps
from assess.web.page import render_page
from assess.web.requests import add_refusal, person_of


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_new(request: HttpRequest) -> HttpResponse:
    """Make a campaign, for superusers and for people whose account is marked as staff."""
    person = person_of(request)
    access_campaign_making(person)
    form = CampaignForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            campaign = make_campaign(actor=person, **form.cleaned_data)
        except Refused as refused:
            add_refusal(form, refused)
        else:
            say_made(request, campaign)
            return redirect("overview", campaign.slug)
    return render_page(request, "assess/organising/campaign_new.html", form=form, status=422 if form.errors else 200)


def say_made(request: HttpRequest, campaign: Campaign) -> None:
    """Show a message that the campaign was made, and a warning for each file of suggested answers that did not come
    with its design.
    """
    messages.success(request, gettext("%(title)s is made, and you are its organiser.") % {"title": campaign.title})
    for file in (each for each in suggested_files(campaign) if not each.is_here):
        messages.warning(
            request,
            gettext("%(file)s did not come with the design: add it under Machine judges.") % {"file": file.name},
        )


@login_required
@require_safe
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the state of the campaign and the next step. Assessors and participants are sent to their own first page."""
    seat = access_seat(request.user, slug)
    if not seat.is_organiser:
        return redirect("work" if seat.is_judge else "runs", slug)
    counts = campaign_counts(seat.campaign)
    steps = [(step, reverse(step.page, args=[slug]) + step.query) for step in next_steps(seat.campaign, counts)]
    return render_page(
        request,
        "assess/organising/overview.html",
        seat,
        counts=counts,
        steps=steps,
        stops=stops_in_force(seat.campaign),
        track=track_of(seat.campaign),
    )


STATE_MEANINGS = {
    Campaign.State.SETUP: gettext_lazy(
        "Topics, documents and runs are loaded; participants may submit. Nobody can judge."
    ),
    Campaign.State.JUDGING: gettext_lazy("Assessors judge. Participants can't submit any more."),
    Campaign.State.FROZEN: gettext_lazy(
        "Nobody can change anything. Releases are made of it, and you can open judging again."
    ),
    Campaign.State.RELEASED: gettext_lazy(
        "The results are out. A correction needs a reason, and leaves the release as it is."
    ),
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_state(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the states that the campaign can move to, and what each means. A POST moves it."""
    seat = access_as_organiser(request.user, slug)
    campaign = seat.campaign
    if request.method == "POST":
        state, reason = request.POST.get("state", ""), request.POST.get("reason", "")
        move_campaign(actor=seat.user, campaign=campaign, state=state, reason=reason)
        messages.success(request, gettext("The campaign is now %(state)s.") % {"state": campaign.get_state_display()})
        return redirect("overview", slug)
    counts = campaign_counts(campaign)
    moves = [state for state in Campaign.State if state in MOVES[Campaign.State(campaign.state)]]
    return render_page(
        request,
        "assess/organising/campaign_state.html",
        seat,
        counts=counts,
        meaning=STATE_MEANINGS[Campaign.State(campaign.state)],
        left=counts.open + counts.started,
        is_corrected=is_corrected(campaign),
        lacking=[(step, reverse(step.page, args=[slug]) + step.query) for step in lacking_to_judge(campaign, counts)],
        moves=[(state.value, state.label, STATE_MEANINGS[state]) for state in moves],
    )

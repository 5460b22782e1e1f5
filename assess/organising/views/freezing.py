"""Pages for freezing a campaign: what adds up, what is missing and where; and for reopening it with a reason."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from assess.assignments.models import Assignment
from assess.assignments.queries.stops import stops_in_force
from assess.base.errors import Refused
from assess.campaigns.activity import REASON_LIMIT
from assess.campaigns.models import Campaign
from assess.campaigns.seats import Seat, access_as_organiser
from assess.organising.domain import freeze_campaign, unfreeze_campaign
from assess.organising.queries.freezing import Account, freeze_state
from assess.progress.domain import count_work
from assess.web.page import render_page
from assess.web.table import Column, Filter, Option, csv_response, make_table

COLUMNS = (
    Column(key="topic", label=gettext_lazy("Topic"), rank=lambda each: each.place),
    Column(key="stage", label=gettext_lazy("Stage")),
    Column(key="assessor", label=gettext_lazy("Assessor")),
    Column(
        key="role",
        label=gettext_lazy("As"),
        value=lambda each: Assignment.Role(each.role).label,
        rank=lambda each: each.role,
    ),
    Column(key="total", label=gettext_lazy("To do"), number=True),
    Column(key="done", label=gettext_lazy("Judged or excused"), number=True),
    Column(key="left", label=gettext_lazy("Left"), number=True),
    Column(key="state", label=gettext_lazy("State")),
)


def _is_open(account: Account) -> bool:
    return not account.adds_up


def _is_complete(account: Account) -> bool:
    return account.adds_up


FILTERS = (
    Filter(
        key="show",
        label=gettext_lazy("Show"),
        options=(
            Option(value="missing", label=gettext_lazy("what does not add up"), holds=_is_open),
            Option(value="complete", label=gettext_lazy("what does"), holds=_is_complete),
        ),
    ),
)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def freeze(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show what is missing, with links. A POST freezes the campaign."""
    seat = access_as_organiser(request.user, slug)
    if request.method == "POST":
        try:
            freeze_campaign(actor=seat.user, campaign=seat.campaign, despite=request.POST.get("reason", ""))
        except Refused as refused:
            return _page(request, seat, refused)
        messages.success(
            request, gettext("The campaign is frozen. Nothing in it can be changed; a release can be made.")
        )
        return redirect("release", slug)
    return _page(request, seat)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def unfreeze(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for the reason for opening a closed campaign again. A POST opens it."""
    seat = access_as_organiser(request.user, slug)
    refused: Refused | None = None
    if request.method == "POST":
        try:
            unfreeze_campaign(actor=seat.user, campaign=seat.campaign, reason=request.POST.get("reason", ""))
        except Refused as caught:
            refused = caught
        else:
            messages.success(request, gettext("The campaign is open again: assessors can judge."))
            return redirect("overview", slug)
    return render_page(
        request,
        "assess/organising/unfreeze.html",
        seat,
        refused=refused,
        reason=request.POST.get("reason", ""),
        limit=REASON_LIMIT,
        is_closed=seat.campaign.is_closed,
        is_released=seat.campaign.state == Campaign.State.RELEASED,
        releases=seat.campaign.releases.count(),
        status=refused.status if refused else 200,
    )


def _page(request: HttpRequest, seat: Seat, refused: Refused | None = None) -> HttpResponseBase:
    can_freeze = seat.campaign.state == Campaign.State.JUDGING
    status = refused.status if refused else 200
    counts = count_work(seat.campaign, seconds=0)
    if not counts.is_complete:
        shown = {"counting": counts, "refused": refused, "can_freeze": can_freeze}
        return render_page(request, "assess/organising/freeze.html", seat, **shown, status=status)
    state, stops = freeze_state(seat.campaign, counts), stops_in_force(seat.campaign)
    table = make_table(request, list(state.accounts), columns=COLUMNS, filters=FILTERS, order="topic")
    if table.wants_csv:
        return csv_response(table, name="freezing.csv")
    return render_page(
        request,
        "assess/organising/freeze.html",
        seat,
        state=state,
        issues=[(issue, reverse(issue.page, args=[seat.campaign.slug]) + issue.query) for issue in state.issues],
        table=table,
        refused=refused,
        reason=request.POST.get("reason", "") or "; ".join(stop.reason for stop in stops)[:REASON_LIMIT],
        stops=stops,
        limit=REASON_LIMIT,
        can_freeze=can_freeze,
        status=status,
    )

"""The workbench of votes."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from assess.domain.access import access_seat
from assess.models import Assignment
from assess.queries.tracks import stage_of
from assess.views.page import render_page
from assess.workbench import WorkKind
from assess.workbench import register as register_kind
from nuggets.queries.progress import missing_votes, tally_votes


def register() -> None:
    """Make the work kind "votes" known."""
    register_kind(WorkKind(key="votes", page=page, tally=tally_votes, missing=missing_votes))


def page(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """How far the work is."""
    seat = access_seat(request.user, assignment.campaign.slug)
    _, stage = stage_of(assignment.campaign, assignment.stage)
    tally = tally_votes([assignment])[assignment.pk]
    return render_page(request, "nuggets/standing.html", seat, assignment=assignment, stage=stage, tally=tally)

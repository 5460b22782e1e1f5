"""The workbench of matches."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from assess.domain.access import access_seat
from assess.models import Assignment
from assess.queries.tracks import stage_of
from assess.views.page import render_page
from assess.workbench import WorkKind
from assess.workbench import register as register_kind
from nuggets.queries.progress import missing_matches, tally_matches


def register() -> None:
    """Make the work kind "matches" known."""
    register_kind(WorkKind(key="matches", page=page, tally=tally_matches, missing=missing_matches))


def page(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """How far the work is."""
    seat = access_seat(request.user, assignment.campaign.slug)
    _, stage = stage_of(assignment.campaign, assignment.stage)
    tally = tally_matches([assignment])[assignment.pk]
    return render_page(request, "nuggets/standing.html", seat, assignment=assignment, stage=stage, tally=tally)

"""Find scores and reports for a person's seat in a campaign. Absent and forbidden look the same: `NotFound`."""

from __future__ import annotations

from django.utils.translation import gettext

from assess.base.errors import Conflict, NotFound
from assess.campaigns.queries import is_corrected, released_point, scores_are_out
from assess.campaigns.seats import Seat
from assess.runs.access import access_runs
from assess.runs.models import Run
from assess.scores.changes import is_restated


def access_scores_point(seat: Seat, as_of: int | None = None) -> int | None:
    """Return the ledger point at which this person may see scores; None is the newest.

    Organisers get the point ``as_of``, participants always that of the release. Raises `NotFound` for participants
    before the release, and for everybody else. Raises `Conflict` for participants while the release is being corrected,
    once its scores can't be computed any more as they were released.
    """
    if seat.is_organiser:
        return as_of
    if not seat.is_participant or not scores_are_out(seat.campaign):
        raise NotFound
    point = released_point(seat.campaign)
    if point is not None and is_corrected(seat.campaign) and is_restated(seat.campaign, point):
        raise Conflict(
            gettext(
                "What was released is being corrected, and runs, topics, pools or settings are no longer those of the "
                "release, so its scores can't be shown here as they were. The release holds them, in the folder "
                "scores. Yours are here again once the corrected release is published."
            )
        )
    return point


def access_scored_run(seat: Seat, tag: str) -> None:
    """Raise `NotFound` for a run whose scores this person may not see.

    Participants see accepted runs of their team only. Organisers see all, so for them an unknown tag is not refused
    here.
    """
    if not seat.is_organiser and not access_runs(seat).filter(tag=tag, state=Run.State.ACCEPTED).exists():
        raise NotFound


def access_report_team(seat: Seat, team: str = "") -> str:
    """Return the team whose report this person asks for: any team for organisers, their own for participants.

    If ``team`` is "", it is the first team that they may ask for. Raises `NotFound` for any other team, and for a team
    without an accepted run.
    """
    runs = seat.campaign.runs.filter(state=Run.State.ACCEPTED).exclude(team="")
    teams = runs if seat.is_organiser else runs.filter(team__in=seat.teams)
    found = teams.order_by("team").values_list("team", flat=True)
    name = (found.filter(team=team) if team else found).first()
    if name is None:
        raise NotFound
    return name

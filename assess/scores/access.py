"""Find scores and reports for a person's seat in a campaign. Absent and forbidden look the same: `NotFound`."""

from __future__ import annotations

from assess.base.errors import NotFound
from assess.campaigns.queries import released_point, scores_are_out
from assess.campaigns.seats import Seat
from assess.runs.access import access_runs
from assess.runs.models import Run


def access_scores_point(seat: Seat, as_of: int | None = None) -> int | None:
    """Return the ledger point at which this person may see scores: the one asked for (None: the newest) for organisers,
    the release's for participants.

    Raise `NotFound` for participants before the release, and for everybody else.
    """
    if seat.is_organiser:
        return as_of
    if not seat.is_participant or not scores_are_out(seat.campaign):
        raise NotFound
    return released_point(seat.campaign)


def access_scored_run(seat: Seat, tag: str) -> None:
    """Raise `NotFound` for a run whose scores this person may not see. Organisers see all runs, participants their
    team's.
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

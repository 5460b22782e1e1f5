"""Query parameters that name something in the campaign: a topic, a stage, a task, a person, a team, an action.

An unknown name would give an empty list, which a caller who misspelt it would take for the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial

from rest_framework.request import Request

from assess.campaigns.activity import ACTIONS
from assess.campaigns.queries import track_of
from assess.campaigns.seats import Seat
from assess.web.strict_calls import query_text, refuse


def require_known(request: Request, seat: Seat, *names: str) -> None:
    """Refuse these parameters, by their names in `_LOOK`, if they name nothing in the campaign that the caller may know
    about. Parameters that are not given are accepted.
    """
    values = [(name, query_text(request, name)) for name in names]
    faults = [(name, _LOOK[name](seat, value)) for name, value in values if value]
    refuse([(name, text) for name, text in faults if text], of="address")


def require_among(request: Request, known: Mapping[str, Callable[[], Collection[str]]]) -> None:
    """Refuse parameters whose value is not among their ``known`` values. Parameters that are not given are accepted."""
    values = [(name, query_text(request, name)) for name in known]
    strange = [(name, value) for name, value in values if value and value not in known[name]()]
    refuse([(name, f"There is no “{value[:40]}” here.") for name, value in strange], of="address")


def _topic(seat: Seat, number: str) -> str:
    """Return a message if this person may not know of such a topic or it does not exist, otherwise "". Organisers and
    assessors may know all topics, participants none, since they have no list that names topics.
    """
    is_known = seat.campaign.topics(manager="with_dropped").filter(number=number).exists()
    return "" if is_known and (seat.is_organiser or seat.is_judge) else f"There is no topic “{number[:40]}” here."


def _person(seat: Seat, name: str) -> str:
    """Return a message if the person is unknown. Organisers know all current and former members, others only
    themselves.
    """
    campaign = seat.campaign
    is_known = name == seat.user.username or (
        seat.is_organiser
        and (
            campaign.memberships.filter(user__username=name).exists()
            or campaign.assignments.filter(assessor__username=name).exists()
            or campaign.activities.filter(actor__username=name).exists()
        )
    )
    return "" if is_known else f"There is nobody called “{name[:40]}” here."


def _team(seat: Seat, team: str) -> str:
    """Return a message if the team is unknown. Organisers know all teams, others only their own."""
    campaign = seat.campaign
    is_known = team in seat.teams or (
        seat.is_organiser
        and (campaign.runs.filter(team=team).exists() or campaign.memberships.filter(team=team).exists())
    )
    return "" if is_known else f"There is no team “{team[:40]}” here."


def _one_of(choices: Callable[[Seat], Collection[str]], seat: Seat, value: str) -> str:
    known = choices(seat)
    return "" if value in known else f"“{value[:40]}” is none of: {', '.join(known)}."


def _stages(seat: Seat) -> list[str]:
    return [stage.key for task in track_of(seat.campaign).tasks for stage in task.stages]


def _tasks(seat: Seat) -> list[str]:
    return [task.key for task in track_of(seat.campaign).tasks]


_LOOK: Mapping[str, Callable[[Seat, str], str]] = {
    "topic": _topic,
    "assessor": _person,
    "actor": _person,
    "team": _team,
    "stage": partial(_one_of, _stages),
    "task": partial(_one_of, _tasks),
    "action": partial(_one_of, lambda seat: ACTIONS),
}
"""For each parameter, a function that returns why a value is unknown, or "" if it is known."""

"""The acts that stopped judging and so ended assignments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from assess.assignments.models import Assignment
from assess.campaigns.models import Activity, Campaign

STOP = "judging.stop"


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop:
    """One act that stopped judging and still applies to some of the assignments it ended.

    ``by`` is a user name or "". ``pieces`` is the number of those assignments, ``left`` the number of their items left
    unjudged.
    """

    reason: str
    by: str
    at: datetime
    pieces: int
    left: int


def stops_in_force(campaign: Campaign) -> list[Stop]:
    """Return the stops that still apply, the first one first. One query if there are none, otherwise two.

    Assignments of dropped topics are not counted.
    """
    works = campaign.assignments.filter(state=Assignment.State.STOPPED, topic__dropped=False)
    stopped = set(works.values_list("pk", flat=True))
    if not stopped:
        return []
    found = []
    for act in campaign.activities.filter(action=STOP).select_related("actor").order_by("-id"):
        held = stopped.intersection(act.data["works"])
        stopped -= held  # if an assignment was stopped twice, the newer act applies
        if held:
            left = sum(number for work, number in zip(act.data["works"], act.data["left"], strict=True) if work in held)
            by = act.actor.username if act.actor is not None else ""
            found.append(Stop(reason=act.data["reason"], by=by, at=act.created_at, pieces=len(held), left=left))
    return found[::-1]


def stop_of(assignment: Assignment) -> Activity | None:
    """Return the newest act that stopped this assignment, or None. One query."""
    acts = assignment.campaign.activities.filter(action=STOP).order_by("-id")
    return next((act for act in acts.iterator() if assignment.pk in act.data["works"]), None)

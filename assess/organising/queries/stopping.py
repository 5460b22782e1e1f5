"""Judging that was stopped: for which reason, and what it left unjudged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.progress.queries.pieces import Piece, pieces_of

LIVE = (Assignment.State.OPEN, Assignment.State.STARTED)
STOP = "judging.stop"


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop:
    """One act that stopped judging and still holds for some of the work that it ended. ``by`` is a user name or ""."""

    reason: str
    by: str
    at: datetime
    pieces: int
    left: int


def standing_stops(campaign: Campaign) -> list[Stop]:
    """The acts for which work is stopped now, the first one first. One query where none is, else two.

    Work of dropped topics is not counted.
    """
    works = campaign.assignments.filter(state=Assignment.State.STOPPED, topic__dropped=False)
    stopped = set(works.values_list("pk", flat=True))
    if not stopped:
        return []
    found = []
    for act in campaign.activities.filter(action=STOP).select_related("actor").order_by("-id"):
        held = stopped.intersection(act.data["works"])
        stopped -= held  # of work that was stopped twice the newer act holds
        if held:
            left = sum(number for work, number in zip(act.data["works"], act.data["left"], strict=True) if work in held)
            by = act.actor.username if act.actor is not None else ""
            found.append(Stop(reason=act.data["reason"], by=by, at=act.created_at, pieces=len(held), left=left))
    return found[::-1]


def stoppable(campaign: Campaign, *, stages: Sequence[str] = (), topics: Sequence[str] = ()) -> list[Piece]:
    """The work that stopping would end: what people have and is not done, of these stages and topics, or of all."""
    works = campaign.assignments.filter(state__in=LIVE, topic__dropped=False).exclude(role=Assignment.Role.MACHINE)
    if stages:
        works = works.filter(stage__in=stages)
    if topics:
        works = works.filter(topic__number__in=topics)
    return pieces_of(campaign, works)

"""What stopping judging would end, and what it would leave unjudged."""

from __future__ import annotations

from collections.abc import Sequence

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.progress.queries.assignment_progress import AssignmentProgress, progress_of_assignments

LIVE = (Assignment.State.OPEN, Assignment.State.STARTED)


def stoppable(
    campaign: Campaign, *, stages: Sequence[str] = (), topics: Sequence[str] = ()
) -> list[AssignmentProgress]:
    """Return the work that stopping would end: people's unfinished assignments of these stages and topics, or of
    all.
    """
    works = campaign.assignments.filter(state__in=LIVE, topic__dropped=False).exclude(role=Assignment.Role.MACHINE)
    if stages:
        works = works.filter(stage__in=stages)
    if topics:
        works = works.filter(topic__number__in=topics)
    return progress_of_assignments(campaign, works)

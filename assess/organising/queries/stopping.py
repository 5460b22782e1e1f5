"""What stopping judging would end, and what it would leave unjudged."""

from __future__ import annotations

from collections.abc import Sequence

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.campaigns.queries import ledger_point
from assess.progress.queries.assignment_progress import AssignmentProgress, progress_of_assignments
from assess.scores.changes import changes_between

RUN_CHANGES = ("run.accept", "run.withdraw")
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


def stoppable_since(
    campaign: Campaign,
    point: int,
    counted: Sequence[AssignmentProgress],
    *,
    stages: Sequence[str],
    topics: Sequence[str],
) -> list[AssignmentProgress] | None:
    """Return what `stoppable` would return now, from ``counted``: what it returned at this ledger point or a little
    later.

    Only topics in which something was done since are counted again. Return None if everything has to be, since a run
    was accepted or withdrawn, or something else that concerns no single topic changed.
    """
    changes = changes_between(campaign, point, ledger_point(campaign))
    if changes.everything or campaign.activities.filter(id__gt=point, action__in=RUN_CHANGES).exists():
        return None
    changed = changes.topics.intersection(topics) if topics else changes.topics
    if not changed:
        return list(counted)
    again = {each.assignment.pk: each for each in stoppable(campaign, stages=stages, topics=list(changed))}
    same = [each for each in counted if each.assignment.topic.number not in changed or each.assignment.pk in again]
    return [*(again.pop(each.assignment.pk, each) for each in same), *again.values()]

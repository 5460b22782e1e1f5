"""Topics by stages: who has what, and how far it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q

from assess.assignments.models import Assignment
from assess.assignments.queries.topics import all_stages
from assess.campaigns.models import Campaign
from assess.campaigns.tracks import track_of
from assess.protocol import Stage
from assess.topics.models import Topic


@dataclass(frozen=True, slots=True)
class Cell:
    """One stage of one topic; ``key`` names it in forms. ``stage`` is None where the topic's task has no such stage."""

    key: str
    stage: Stage | None
    assignments: list[Assignment]


def matrix_rows(campaign: Campaign, topics: Iterable[Topic]) -> list[tuple[Topic, list[Cell]]]:
    """Each of the topics with a cell for every stage; one query, whatever their number."""
    shown = list(topics)
    stages = all_stages(campaign)
    tasks = {task.key: {stage.key for stage in task.stages} for task in track_of(campaign).tasks}
    live = (
        campaign.assignments.filter(topic__in=[topic.pk for topic in shown])
        .exclude(Q(state=Assignment.State.RETURNED) | Q(role=Assignment.Role.MACHINE))
        .select_related("assessor")
        .order_by("id")
    )
    held: dict[tuple[int, str], list[Assignment]] = {}
    for assignment in live:
        held.setdefault((assignment.topic_id, assignment.stage), []).append(assignment)
    rows = []
    for topic in shown:
        own = tasks.get(topic.task, set())
        cells = [
            Cell(f"{topic.pk}:{stage.key}", stage if stage.key in own else None, held.get((topic.pk, stage.key), []))
            for stage in stages
        ]
        rows.append((topic, cells))
    return rows

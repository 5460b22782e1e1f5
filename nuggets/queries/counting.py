"""Which questions have nuggets, and the list that counts for each."""

from __future__ import annotations

from assess.models import Campaign
from assess.protocol import Task
from assess.queries.tracks import track_of
from nuggets.models import NuggetList
from nuggets.queries.lists import official_lists
from scoring.records import Importance


def numbers_of(campaign: Campaign, task: Task) -> dict[int, str]:
    """Topic id -> number, of the questions of a task."""
    return dict(campaign.topics.filter(task=task.key).values_list("pk", "number"))


def match_tasks(campaign: Campaign) -> list[Task]:
    """The tasks of the campaign's track in which nuggets are marked."""
    return [task for task in track_of(campaign).tasks if any(stage.work == "matches" for stage in task.stages)]


def counting_lists(campaign: Campaign, as_of: int | None) -> dict[str, NuggetList]:
    """The nugget list that counts for each question that has one, by the question's number."""
    numbers = {pk: number for task in match_tasks(campaign) for pk, number in numbers_of(campaign, task).items()}
    lists = official_lists(numbers, as_of=as_of)
    return {numbers[topic]: nugget_list for topic, nugget_list in lists.items()}


def as_importance(value: str) -> Importance:
    """The stored importance as the records' own type."""
    return "vital" if value == "vital" else "okay"

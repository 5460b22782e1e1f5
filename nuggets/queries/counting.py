"""Which questions have nuggets, and the list that counts for each."""

from __future__ import annotations

from collections.abc import Iterable

from assess.models import Campaign, Topic
from assess.protocol import Task
from assess.queries.tracks import track_of
from nuggets.models import NuggetList
from nuggets.queries.lists import frozen_lists, official_lists
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


def working_lists(campaign: Campaign, as_of: int | None) -> list[NuggetList]:
    """The frozen lists whose nuggets are marked: every assessor's own where a stage says so, else those that count."""
    found: list[NuggetList] = []
    for task in match_tasks(campaign):
        topics = numbers_of(campaign, task)
        is_own = any(stage.work == "matches" and stage.own for stage in task.stages)
        found += frozen_lists(topics, as_of=as_of) if is_own else official_lists(topics, as_of=as_of).values()
    return found


def numbers_of_lists(lists: Iterable[NuggetList]) -> dict[int, str]:
    """Topic id -> number, of the topics of these lists. One query."""
    topics = Topic.objects.filter(pk__in={nugget_list.topic_id for nugget_list in lists})
    return dict(topics.values_list("pk", "number"))


def as_importance(value: str) -> Importance:
    """The stored importance as the records' own type."""
    return "vital" if value == "vital" else "okay"

"""The topics of a campaign."""

from __future__ import annotations

from django.db.models import QuerySet

from assess.models import Campaign, Topic
from assess.protocol import TopicRecord


def topic_records(campaign: Campaign) -> tuple[TopicRecord, ...]:
    """The topics as the records that tracks know: every target with its questions after it, in order."""
    topics = campaign.topics.select_related("parent").order_by("ordinal", "id")
    roots = [topic for topic in topics if topic.parent_id is None]
    below: dict[int, list[Topic]] = {}
    for topic in topics:
        if topic.parent_id is not None:
            below.setdefault(topic.parent_id, []).append(topic)
    ordered: list[Topic] = []
    waiting = list(reversed(roots))
    while waiting:
        topic = waiting.pop()
        ordered.append(topic)
        waiting.extend(reversed(below.get(topic.pk, [])))
    return tuple(topic_record(topic) for topic in ordered)


def judged_topics(campaign: Campaign) -> QuerySet[Topic]:
    """The topics that a task asks, series left out, in order of their series."""
    asked = campaign.topics.exclude(task="").select_related("parent")
    return asked.order_by("parent__ordinal", "parent_id", "ordinal", "id")


def topic_record(topic: Topic) -> TopicRecord:
    """The topic as the record that tracks know; its parent is a query where it is not loaded."""
    return TopicRecord(
        number=topic.number,
        task=topic.task,
        text=topic.text,
        parent=topic.parent.number if topic.parent is not None else None,
        ordinal=topic.ordinal,
        fields=topic.fields,
    )

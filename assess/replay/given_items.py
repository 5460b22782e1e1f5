"""The items that files of judgments speak of and that no run returned: they are added, and pooled."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from assess.campaigns.models import Campaign
from assess.campaigns.tracks import track_of
from assess.documents.domain.items import DOCNO_LIMIT, KEY_LIMIT, documents_of
from assess.items.models import Item
from assess.kinds.base import work_kind
from assess.protocol import Task
from assess.replay.session import ItemDeed, Line, key_of
from assess.topics.models import Topic
from assess.topics.queries.topics import judged_topics


def add_given_items(campaign: Campaign, lines: Iterable[Line]) -> int:
    """Add the items that these deeds name and that are not there yet, with their documents; how many were added.

    Deeds of unknown questions, or that no stage asks for, add nothing: replaying them says what is wrong.
    """
    topics = {topic.number: topic for topic in judged_topics(campaign)}
    track = track_of(campaign)
    wanted: dict[tuple[int, str, str], ItemDeed] = {}
    for line in lines:
        if isinstance(line.deed, ItemDeed) and line.deed.topic in topics:
            topic = topics[line.deed.topic]
            task = track.task(topic.task)
            kind = _kind(task, line.deed) if task is not None else ""
            key = key_of(line.deed)
            if kind and len(key) <= KEY_LIMIT and len(line.deed.docno) <= DOCNO_LIMIT:
                wanted.setdefault((topic.pk, kind, key), line.deed)
    with transaction.atomic():
        return _add(campaign, topics, wanted)


def _add(campaign: Campaign, topics: dict[str, Topic], wanted: dict[tuple[int, str, str], ItemDeed]) -> int:
    named = {topic for topic, _, _ in wanted}
    ids = [topic.pk for topic in topics.values() if topic.pk in named]
    known = set(Item.objects.filter(topic__in=ids).order_by().values_list("topic_id", "kind", "key"))
    missing = {place: deed for place, deed in wanted.items() if place not in known}
    documents = documents_of(campaign, (deed.docno for deed in missing.values()))
    rows = [
        Item(
            topic_id=topic,
            kind=kind,
            key=key,
            text=deed.answer,
            docno=deed.docno,
            document_id=documents.get(deed.docno),
            given=True,
        )
        for (topic, kind, key), deed in missing.items()
    ]
    return len(Item.objects.bulk_create(rows, batch_size=1000, ignore_conflicts=True))


def _kind(task: Task, deed: ItemDeed) -> str:
    """The kind of item that a deed is about: that of the first stage in which it is done; "" where there is none."""
    for stage in task.stages:
        if work_kind(stage.work).accepts(stage, deed):
            return stage.item_kind
    return ""

"""Items that files of judgments name and that no run returned: they are added, so that they can be pooled."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.documents.domain.adding_items import DOCNO_LIMIT, KEY_LIMIT, documents_of
from assess.items.models import Item
from assess.kinds.base import work_kind
from assess.protocol import Task
from assess.replay.session import ReplayLine
from assess.topics.models import Topic
from assess.topics.queries import judged_topics
from scoring.release.recorded_acts import ItemAct, key_of


def add_given_items(campaign: Campaign, lines: Iterable[ReplayLine]) -> int:
    """Add missing items that these acts name, with their documents. Return how many were added.

    Acts of unknown topics, of no stage, or with a key or docno that is too long add nothing; replaying them reports the
    problem.
    """
    topics = {topic.number: topic for topic in judged_topics(campaign)}
    track = track_of(campaign)
    wanted: dict[tuple[int, str, str], ItemAct] = {}
    for line in lines:
        if isinstance(line.act, ItemAct) and line.act.topic in topics:
            topic = topics[line.act.topic]
            task = track.task(topic.task)
            kind = _kind(task, line.act) if task is not None else ""
            key = key_of(line.act)
            if kind and len(key) <= KEY_LIMIT and len(line.act.docno) <= DOCNO_LIMIT:
                wanted.setdefault((topic.pk, kind, key), line.act)
    with transaction.atomic():
        return _add(campaign, topics, wanted)


def _add(campaign: Campaign, topics: dict[str, Topic], wanted: dict[tuple[int, str, str], ItemAct]) -> int:
    named = {topic for topic, _, _ in wanted}
    ids = [topic.pk for topic in topics.values() if topic.pk in named]
    known = set(Item.objects.filter(topic__in=ids).order_by().values_list("topic_id", "kind", "key"))
    missing = {place: act for place, act in wanted.items() if place not in known}
    documents = documents_of(campaign, (act.docno for act in missing.values()))
    rows = [
        Item(
            topic_id=topic,
            kind=kind,
            key=key,
            text=act.answer,
            docno=act.docno,
            document_id=documents.get(act.docno),
            given=True,
        )
        for (topic, kind, key), act in missing.items()
    ]
    return len(Item.objects.bulk_create(rows, batch_size=1000, ignore_conflicts=True))


def _kind(task: Task, act: ItemAct) -> str:
    """Return the kind of item that an act is about, from the first stage in which it is done; "" if there is none."""
    for stage in task.stages:
        if work_kind(stage.work.key).accepts(stage, act):
            return stage.item_kind
    return ""

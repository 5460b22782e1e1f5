"""Items as disagreements and explanations name them: which there are, and what each is called."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Q

from assess.campaigns.models import Campaign
from assess.campaigns.tracks import stage_of, track_of
from assess.items.models import Item
from assess.kinds.opinions import Disagreement
from assess.protocol import Stage
from assess.runs.models import Run
from scoring.own_items import own_key
from scoring.records import About


def item_about(campaign: Campaign, about: About, run: Run | None) -> Item | None:
    """The item of a row: that of the run's response alone, where there is one, else by its key, else by its text.

    Never one that repeats another.
    """
    items = Item.objects.filter(topic__campaign=campaign, topic__number=about.topic, kind=about.name, repeats=None)
    keys = [own_key(about.key, run.tag)] if run is not None else []
    keys.append(about.key)
    found = list(items.filter(Q(key__in=keys) | Q(text=about.key)).select_related("topic", "document")[:3])
    by_key = {item.key: item for item in found}
    return next((by_key[key] for key in keys if key in by_key), found[0] if found else None)


WORK = "grade"


def graded_stages(campaign: Campaign) -> list[tuple[str, Stage]]:
    """The stages in which items are graded one by one, with their task's label."""
    found = [
        (task.label, stage.key) for task in track_of(campaign).tasks for stage in task.stages if stage.work == WORK
    ]
    return [(label, stage_of(campaign, key)[1]) for label, key in found]


def topic_of_item(number: int) -> int | None:
    """The topic of the item with this id; None where there is none. One query."""
    return Item.objects.filter(pk=number).values_list("topic_id", flat=True).first()


def items_of(rows: Iterable[Disagreement]) -> dict[int, Item]:
    """The items of these rows, with what a list says of them. One query."""
    ids = {row.thing.item_id for row in rows if row.thing.item_id is not None}
    return Item.objects.only("id", "key", "text", "docno", "fields").in_bulk(ids)

"""Items that were judged and are in no current pool, such as what only a withdrawn run returned.

A release holds them beside the pooled ones, since nothing else in it says what they are once their run is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.items.models import Item
from assess.judging.models import Judgment
from assess.judging.queries.judged import marked
from scoring.formats.judgments_jsonl import acts_of
from scoring.own_items import renamed_key
from scoring.release.recorded_acts import Classed, Judged, Matched, Reviewed, key_of

CHUNK = 2_000


def left_pools(
    campaign: Campaign, *, pooled: QuerySet[Any], runs: Mapping[str, str], judgments: Path
) -> Iterator[QuerySet[Item]]:
    """Yield, in parts, the items that are in no pool although the file of ``judgments`` has acts about them.

    ``pooled`` is a query of the ids of pooled items. ``runs`` gives the names that stand for runs in that file. The
    file is read only if something was recorded about an item outside the pools.
    """
    items = Item.objects.filter(topic__campaign=campaign, topic__dropped=False, repeats=None).exclude(pk__in=pooled)
    rows = items.filter(_said(campaign)).order_by().values_list("topic__number", "key", "pk")
    found: dict[tuple[str, str], list[int]] = {}
    for topic, key, pk in rows:
        found.setdefault((topic, renamed_key(key, runs)), []).append(pk)
    if not found or not judgments.is_file():
        return
    said = (act for act in acts_of(judgments) if isinstance(act, Judged | Classed | Matched | Reviewed))
    named = {place for act in said if (place := (act.topic, key_of(act))) in found}
    ids = sorted(pk for place in named for pk in found[place])
    for first in range(0, len(ids), CHUNK):
        yield Item.objects.filter(pk__in=ids[first : first + CHUNK])


def _said(campaign: Campaign) -> Q:
    """Return the condition for items of which something was recorded. What an assessor who groups answers says of those
    that they found themselves does not count: the act by which they were found holds all of them.
    """
    stages = [stage.key for task in track_of(campaign).tasks for stage in task.stages if stage.criteria]
    return Q(Exists(Judgment.objects.filter(item=OuterRef("pk"), assignment__stage__in=stages))) | marked()

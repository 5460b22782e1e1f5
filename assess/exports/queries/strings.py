"""What accepted runs returned, string by string."""

from __future__ import annotations

from collections.abc import Iterator

from assess.campaigns.models import Campaign
from assess.protocol import Task
from assess.runs.models import Segment
from assess.runs.queries.listing import accepted_runs

CHUNK = 2000


def strings_of(campaign: Campaign, task: Task) -> Iterator[tuple[str, int, int, int, str, str]]:
    """What accepted runs returned for the questions of a task: run tag, topic id, ordinal, item id, docno, text."""
    segments = Segment.objects.filter(
        response__run__in=accepted_runs(campaign), response__topic__task=task.key, item__isnull=False
    )
    fields = ("response__run__tag", "response__topic_id", "ordinal", "item_id", "docno", "text")
    ordered = segments.order_by("response__run__tag", "response__topic_id", "ordinal")
    yield from ordered.values_list(*fields).iterator(CHUNK)

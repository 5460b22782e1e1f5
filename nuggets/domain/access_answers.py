"""The way from an assignment to several of its answers at once. Absent and forbidden look the same."""

from __future__ import annotations

from collections.abc import Iterable

from assess.domain.errors import NotFound
from assess.models import Assignment, Item
from assess.queries.tracks import stage_of

LARGEST_ID = 2**63 - 1  # of a BIGINT; what is beyond, a database refuses to look for


def access_answers(assignment: Assignment, item_ids: Iterable[int]) -> list[Item]:
    """These items of the assignment's topic, in the order asked for, each once; all of them or none. One query."""
    ids = list(dict.fromkeys(item_ids))
    if any(not 0 < pk <= LARGEST_ID for pk in ids):
        raise NotFound
    _, stage = stage_of(assignment.campaign, assignment.stage)
    found = Item.objects.filter(topic=assignment.topic_id, kind=stage.item_kind).in_bulk(ids)
    if len(found) < len(ids):
        raise NotFound
    return [found[pk] for pk in ids]

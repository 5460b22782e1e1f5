"""Ticks as records of an export, and as acts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assess.exports.writing import named_item, role_of
from assess.judging.queries.current import official_judgments
from assess.judging.snapshots import Snapshot
from assess.models import Judgment
from scoring.release.recorded_acts import Judged, RecordedAct

from .current import current_ticks
from .record import TICK


def ticks(snapshot: Snapshot) -> Iterator[tuple[str, str, int]]:
    """(topic, item's key, value) of what counts."""
    rows = official_judgments(snapshot).filter(criterion=TICK, value__isnull=False)
    yield from rows.order_by("item__topic__number", "item__key").values_list(
        "item__topic__number", "item__key", "value"
    )


def tick_acts(snapshot: Snapshot, names: Mapping[int, str]) -> Iterator[RecordedAct]:
    rows = current_ticks(Judgment.objects.filter(item__topic__campaign=snapshot.campaign), snapshot.as_of)
    for row in rows.select_related("item__topic", "assignment"):
        yield Judged(
            by=names[row.assessor_id],
            topic=row.item.topic.number,
            criterion=TICK,
            value=row.value or 0,
            role=role_of(row.assignment.role),
            **named_item(row.item),
        )

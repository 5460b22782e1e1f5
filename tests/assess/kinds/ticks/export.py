"""Ticks as records of an export, and as deeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assess.exports.queries.writing import named_item, role_of
from assess.judging.queries.current import official_judgments
from assess.models import Campaign, Judgment
from scoring.deeds import Deed, Judged

from .current import current_ticks
from .record import TICK


def ticks(campaign: Campaign, as_of: int | None = None) -> Iterator[tuple[str, str, int]]:
    """(topic, item's key, value) of what counts."""
    rows = official_judgments(campaign, as_of=as_of).filter(criterion=TICK, value__isnull=False)
    yield from rows.order_by("item__topic__number", "item__key").values_list(
        "item__topic__number", "item__key", "value"
    )


def tick_deeds(campaign: Campaign, names: Mapping[int, str], as_of: int | None) -> Iterator[Deed]:
    rows = current_ticks(Judgment.objects.filter(item__topic__campaign=campaign), as_of)
    for row in rows.select_related("item__topic", "assignment"):
        yield Judged(
            by=names[row.assessor_id],
            topic=row.item.topic.number,
            criterion=TICK,
            value=row.value or 0,
            role=role_of(row.assignment.role),
            **named_item(row.item),
        )

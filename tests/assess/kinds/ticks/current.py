"""What is ticked now, and how far work is."""

from __future__ import annotations

from django.db.models import QuerySet

from assess.campaigns.queries import stage_of
from assess.items.queries import pooled_items
from assess.kinds.base import Tally
from assess.ledger.newest import newest_rows
from assess.models import Assignment, Judgment

from .record import TICK


def current_ticks(rows: QuerySet[Judgment], as_of: int | None = None) -> QuerySet[Judgment]:
    """The newest tick of each person on each item, among the judgments given."""
    newest = newest_rows(rows.filter(criterion=TICK), "item_id", "assessor_id", as_of=as_of)
    return newest.filter(value__isnull=False).order_by("id")


def own_ticks(assignment: Assignment) -> dict[int, int]:
    """Item id -> what was said in this work."""
    rows = current_ticks(Judgment.objects.filter(assignment=assignment))
    return {row.item_id: row.value or 0 for row in rows}


def tally(assignments: list[Assignment]) -> dict[int, Tally]:
    found = {}
    for work in assignments:
        _, stage = stage_of(work.campaign, work.stage)
        total = pooled_items(work.topic, stage.item_kind).count()
        found[work.pk] = Tally(done=len(own_ticks(work)), total=total, unit="statements")
    return found


def missing(assignment: Assignment) -> str:
    left = tally([assignment])[assignment.pk].left
    return f"{left} statements have no tick yet." if left else ""

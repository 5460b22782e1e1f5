"""A person's last marks of nuggets in strings, for looking at them again. No query here joins runs."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.judging.queries.bench import label_of
from assess.kinds.recent import RecentAct
from assess.ledger.newest import newest_rows
from nuggets.matches.models import NuggetMatch


def recent_marks(works: Mapping[int, Assignment], most: int) -> list[RecentAct]:
    """Return the last marks of nuggets in strings in these assignments, at most ``most``. One query."""
    rows = NuggetMatch.objects.filter(assignment__in=list(works))
    newest = newest_rows(rows, "nugget_id", "part", "item_id", "assessor_id")
    return [
        RecentAct(
            assignment=row.assignment_id,
            item=row.item_id,
            label=label_of(row.item),
            said=f"{_named(row)} {row.get_value_display() or gettext('undone')}".strip(),
            at=row.created_at,
        )
        for row in newest.select_related("item", "item__repeats", "nugget").order_by("-id")[:most]
    ]


def _named(row: NuggetMatch) -> str:
    return f"{row.nugget.number}.{row.part}:" if row.part else f"{row.nugget.number}:"

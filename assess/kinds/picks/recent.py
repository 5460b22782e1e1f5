"""The items that a person last picked or removed, for a second look. Nothing here joins runs."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.judging.models import Judgment
from assess.kinds.picks.bench import label_of
from assess.kinds.recent import RecentAct
from assess.ledger.newest import newest_rows


def recent_picks(works: Mapping[int, Assignment], most: int) -> list[RecentAct]:
    """Return the latest picks and removals in these assignments. One query."""
    newest = newest_rows(Judgment.objects.filter(assignment__in=list(works)), "item_id", "criterion", "assessor_id")
    return [
        RecentAct(
            assignment=row.assignment_id,
            label=label_of(row.item),
            said=gettext("place %(place)s") % {"place": row.value} if row.value is not None else gettext("taken out"),
            at=row.created_at,
        )
        for row in newest.select_related("item").order_by("-id")[:most]
    ]

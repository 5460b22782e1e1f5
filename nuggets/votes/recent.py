"""A person's last votes, for looking at them again."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.kinds.recent import RecentAct
from assess.ledger.newest import newest_rows
from nuggets.votes.models import NuggetVote


def recent_votes(works: Mapping[int, Assignment], most: int) -> list[RecentAct]:
    """Return the last votes on nuggets in these assignments, at most ``most``. One query."""
    newest = newest_rows(NuggetVote.objects.filter(assignment__in=list(works)), "nugget_id", "assessor_id")
    return [
        RecentAct(
            assignment=row.assignment_id,
            label=row.nugget.text,
            said=row.importance or gettext("undone"),
            at=row.created_at,
            nugget=row.nugget.number,
        )
        for row in newest.select_related("nugget").order_by("-id")[:most]
    ]

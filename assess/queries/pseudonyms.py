"""The names under which assessors appear in what is exported."""

from __future__ import annotations

from django.db.models import Min

from assess.models import Campaign


def pseudonyms(campaign: Campaign) -> dict[int, str]:
    """User id -> "assessor-1", "assessor-2", … in the order in which people were first given work.

    Work is never deleted, so a name once given stays with its person, whoever joins or leaves.
    """
    first = campaign.assignments.order_by().values("assessor_id").annotate(first=Min("id")).order_by("first")
    return {row["assessor_id"]: f"assessor-{rank}" for rank, row in enumerate(first, start=1)}

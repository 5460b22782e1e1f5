"""What nugget lists lack before a campaign can be frozen. Lists, votes and matches that are work are counted there."""

from __future__ import annotations

from collections.abc import Iterator

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.kinds.checks import Lack
from nuggets.writing.models import NuggetList

NAMED = 5  # lists


def drafts_begun(campaign: Campaign) -> Iterator[Lack]:
    """Versions of a list that were begun and never frozen: the version before them counts. One query."""
    drafts = NuggetList.objects.filter(topic__campaign=campaign, frozen_point=None).exclude(
        assignment__state=Assignment.State.RETURNED
    )
    rows = drafts.order_by("topic__ordinal", "topic_id", "id")
    found = list(rows.values_list("topic__number", "assignment__assessor__username", "assignment__stage"))
    if found:
        several = "s" if len(found) != 1 else ""
        named = "; ".join(f"topic {number} by {name}" for number, name, _ in found[:NAMED])
        more = f"; and {len(found) - NAMED:,} more" if len(found) > NAMED else ""
        stages = {stage for *_, stage in found}
        yield Lack(
            code="draft-lists",
            severity="warning",
            count=len(found),
            text=(
                f"{len(found):,} nugget list{several} begun and not frozen ({named}{more}): what was frozen before "
                "counts, or nothing."
            ),
            page="progress",
            action="See who",
            query=f"?stage={stages.pop()}#pieces" if len(stages) == 1 else "#pieces",
        )

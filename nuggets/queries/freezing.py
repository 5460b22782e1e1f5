"""What nugget lists lack before a campaign can be frozen. Lists, votes and matches that are work are counted there."""

from __future__ import annotations

from collections.abc import Iterator

from assess.lacks import Lack
from assess.models import Assignment, Campaign
from nuggets.models import NuggetList


def drafts_begun(campaign: Campaign) -> Iterator[Lack]:
    """Versions of a list that were begun and never frozen: the version before them counts. One query."""
    drafts = NuggetList.objects.filter(topic__campaign=campaign, frozen_point=None).exclude(
        assignment__state=Assignment.State.RETURNED
    )
    count = drafts.count()
    if count:
        several = "s" if count != 1 else ""
        text = f"{count:,} nugget list{several} begun and not frozen: what was frozen before counts, or nothing."
        yield Lack(
            code="draft-lists",
            severity="warning",
            count=count,
            text=text,
            page="progress",
            action="See who",
        )

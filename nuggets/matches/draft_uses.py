"""What became of machines' drafts where people marked nuggets, a record a piece of work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.campaigns.queries import stage_of
from assess.judging.queries.machine_drafts import SHOWN_TO
from assess.kinds.base import DraftUse, active_seconds
from nuggets.matches.current import ABSENT, current_marks, ids_before
from nuggets.matches.drafts import drafts_of_marks
from nuggets.matches.models import ItemReview, NuggetMatch
from nuggets.writing.counting_lists import lists_for


def draft_uses(campaign: Campaign) -> Iterator[DraftUse]:
    """The marks of each assessor, with what became of the drafts. Four queries a piece of work."""
    said = Assignment.objects.filter(nugget_matches__isnull=False) | Assignment.objects.filter(
        nugget_reviews__isnull=False
    )
    works = Assignment.objects.filter(pk__in=said.values("pk"), campaign=campaign, role__in=SHOWN_TO)
    works = works.filter(topic__dropped=False).exclude(state=Assignment.State.RETURNED)
    found = list(works.select_related("topic").order_by("topic__ordinal", "topic_id", "pk"))
    for each in found:
        each.campaign = campaign
    lists = lists_for(found)
    times: dict[int, list[datetime]] = {}
    for ledger in (NuggetMatch, ItemReview):
        rows = ledger.objects.filter(assignment__in=[each.pk for each in found]).order_by()
        for work, at in rows.values_list("assignment_id", "created_at"):
            times.setdefault(work, []).append(at)
    for each in found:
        nugget_list = lists.get(each.pk)
        if nugget_list is None:
            continue
        _, stage = stage_of(campaign, each.stage)
        marks = current_marks(nugget_list, assessor_id=each.assessor_id, before=ids_before(each), with_absent=True)
        answered = {(mark.item_id, mark.number) for mark in marks if mark.offered}
        drafts = drafts_of_marks(each, stage, nugget_list)
        fates = Counter(_fate(mark.value, mark.offered) for mark in marks)
        yield DraftUse(
            assignment=each.pk,
            stage=each.stage,
            topic=each.topic.number,
            assessor=each.assessor_id,
            offered=len(answered | {(item, number) for item, said in drafts.items() for number in said}),
            original=fates["original"],
            edited=fates["edited"],
            refused=fates["refused"],
            new=fates["new"],
            seconds=active_seconds(times.get(each.pk, [])),
        )


def _fate(value: str, offered: str) -> str:
    """What a mark made of the draft that was offered; what is only said not to be there is nothing new."""
    if not offered:
        return "new" if value != ABSENT else ""
    if value == offered:
        return "original"
    return "refused" if value == ABSENT else "edited"

"""Count what assessors did with machines' drafts when they marked nuggets, one record for each assignment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import chain_beginners
from assess.campaigns.models import Campaign
from assess.campaigns.queries import rows_between, stage_of
from assess.judging.queries.machine_drafts import SHOWN_TO, are_open
from assess.kinds.base import DraftUse, active_seconds
from nuggets.matches.current import ABSENT, Mark, all_marks
from nuggets.matches.models import ItemReview, NuggetMatch
from nuggets.options import Matching
from nuggets.writing.counting_lists import lists_for

TOPICS_AT_ONCE = 10
"""Topics whose marks are held in memory at once."""


def has_drafts(campaign: Campaign) -> bool:
    """Return whether a mark was made by a machine, or by a person who could see a machine's draft. At most two
    queries.
    """
    marks = rows_between(NuggetMatch.objects.all(), campaign, after=0)
    by_machines = marks.filter(assignment__in=campaign.assignments.filter(role=Assignment.Role.MACHINE).values("pk"))
    return by_machines.exists() or marks.filter(offered__isnull=False).exists()


def draft_uses(campaign: Campaign) -> Iterator[DraftUse]:
    """Yield, for each assignment with marks or finished strings, what became of the drafts that it was offered.

    Assignments of roles that never see drafts, returned ones and those of dropped topics are left out. One query, and
    at most twelve more for every ten topics.
    """
    has_said = Q(Exists(NuggetMatch.objects.filter(assignment=OuterRef("pk"))))
    has_said |= Q(Exists(ItemReview.objects.filter(assignment=OuterRef("pk"))))
    works = campaign.assignments.filter(has_said, role__in=SHOWN_TO, topic__dropped=False)
    works = works.exclude(state=Assignment.State.RETURNED).select_related("topic")
    of_topics: dict[int, list[Assignment]] = {}
    for each in works.order_by("topic__ordinal", "topic_id", "pk"):
        each.campaign = campaign
        of_topics.setdefault(each.topic_id, []).append(each)
    topics = list(of_topics)
    for first in range(0, len(topics), TOPICS_AT_ONCE):
        yield from _uses([work for topic in topics[first : first + TOPICS_AT_ONCE] for work in of_topics[topic]])


def _uses(found: list[Assignment]) -> Iterator[DraftUse]:
    lists = lists_for(found)
    times: dict[int, list[datetime]] = {}
    for ledger in (NuggetMatch, ItemReview):
        rows = ledger.objects.filter(assignment__in=[each.pk for each in found]).order_by()
        for work, at in rows.values_list("assignment_id", "created_at"):
            times.setdefault(work, []).append(at)
    marks: dict[tuple[int, int, str], list[Mark]] = {}
    drafts: dict[int, dict[tuple[int, int], set[str]]] = {}
    known = all_marks({each.pk: each for each in lists.values()}.values())
    for mark in known:
        if mark.role != Assignment.Role.MACHINE:
            marks.setdefault((mark.list_id, mark.begun_by, mark.role), []).append(mark)
        elif not mark.part:
            drafts.setdefault(mark.list_id, {}).setdefault((mark.item_id, mark.number), set()).add(mark.value)
    people = chain_beginners(found)
    for each in found:
        nugget_list = lists.get(each.pk)
        if nugget_list is None:
            continue
        own = marks.get((nugget_list.pk, people[each.pk], each.role), [])
        answered = {(mark.item_id, mark.number) for mark in own if mark.offered}
        in_part = stage_of(each.campaign, each.stage)[1].options(Matching).partial
        said = drafts.get(nugget_list.pk, {}) if are_open(each) else {}
        offered = {thing for thing, values in said.items() if in_part or values != {ABSENT}}
        fates = Counter(_fate(mark.value, mark.offered) for mark in own if not _is_part_of(mark, offered))
        taken_in_part = {(mark.item_id, mark.number) for mark in own if _is_part_of(mark, offered)} - answered
        yield DraftUse(
            assignment=each.pk,
            stage=each.stage,
            topic=each.topic.number,
            assessor=each.assessor_id,
            offered=len(answered | offered),
            original=fates["original"],
            edited=fates["edited"] + len(taken_in_part),
            refused=fates["refused"],
            new=fates["new"],
            seconds=active_seconds(times.get(each.pk, [])),
        )


def _is_part_of(mark: Mark, offered: set[tuple[int, int]]) -> bool:
    """Return whether the mark is of a part of a nugget, while the draft marked the nugget as a whole. Such a mark
    accepts the draft with a change.
    """
    return bool(mark.part) and not mark.offered and mark.value != ABSENT and (mark.item_id, mark.number) in offered


def _fate(value: str, offered: str) -> str:
    """Return what happened to the draft that was offered for this mark: "original", "edited" or "refused". If no draft
    was offered, return "new", or "" if the mark says that the nugget is absent.
    """
    if not offered:
        return "new" if value != ABSENT else ""
    if value == offered:
        return "original"
    return "refused" if value == ABSENT else "edited"

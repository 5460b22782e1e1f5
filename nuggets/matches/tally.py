"""How far the strings are marked, and what is missing before an assignment can be marked done."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils.translation import gettext

from assess.adjudication.queries.disagreements import adjudicator_tallies
from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import predecessors
from assess.campaigns.models import Campaign
from assess.campaigns.queries import rows_between, stage_of, track_of
from assess.items.models import PoolItem
from assess.items.queries import current_pools
from assess.judging.queries.blind_responses import excused_items
from assess.kinds.base import Tally
from assess.ledger.newest import newest_rows
from assess.progress.queries.counted import Counts
from nuggets.matches.current import current_reviews, finished_items
from nuggets.matches.models import ItemReview
from nuggets.writing.counting_lists import lineages, list_for, lists_for
from nuggets.writing.models import NuggetList
from nuggets.writing.tally import Tallies, _left, _one_per_grade, _pooled, pooled_rows


def counted_matches(assignments: list[Assignment], counts: Counts) -> Tallies:
    """Return the same progress as `tally_matches`. Numbers that ``counts`` already has are not counted again."""
    return _tallies(assignments, counts)


def tally_matches(assignments: list[Assignment]) -> Tallies:
    """Return the progress of each assignment: how many of its pooled strings are finished, leaving out excused ones. An
    adjudicator's progress is the number of disagreements decided.

    Assignments that were handed over or have excused strings are counted string by string, the others by the database.
    """
    return _tallies(assignments, None)


def finished_since(
    campaign: Campaign, pooled: QuerySet[PoolItem], since: int, up_to: int
) -> tuple[str, QuerySet[ItemReview], QuerySet[ItemReview] | None]:
    """Return (column of reviews that names their assignment, new reviews, replaced reviews).

    New reviews were written after ledger point ``since``, and finish a pooled string as of ``up_to``. Replaced reviews
    finished a pooled string as of ``since``, and a newer review of the same person replaced them; None if ``since`` is
    0. Reviews count under any version of any list.
    """
    said = ItemReview.objects.filter(Exists(pooled.filter(item=OuterRef("item")))).order_by()
    fresh = rows_between(said, campaign, after=since, upto=up_to)
    finished = newest_rows(fresh, "item_id", "assessor_id", as_of=up_to, whole_groups=True).filter(is_reviewed=True)
    if not since:
        return "assignment", finished, None
    again = Exists(fresh.filter(item=OuterRef("item"), assessor=OuterRef("assessor")))
    earlier = said.filter(id__lte=since, item__in=fresh.values("item")).filter(again)
    before = newest_rows(earlier, "item_id", "assessor_id", as_of=since, whole_groups=True).filter(is_reviewed=True)
    return "assignment", finished, before


def _tallies(assignments: list[Assignment], counts: Counts | None) -> Tallies:
    lists = lists_for(assignments)
    excused = excused_items(assignments)
    before = predecessors(assignments)
    alone = {each.pk for each in assignments if excused[each.pk] or each.pk in before}
    plain = [each for each in assignments if each.pk not in alone]
    totals = counts.items() if counts is not None else _totals(plain)
    finished = _finished(plain, lists, counts)
    found = {}
    for each in plain:
        kind = stage_of(each.campaign, each.stage)[1].item_kind
        done, total = finished.get(each.pk, 0), totals.get((each.topic_id, kind), 0)
        found[each.pk] = Tally(done=done, total=total, unit=_unit(each))
    found |= _by_string([each for each in assignments if each.pk in alone], lists, excused)
    return found | adjudicator_tallies(assignments)


def _totals(assignments: list[Assignment]) -> dict[tuple[int, str], int]:
    """Return (topic's id, kind) -> number of pooled strings. One query for each stage."""
    found: dict[tuple[int, str], int] = {}
    for each in _one_per_grade(assignments):
        topics = {other.topic_id for other in assignments if other.campaign_id == each.campaign_id}
        rows = pooled_rows(each).filter(item__topic__in=topics).order_by()
        counted = rows.values_list("item__topic_id", "item__kind").annotate(number=Count("pk"))
        found.update({(topic, kind): number for topic, kind, number in counted})
    return found


def _finished(assignments: list[Assignment], lists: Mapping[int, NuggetList], counts: Counts | None) -> dict[int, int]:
    """Return for each assignment how many pooled strings are finished under its list, or under a version that covers
    its list.

    If ``counts`` is given, it is used for topics in which reviews under every frozen list count.
    """
    found, rest = {}, []
    versions = _frozen_versions(assignments)
    several = [lists[each.pk] for each in assignments if each.pk in lists and len(versions[each.topic_id]) > 1]
    covering = {pk: lineage.covering for pk, lineage in (lineages(several) if several else {}).items()}
    for each in assignments:
        if each.pk not in lists:
            continue
        nugget_list = lists[each.pk].pk
        if counts is not None and versions[each.topic_id] <= covering.get(nugget_list, {nugget_list}):
            own = counts.pieces.get((each.topic_id, each.stage, each.assessor_id))
            found[each.pk] = own.settled if own is not None else 0
        else:
            rest.append(each)
    by_list = _finished_by_list(rest)
    for each in rest:
        nugget_list = lists[each.pk].pk
        own_lists = by_list.get((each.topic_id, each.assessor_id), {})
        counted = covering.get(nugget_list, {nugget_list})
        found[each.pk] = sum(number for version, number in own_lists.items() if version in counted)
    return found


def _frozen_versions(assignments: list[Assignment]) -> dict[int, set[int]]:
    """Return topic's id -> ids of all frozen lists for the topic, whoever wrote them. One query."""
    found: dict[int, set[int]] = {each.topic_id: set() for each in assignments}
    frozen = NuggetList.objects.filter(topic__in=list(found), frozen_point__isnull=False).order_by()
    for topic, version in frozen.values_list("topic_id", "pk"):
        found[topic].add(version)
    return found


def _finished_by_list(assignments: list[Assignment]) -> dict[tuple[int, int], dict[int, int]]:
    """Return (topic's id, assessor's id) -> list's id -> number of pooled strings finished under the list. One query
    for each stage.
    """
    found: dict[tuple[int, int], dict[int, int]] = {}
    for each in _one_per_grade(assignments):
        same = {o.pk: o for o in assignments if (o.campaign_id, o.stage) == (each.campaign_id, each.stage)}
        pools = current_pools(each.campaign).filter(task=each.topic.task)
        rows = current_reviews(ItemReview.objects.filter(assignment__in=list(same))).filter(is_reviewed=True).order_by()
        rows = rows.filter(Exists(PoolItem.objects.filter(pool__in=pools, item=OuterRef("item"))))
        counted = rows.values_list("assignment_id", "nugget_list_id").annotate(number=Count("pk"))
        for work, version, number in counted:
            of_person = found.setdefault((same[work].topic_id, same[work].assessor_id), {})
            of_person[version] = of_person.get(version, 0) + number
    return found


def _by_string(
    assignments: list[Assignment], lists: Mapping[int, NuggetList], excused: Mapping[int, set[int]]
) -> Tallies:
    pooled = _pooled(assignments)
    found = {}
    for each in assignments:
        kind = stage_of(each.campaign, each.stage)[1].item_kind
        wanted = pooled.get((each.topic_id, kind), set()) - excused[each.pk]
        done = finished_items(lists[each.pk], assignment=each) if each.pk in lists else set()
        found[each.pk] = Tally(done=len(wanted & done), total=len(wanted), unit=_unit(each))
    return found


def missing_matches(assignment: Assignment) -> str:
    """Return a sentence that says what is missing before the matches are done, or "" if nothing is."""
    unfinished = gettext("{} of {} %(unit)s are not finished. Mark each of them as finished.") % {
        "unit": gettext(_unit(assignment))
    }
    return _left(tally_matches, assignment, unfinished, has_list=lambda: list_for(assignment))


def _unit(assignment: Assignment) -> str:
    """Return the track's plural noun for the items that are marked, such as "strings" or "responses"."""
    return f"{track_of(assignment.campaign).segment_noun}s"

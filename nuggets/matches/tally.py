"""How far the marking of strings is, and what is missing before it can be marked done."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import Count, Exists, OuterRef

from assess.adjudication.queries.disagreements import adjudicator_tallies
from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import predecessors
from assess.campaigns.queries import stage_of, track_of
from assess.items.models import PoolItem
from assess.items.queries import current_pools
from assess.judging.queries.blind_responses import excused_items
from assess.kinds.base import Tally
from assess.progress.queries.counted import Counts
from nuggets.matches.current import current_reviews, finished_items
from nuggets.matches.models import ItemReview
from nuggets.writing.counting_lists import lineages, list_for, lists_for
from nuggets.writing.models import NuggetList
from nuggets.writing.tally import Tallies, _left, _one_per_grade, _pooled, pooled_rows


def counted_matches(assignments: list[Assignment], counts: Counts) -> Tallies:
    """What `tally_matches` gives, with the pooled strings counted before."""
    return _tallies(assignments, counts.items())


def tally_matches(assignments: list[Assignment]) -> Tallies:
    """Matches: strings finished of those pooled; excused ones need not be. Of an adjudicator's, what is decided.

    Work that was handed over, or of which something is excused, is counted string by string; all other by the database.
    """
    return _tallies(assignments, None)


def _tallies(assignments: list[Assignment], pooled: Mapping[tuple[int, str], int] | None) -> Tallies:
    lists = lists_for(assignments)
    known = lineages(lists.values())
    excused = excused_items(assignments)
    before = predecessors(assignments)
    alone = {each.pk for each in assignments if excused[each.pk] or each.pk in before}
    plain = [each for each in assignments if each.pk not in alone]
    totals, finished = pooled if pooled is not None else _totals(plain), _finished(plain)
    found = {}
    for each in plain:
        covering = known[lists[each.pk].pk].covering if each.pk in lists else frozenset()
        own = finished.get((each.topic_id, each.assessor_id), {})
        done = sum(number for version, number in own.items() if version in covering)
        kind = stage_of(each.campaign, each.stage)[1].item_kind
        found[each.pk] = Tally(done=done, total=totals.get((each.topic_id, kind), 0), unit=_unit(each))
    found |= _by_string([each for each in assignments if each.pk in alone], lists, excused)
    return found | adjudicator_tallies(assignments)


def _totals(assignments: list[Assignment]) -> dict[tuple[int, str], int]:
    """(topic, kind) -> how many strings are pooled. One query for each stage among them."""
    found: dict[tuple[int, str], int] = {}
    for each in _one_per_grade(assignments):
        topics = {other.topic_id for other in assignments if other.campaign_id == each.campaign_id}
        rows = pooled_rows(each).filter(item__topic__in=topics).order_by()
        counted = rows.values_list("item__topic_id", "item__kind").annotate(number=Count("pk"))
        found.update({(topic, kind): number for topic, kind, number in counted})
    return found


def _finished(assignments: list[Assignment]) -> dict[tuple[int, int], dict[int, int]]:
    """(topic, assessor) -> under which list how many pooled strings are finished. One query for each stage."""
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
        wanted = pooled.get(each.topic_id, set()) - excused[each.pk]
        done = finished_items(lists[each.pk], assignment=each) if each.pk in lists else set()
        found[each.pk] = Tally(done=len(wanted & done), total=len(wanted), unit=_unit(each))
    return found


def missing_matches(assignment: Assignment) -> str:
    """Why matches are not done; "" when they are."""
    unfinished = f"{{}} of {{}} {_unit(assignment)} are not finished. Say of each that you are done with it."
    return _left(tally_matches, assignment, unfinished, has_list=lambda: list_for(assignment))


def _unit(assignment: Assignment) -> str:
    """What the track calls the things that are looked at: "strings", "responses"."""
    return f"{track_of(assignment.campaign).segment_noun}s"

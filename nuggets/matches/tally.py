"""How far the marking of strings is, and what is missing before it can be marked done."""

from __future__ import annotations

from assess.adjudication.queries.disagreements import adjudicator_tallies
from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import predecessors
from assess.campaigns.queries import track_of
from assess.judging.queries.blind_responses import excused_items
from assess.kinds.base import Tally
from nuggets.matches.current import current_reviews, finished_items
from nuggets.matches.models import ItemReview
from nuggets.writing.counting_lists import lineages, list_for, lists_for
from nuggets.writing.tally import Tallies, _left, _pooled


def tally_matches(assignments: list[Assignment]) -> Tallies:
    """Matches: strings finished of those pooled; excused ones need not be. Of an adjudicator's, what is decided."""
    pooled = _pooled(assignments)
    excused = excused_items(assignments)
    lists = lists_for(assignments)
    known = lineages(lists.values())
    before = predecessors(assignments)
    reviews = ItemReview.objects.filter(assignment__in=assignments)
    finished: dict[tuple[int, int], dict[int, int]] = {}
    rows = current_reviews(reviews).filter(is_reviewed=True)
    for topic, assessor, item, version in rows.values_list(
        "item__topic_id", "assessor_id", "item_id", "nugget_list_id"
    ):
        finished.setdefault((topic, assessor), {})[item] = version
    found = {}
    for each in assignments:
        wanted = pooled.get(each.topic_id, set()) - excused[each.pk]
        covering = known[lists[each.pk].pk].covering if each.pk in lists else frozenset()
        said = finished.get((each.topic_id, each.assessor_id), {})
        if each.pk in before and each.pk in lists:
            said = dict.fromkeys(finished_items(lists[each.pk], assignment=each), lists[each.pk].pk)
        done = sum(said.get(item) in covering for item in wanted)
        found[each.pk] = Tally(done=done, total=len(wanted), unit=_unit(each))
    return found | adjudicator_tallies(assignments)


def missing_matches(assignment: Assignment) -> str:
    """Why matches are not done; "" when they are."""
    if list_for(assignment) is None:
        return "The nugget list of this topic is not frozen yet."
    unfinished = f"{{}} of {{}} {_unit(assignment)} are not finished. Say of each that you are done with it."
    return _left(tally_matches, assignment, unfinished)


def _unit(assignment: Assignment) -> str:
    """What the track calls the things that are looked at: "strings", "responses"."""
    return f"{track_of(assignment.campaign).segment_noun}s"

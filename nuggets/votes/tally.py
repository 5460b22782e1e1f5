"""How far voting is, and what is missing before it can be marked done."""

from __future__ import annotations

from assess.adjudication.queries.disagreements import adjudicator_tallies
from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import beginners
from assess.kinds.base import Tally
from nuggets.votes.current import current_votes
from nuggets.writing.counting_lists import active_nuggets, official_lists
from nuggets.writing.tally import Tallies, _left


def tally_votes(assignments: list[Assignment]) -> Tallies:
    """Votes: nuggets voted on of the active ones on the list that counts. Of an adjudicator's, what is decided."""
    lists = official_lists({assignment.topic_id for assignment in assignments})
    nuggets = active_nuggets(lists.values())
    cast: dict[tuple[int, int], int] = {}
    begun = beginners(assignments)
    for vote in current_votes(lists.values(), people=set(begun.values())):
        cast[vote.topic_id, vote.begun_by] = cast.get((vote.topic_id, vote.begun_by), 0) + 1
    found = {}
    for each in assignments:
        nugget_list = lists.get(each.topic_id)
        total = len(nuggets[nugget_list.pk]) if nugget_list is not None else 0
        found[each.pk] = Tally(done=cast.get((each.topic_id, begun[each.pk]), 0), total=total, unit="nuggets")
    return found | adjudicator_tallies(assignments)


def missing_votes(assignment: Assignment) -> str:
    """Why votes are not done; "" when they are."""
    if not official_lists([assignment.topic_id]):
        return "The nugget list of this topic is not frozen yet."
    return _left(tally_votes, assignment, "{} of {} nuggets have no vote of yours.")

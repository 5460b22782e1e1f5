"""How far nuggets are voted on, and what is missing before an assignment can be marked done."""

from __future__ import annotations

from django.db.models import Count
from django.utils.translation import gettext

from assess.adjudication.queries.disagreements import adjudicator_tallies
from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import chain_beginners
from assess.kinds.base import Tally
from nuggets.votes.current import votes_cast
from nuggets.writing.counting_lists import official_lists
from nuggets.writing.models import Nugget
from nuggets.writing.tally import Tallies, _left


def tally_votes(assignments: list[Assignment]) -> Tallies:
    """Return the progress of each assignment: on how many active nuggets of the list that counts it voted. An
    adjudicator's progress is the number of disagreements decided.
    """
    lists = official_lists({assignment.topic_id for assignment in assignments})
    active = Nugget.objects.filter(nugget_list__in=lists.values(), is_retired=False, merged_into=None).order_by()
    totals = dict(active.values_list("nugget_list__topic_id").annotate(number=Count("pk")))
    begun = chain_beginners(assignments)
    cast = votes_cast(lists.values(), set(begun.values()))
    found = {}
    for each in assignments:
        done = cast[each.topic_id, begun[each.pk]]
        found[each.pk] = Tally(done=done, total=totals.get(each.topic_id, 0), unit="nuggets")
    return found | adjudicator_tallies(assignments)


def missing_votes(assignment: Assignment) -> str:
    """Return a sentence that says what is missing before the votes are done, or "" if nothing is."""
    sentence = gettext("{} of {} nuggets have no vote of yours.")
    return _left(tally_votes, assignment, sentence, has_list=lambda: official_lists([assignment.topic_id]))

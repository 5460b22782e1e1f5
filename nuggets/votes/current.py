"""The current votes on nuggets, and those from which weights are computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from django.db.models import Count

from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import begun_by, chain_beginners
from assess.judging.snapshots import Snapshot, counted_in
from assess.ledger.newest import newest_rows
from nuggets.votes.models import NuggetVote
from nuggets.writing.counting_lists import ADJUDICATOR, active_nuggets, is_first_version, lineages
from nuggets.writing.models import NuggetList

CHUNK = 2_000


class Vote(NamedTuple):
    """One assessor's current vote on a nugget, which is given by its number on the list that counts."""

    row: int
    topic_id: int
    number: int
    assessor_id: int
    assignment_id: int
    importance: str
    begun_by: int
    """The user for whom the vote counts: the one who began the chain of hand-overs."""


_vote: Callable[[tuple[Any, ...]], Vote] = partial(tuple.__new__, Vote)
"""Make a vote of all its values, in a third of the time that `Vote` takes, since there are tens of thousands."""


def without_overruled(votes: list[Vote]) -> list[Vote]:
    """Return the votes, but of several adjudicators' votes on a nugget only the last one. One query."""
    settling = Assignment.objects.filter(pk__in={vote.assignment_id for vote in votes}, role=ADJUDICATOR)
    held = set(settling.values_list("pk", flat=True))
    last = {(vote.topic_id, vote.number): vote.row for vote in _in_order(votes) if vote.assignment_id in held}
    return [vote for vote in votes if vote.assignment_id not in held or last[vote.topic_id, vote.number] == vote.row]


def _in_order(votes: Iterable[Vote]) -> list[Vote]:
    return sorted(votes, key=lambda vote: vote.row)


def own_votes(nugget_list: NuggetList, assignment: Assignment) -> list[Vote]:
    """Return the current votes on this list that count as this assessor's. Votes made before the assignment was handed
    over to them are included.
    """
    person = chain_beginners([assignment])[assignment.pk]
    return current_votes([nugget_list], people=[person])


def current_votes(
    lists: Iterable[NuggetList],
    *,
    assessor_id: int | None = None,
    people: Collection[int] | None = None,
    as_of: int | None = None,
    machines: bool = True,
) -> list[Vote]:
    """Return the votes cast on these lists. Votes on earlier versions of a list are included if the nugget has not
    changed since.

    Votes that were taken back are left out, and the importance that authors gave is not included. If several people in
    a chain of hand-overs voted on a nugget, the newest vote counts. Without ``machines``, machine judges' votes are
    left out. With ``assessor_id``, only the votes that this person cast are returned; with ``people`` (user ids), only
    votes that count as theirs. Three queries.
    """
    numbers = _numbers(lists)
    rows = NuggetVote.objects.filter(nugget__in=list(numbers))
    if assessor_id is not None:
        rows = rows.filter(assessor=assessor_id)
    if not machines:
        rows = rows.exclude(assignment__role=Assignment.Role.MACHINE)
    newest = newest_rows(rows, "nugget_id", "assessor_id", as_of=as_of)
    newest = newest.annotate(begun_by=begun_by("assignment__")).order_by("id")
    if people is not None:
        newest = newest.filter(begun_by__in=people)
    last: dict[tuple[int, int, int], Vote | None] = {}
    fields = ("pk", "nugget_id", "assessor_id", "assignment_id", "importance", "begun_by")
    for pk, nugget, assessor, assignment, importance, begun in newest.values_list(*fields).iterator(CHUNK):
        topic, number = numbers[nugget]
        vote = _vote((pk, topic, number, assessor, assignment, importance or "", begun))
        last[topic, number, begun] = vote if importance is not None else None
    return [vote for vote in last.values() if vote is not None]


def votes_cast(lists: Collection[NuggetList], people: Collection[int]) -> Counter[tuple[int, int]]:
    """Return (topic's id, user's id) -> number of nuggets voted on, for these people.

    Votes count for the person who began the chain of hand-overs. The database counts the votes if a list has only one
    version and no two people of one chain voted on it. Other votes are read and counted here. At most five queries.
    """
    first = {each.pk: each for each in lists if is_first_version(each)}
    rows = NuggetVote.objects.filter(
        nugget__nugget_list__in=list(first), nugget__is_retired=False, nugget__merged_into=None
    )
    newest = newest_rows(rows, "nugget_id", "assessor_id", whole_groups=True).annotate(
        begun_by=begun_by("assignment__")
    )
    groups = newest.order_by().values_list("nugget__nugget_list_id", "begun_by", "assessor_id")
    counted: dict[tuple[int, int], list[int]] = {}
    for pk, person, _, number in groups.annotate(number=Count("importance")) if first else ():
        counted.setdefault((pk, person), []).append(number)
    handed_over = {pk for (pk, _), numbers in counted.items() if len(numbers) > 1}
    found = Counter(
        {
            (first[pk].topic_id, person): sum(numbers)
            for (pk, person), numbers in counted.items()
            if pk not in handed_over and person in people
        }
    )
    rest = [each for each in lists if each.pk not in first or each.pk in handed_over]
    return found + _votes_cast_one_by_one(rest, people) if rest else found


def _votes_cast_one_by_one(lists: Iterable[NuggetList], people: Collection[int]) -> Counter[tuple[int, int]]:
    numbers = _numbers(lists)
    newest = newest_rows(NuggetVote.objects.filter(nugget__in=list(numbers)), "nugget_id", "assessor_id")
    newest = newest.annotate(begun_by=begun_by("assignment__")).filter(begun_by__in=people)
    said = newest.order_by("id").values_list("nugget_id", "begun_by", "importance")
    last = {(*numbers[nugget], person): importance for nugget, person, importance in said}
    return Counter((topic, person) for (topic, _, person), importance in last.items() if importance is not None)


def _numbers(lists: Iterable[NuggetList]) -> dict[int, tuple[int, int]]:
    """Return nugget's id -> (topic's id, number), for the nuggets of these lists. Nuggets of earlier versions are
    included if they mean the same as a nugget of the list.
    """
    return {
        nugget: (found.nugget_list.topic_id, number)
        for found in lineages(lists).values()
        for nugget, number in found.numbers.items()
    }


class CountingVote(NamedTuple):
    """A vote that counts towards weights. It was cast in the votes stage, or is the importance that the list's author
    gave.
    """

    topic_id: int
    number: int
    assessor_id: int
    importance: str
    is_authors: bool


def counting_votes(lists: Iterable[NuggetList], *, at: Snapshot | None = None) -> list[CountingVote]:
    """Return all votes that count towards weights, by topic, number and assessor.

    The author of a list judged its nuggets too (TAC 2008 counts "the number of assessors who judged it to be vital").
    So the importance that they gave counts as a vote, unless they also voted in the votes stage. Machine judges have no
    vote, and of several adjudicators only the last one has. If the snapshot counts one judge's judgments, only that
    judge's votes count, if they cast any on that list. Five queries.
    """
    as_of, counting = counted_in(at)
    by_topic = {nugget_list.topic_id: nugget_list for nugget_list in lists}
    nuggets = active_nuggets(by_topic.values())
    cast = current_votes(by_topic.values(), as_of=as_of, machines=counting.assessor is not None)
    cast = without_overruled(cast) if counting.assessor is None else cast
    spoken = {(vote.topic_id, vote.number, vote.assessor_id) for vote in cast}
    votes = [
        CountingVote(vote.topic_id, vote.number, vote.assessor_id, vote.importance, is_authors=False) for vote in cast
    ]
    for topic, nugget_list in by_topic.items():
        votes += [
            CountingVote(topic, nugget.number, nugget_list.owner_id, nugget.importance, is_authors=True)
            for nugget in nuggets[nugget_list.pk]
            if (topic, nugget.number, nugget_list.owner_id) not in spoken
        ]
    alone = counting.assessor
    voted = {vote.topic_id for vote in votes if vote.assessor_id == alone}
    votes = [vote for vote in votes if vote.topic_id not in voted or vote.assessor_id == alone]
    return sorted(votes, key=itemgetter(0, 1, 2))


def counting_importance(lists: Iterable[NuggetList], *, at: Snapshot | None = None) -> dict[tuple[int, int], str]:
    """Return (topic's id, number) -> the importance that replaces the one that the author gave; others are left out.

    It comes from the adjudicators' votes or, if the snapshot counts one judge's judgments, from that judge's votes.
    """
    as_of, counting = counted_in(at)
    if counting.assessor is not None:
        cast = current_votes(lists, assessor_id=counting.assessor, as_of=as_of)
    else:
        cast = adjudicators_votes(lists, as_of=as_of) if ADJUDICATOR in counting.roles else []
    return {(vote.topic_id, vote.number): vote.importance for vote in cast}


def adjudicators_votes(lists: Iterable[NuggetList], *, as_of: int | None = None) -> list[Vote]:
    """Return the votes of adjudicators on these lists, in the order of the ledger. One query if there are none."""
    known = list(lists)
    rows = NuggetVote.objects.filter(nugget__nugget_list__topic__in={each.topic_id for each in known})
    held = set(rows.filter(assignment__role=ADJUDICATOR).order_by().values_list("assignment", flat=True).distinct())
    if not held:
        return []
    cast = current_votes(known, as_of=as_of, machines=False)
    return _in_order(vote for vote in cast if vote.assignment_id in held)

"""Export nuggets and the votes on them, as recorded acts and as records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from operator import attrgetter

from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.exports.writing import role_of
from assess.judging.snapshots import Snapshot
from nuggets.votes.current import counting_importance, counting_votes, current_votes, without_overruled
from nuggets.writing.counting_lists import active_nuggets, as_importance, counting_lists
from nuggets.writing.models import NuggetList
from scoring.records import Nugget, NuggetVote
from scoring.release.recorded_acts import RecordedAct, Voted


def voted_acts(snapshot: Snapshot, names: Mapping[int, str]) -> Iterator[RecordedAct]:
    """Yield the votes of all assessors on the lists that count. If several adjudicators voted on a nugget, only the
    last one's vote is yielded.
    """
    lists = counting_lists(snapshot)
    topics = {nugget_list.topic_id: number for number, nugget_list in lists.items()}
    roles = dict(
        Assignment.objects.filter(campaign=snapshot.campaign, nugget_votes__isnull=False)
        .order_by()
        .values_list("pk", "role")
        .distinct()
    )
    for some in _in_turn(lists.values()):
        for vote in without_overruled(current_votes(some, as_of=snapshot.as_of)):
            yield Voted(
                by=names[vote.assessor_id],
                topic=topics[vote.topic_id],
                number=vote.number,
                importance=as_importance(vote.importance),
                role=role_of(roles[vote.assignment_id]),
            )


LISTS_AT_ONCE = 10


def _in_turn(lists: Iterable[NuggetList]) -> Iterator[list[NuggetList]]:
    """Yield the lists, sorted by topic, a few at a time, since each may have thousands of votes."""
    remaining = iter(sorted(lists, key=attrgetter("topic_id")))
    while some := list(islice(remaining, LISTS_AT_ONCE)):
        yield some


def nuggets(snapshot: Snapshot) -> Iterator[Nugget]:
    """Yield the active nuggets of the lists that count."""
    lists = counting_lists(snapshot)
    active = active_nuggets(lists.values())
    said = counting_importance(lists.values(), at=snapshot)
    for number, nugget_list in lists.items():
        for nugget in active[nugget_list.pk]:
            importance = said.get((nugget_list.topic_id, nugget.number), nugget.importance)
            yield Nugget(topic=number, number=nugget.number, importance=as_importance(importance), text=nugget.text)


def votes(snapshot: Snapshot) -> Iterator[NuggetVote]:
    """Yield all votes that count, including the importance that the authors themselves gave. Assessors are named by
    pseudonyms.
    """
    names = pseudonyms(snapshot.campaign)
    lists = counting_lists(snapshot)
    numbers = {nugget_list.topic_id: number for number, nugget_list in lists.items()}
    for some in _in_turn(lists.values()):
        for vote in counting_votes(some, at=snapshot):
            yield NuggetVote(
                topic=numbers[vote.topic_id],
                number=vote.number,
                assessor=names[vote.assessor_id],
                importance=as_importance(vote.importance),
            )

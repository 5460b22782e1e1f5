"""Votes, and which of them count."""

from __future__ import annotations

from fractions import Fraction

import pytest
from django.contrib.auth.models import User

from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.judging.snapshots import Snapshot
from assess.models import Assignment
from nuggets.models import Nugget, NuggetList, NuggetVote
from nuggets.votes import export
from nuggets.votes.bench import vote_desk
from nuggets.votes.current import counting_votes
from nuggets.votes.export import votes as exported_votes
from nuggets.votes.record import record_vote
from nuggets.votes.tally import missing_votes, tally_votes
from scoring.measures.nuggets import vote_weights
from scoring.records import Nugget as NuggetRecord
from tests import factories
from tests.nuggets.keys import key


def vote(actor: User, assignment: Assignment, nugget: Nugget, importance: str | None, name: str = "v") -> NuggetVote:
    return record_vote(actor=actor, assignment=assignment, nugget=nugget, importance=importance, client_key=key(name))


def votes(frozen: NuggetList, at: Snapshot | None = None) -> list[tuple[int, int, int]]:
    """(number, vital votes, all votes) of each nugget, by the votes that count."""
    cast = [(vote.number, vote.importance) for vote in counting_votes([frozen], at=at)]
    return [(number, cast.count((number, "vital")), [n for n, _ in cast].count(number)) for number in (1, 2, 3)]


def test_without_votes_the_author_decides(frozen: NuggetList) -> None:
    assert votes(frozen) == [(1, 1, 1), (2, 0, 1), (3, 0, 1)]


def test_votes_of_several_make_pyramid_weights(
    frozen: NuggetList, voting: Assignment, second_assessor: User, adjudicator: User
) -> None:
    third = factories.assignment(frozen.topic, "votes", adjudicator, role="second")
    nuggets = list(frozen.nuggets.order_by("number"))
    for index, importance in enumerate(("vital", "vital", "okay")):
        vote(second_assessor, voting, nuggets[index], importance, f"s{index}")
        vote(adjudicator, third, nuggets[index], "vital" if index == 0 else "okay", f"a{index}")
    assert votes(frozen) == [(1, 3, 3), (2, 1, 3), (3, 0, 3)]
    listed = [NuggetRecord(topic="1.1", number=each.number, importance="okay", text=each.text) for each in nuggets]
    exported = exported_votes(Snapshot(frozen.topic.campaign))
    assert vote_weights(listed, exported) == {1: Fraction(1), 2: Fraction(1, 3), 3: Fraction(0)}


def test_the_authors_own_vote_replaces_their_importance(frozen: NuggetList, assessor: User, cheap: Nugget) -> None:
    own = factories.assignment(frozen.topic, "votes", assessor)
    row = vote(assessor, own, cheap, "okay")
    assert votes(frozen)[0] == (1, 0, 1)
    assert votes(frozen, at=Snapshot(frozen.topic.campaign, row.pk - 1))[0] == (1, 1, 1)


def test_vote_idempotency_and_withdrawal(voting: Assignment, second_assessor: User, cheap: Nugget) -> None:
    first = vote(second_assessor, voting, cheap, "vital")
    assert vote(second_assessor, voting, cheap, "vital") == first
    with pytest.raises(Conflict):
        vote(second_assessor, voting, cheap, "okay")
    vote(second_assessor, voting, cheap, None, "back")
    desk = vote_desk(voting)
    assert desk is not None
    assert desk.votes == {}


def test_vote_refusals(voting: Assignment, assessor: User, second_assessor: User, cheap: Nugget) -> None:
    with pytest.raises(NotAllowed):
        vote(assessor, voting, cheap, "vital")
    with pytest.raises(Invalid):
        vote(second_assessor, voting, cheap, "good")
    Assignment.objects.filter(pk=voting.pk).update(state="open")
    with pytest.raises(Conflict):
        vote(second_assessor, voting, cheap, "vital")


def test_progress_of_votes(voting: Assignment, second_assessor: User, frozen: NuggetList) -> None:
    for nugget in frozen.nuggets.filter(number__lt=3):
        vote(second_assessor, voting, nugget, "vital", f"v{nugget.number}")
    assert (tally_votes([voting])[voting.pk].done, tally_votes([voting])[voting.pk].total) == (2, 3)
    assert missing_votes(voting) == "1 of 3 nuggets have no vote of yours."


def test_exports_read_votes_on_ten_lists_at_a_time() -> None:
    lists = [NuggetList(topic_id=topic) for topic in range(23, 0, -1)]
    found = [[each.topic_id for each in some] for some in export._in_turn(lists)]
    assert found == [[*range(1, 11)], [*range(11, 21)], [21, 22, 23]]

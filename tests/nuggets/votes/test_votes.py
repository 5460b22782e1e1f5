"""Votes and the weights that follow."""

from __future__ import annotations

from fractions import Fraction

import pytest
from django.contrib.auth.models import User

from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.judging.snapshots import Snapshot
from assess.models import Assignment
from nuggets.models import Nugget, NuggetList, NuggetVote
from nuggets.votes.bench import vote_desk
from nuggets.votes.current import nugget_weights
from nuggets.votes.record import record_vote
from nuggets.votes.tally import missing_votes, tally_votes
from tests import factories
from tests.nuggets.keys import key


def vote(actor: User, assignment: Assignment, nugget: Nugget, importance: str | None, name: str = "v") -> NuggetVote:
    return record_vote(actor=actor, assignment=assignment, nugget=nugget, importance=importance, client_key=key(name))


def weights(frozen: NuggetList) -> list[tuple[int, int, int, Fraction]]:
    return [(w.nugget.number, w.vital, w.votes, w.weight) for w in nugget_weights(frozen)]


def test_without_votes_the_author_decides(frozen: NuggetList) -> None:
    assert weights(frozen) == [(1, 1, 1, Fraction(1)), (2, 0, 1, Fraction(0)), (3, 0, 1, Fraction(0))]


def test_votes_of_several_make_pyramid_weights(
    frozen: NuggetList, voting: Assignment, second_assessor: User, adjudicator: User
) -> None:
    third = factories.assignment(frozen.topic, "votes", adjudicator, role="second")
    nuggets = list(frozen.nuggets.order_by("number"))
    for index, importance in enumerate(("vital", "vital", "okay")):
        vote(second_assessor, voting, nuggets[index], importance, f"s{index}")
        vote(adjudicator, third, nuggets[index], "vital" if index == 0 else "okay", f"a{index}")
    assert weights(frozen) == [(1, 3, 3, Fraction(1)), (2, 1, 3, Fraction(1, 3)), (3, 0, 3, Fraction(0))]


def test_the_authors_own_vote_replaces_their_importance(frozen: NuggetList, assessor: User, cheap: Nugget) -> None:
    own = factories.assignment(frozen.topic, "votes", assessor)
    row = vote(assessor, own, cheap, "okay")
    assert weights(frozen)[0] == (1, 0, 1, Fraction(0))
    assert nugget_weights(frozen, at=Snapshot(frozen.topic.campaign, row.pk - 1))[0].vital == 1


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

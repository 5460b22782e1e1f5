"""Settling where one of several other assessors handed their work over: they are a side until who goes on speaks."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from assess.base.errors import NotAllowed
from assess.models import Assignment, Campaign, Item, Topic
from assess.work.domain import hand_over
from nuggets.models import NuggetList
from tests import factories
from tests.assess import judged_campaign as judging
from tests.nuggets.settled import rows_of, settle

pytestmark = pytest.mark.django_db


@pytest.fixture
def third(campaign: Campaign) -> User:
    """Another assessor besides the two, who agrees with the author."""
    return factories.member(campaign, "third", "assessor")


@pytest.fixture
def new(campaign: Campaign) -> User:
    """Who goes on with the other assessor's work."""
    return factories.member(campaign, "new", "assessor")


def handed(organiser: User, work: Assignment, to: User) -> Assignment:
    """The work of who goes on, begun."""
    made = hand_over(actor=organiser, assignment=work, to=to)
    Assignment.objects.filter(pk=made.pk).update(state="started")
    made.refresh_from_db()
    return made


def sides(campaign: Campaign, stage: str) -> list[set[tuple[int, int]]]:
    return [{(side.assessor_id, side.value) for side in row.sides} for row in rows_of(campaign, stage)]


def test_grades(
    campaign: Campaign, rigid: Topic, assessor: User, second_assessor: User, third: User, new: User, organiser: User
) -> None:
    factories.pooled(rigid, ["blue bicycle"])
    people = {"primary": assessor, "second": second_assessor, "third": third}
    works = {
        name: factories.assignment(rigid, "instances", person, role="primary" if name == "primary" else "second")
        for name, person in people.items()
    }
    for name, value in (("primary", 1), ("second", -1), ("third", 1)):
        judging.judge(works[name], "blue bicycle", value)
    before = sides(campaign, "instances")
    assert before == [{(assessor.pk, 1), (second_assessor.pk, -1), (third.pk, 1)}]
    work = handed(organiser, works["second"], new)
    assert sides(campaign, "instances") == before
    judging.judge(work, "blue bicycle", 3)
    assert sides(campaign, "instances") == [{(assessor.pk, 1), (new.pk, 3), (third.pk, 1)}]
    with pytest.raises(NotAllowed, match="your own work"):
        settle(second_assessor, campaign, "instances", rows_of(campaign, "instances")[0], 1)


def test_marks_and_votes(
    campaign: Campaign,
    frozen: NuggetList,
    squishy: Topic,
    squishy_items: list[Item],
    assessor: User,
    second_assessor: User,
    third: User,
    new: User,
    organiser: User,
) -> None:
    marking = {
        person: factories.assignment(squishy, "matches", person, role=role)
        for person, role in ((assessor, "primary"), (second_assessor, "second"), (third, "second"))
    }
    for person, value in ((assessor, "full"), (second_assessor, "absent"), (third, "full")):
        judging.mark(marking[person], frozen, 1, squishy_items[0].text, value=value)
    voting = {
        person: factories.assignment(squishy, "votes", person, role="second") for person in (second_assessor, third)
    }
    for person, importance in ((second_assessor, "okay"), (third, "vital")):
        judging.vote(voting[person], frozen, 1, importance)
    before = [{(assessor.pk, 1), (second_assessor.pk, 0), (third.pk, 1)}]
    assert sides(campaign, "matches") == sides(campaign, "votes") == before
    for works in (marking, voting):
        handed(organiser, works[second_assessor], new)
    assert sides(campaign, "matches") == sides(campaign, "votes") == before


def test_lists(
    campaign: Campaign,
    frozen: NuggetList,
    squishy: Topic,
    assessor: User,
    second_assessor: User,
    third: User,
    new: User,
    organiser: User,
) -> None:
    works = {
        person: factories.assignment(squishy, "nuggets", person, role="second") for person in (second_assessor, third)
    }
    judging.write_list(works[second_assessor], kind="okay")
    judging.write_list(works[third], cheap="vital")
    (before,) = sides(campaign, "nuggets")
    assert {person for person, _ in before} == {assessor.pk, second_assessor.pk, third.pk}
    work = handed(organiser, works[second_assessor], new)
    assert sides(campaign, "nuggets") == [before]
    judging.write_list(work, quick="okay")
    (after,) = sides(campaign, "nuggets")
    assert {person for person, _ in after} == {assessor.pk, new.pk, third.pk}

"""Work of the nugget stages on the cast's questions."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from assess.models import Assignment, Campaign, Item, Judgment, Topic
from nuggets.models import Nugget, NuggetList
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.record import add_nugget
from tests import factories
from tests.assess import judged_campaign as judging
from tests.nuggets.keys import key
from tests.nuggets.settled import found_in_part as found_in_part
from tests.nuggets.settled import votes_settled as votes_settled
from tests.nuggets.workshop import workshop_campaign
from tests.remembered import remembered


@pytest.fixture
@remembered
def draft(nugget_writing: Assignment, assessor: User) -> NuggetList:
    """A draft list with nuggets 1 (vital), 2 (okay) and 3 (okay)."""
    made = start_list(actor=assessor, assignment=nugget_writing)
    for text, importance in [("cheap", "vital"), ("light", "okay"), ("breaks soon", "okay")]:
        add_nugget(actor=assessor, nugget_list=made, text=text, importance=importance, client_key=key(text))
    return made


@pytest.fixture
@remembered
def frozen(draft: NuggetList, assessor: User, nugget_writing: Assignment) -> NuggetList:
    """The same list, frozen, its assignment done."""
    made = freeze_list(actor=assessor, nugget_list=draft, client_key=key("freeze"))
    Assignment.objects.filter(pk=nugget_writing.pk).update(state="done")
    return made


@pytest.fixture
def matching(frozen: NuggetList, squishy: Topic, assessor: User) -> Assignment:
    """The primary assessor's opened work on matches."""
    return factories.assignment(squishy, "matches", assessor)


@pytest.fixture
def cheap(frozen: NuggetList) -> Nugget:
    return frozen.nuggets.get(number=1)


@pytest.fixture
def voting(frozen: NuggetList, squishy: Topic, second_assessor: User) -> Assignment:
    """A further assessor's opened work on votes."""
    return factories.assignment(squishy, "votes", second_assessor, role="second")


def judge(item: Item, assignment: Assignment, value: int | None) -> Judgment:
    row = Judgment(
        item=item,
        criterion="correctness",
        value=value,
        assessor=assignment.assessor,
        assignment=assignment,
        client_key=key(f"{item.pk} {value} {assignment.pk} {Judgment.objects.count()}"),
        how="key",
    )
    row.save()
    return row


@pytest.fixture
def grouping(rigid: Topic, assessor: User, grading: Assignment, rigid_items: list[Item]) -> Assignment:
    """The primary assessor's opened work on classes: blue and green are correct, red is not."""
    for item, value in zip(rigid_items, (1, 1, -1), strict=True):
        judge(item, grading, value)
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    return factories.assignment(rigid, "classes", assessor)


@pytest.fixture
def workshop(settings, organiser: User) -> Campaign:
    """A campaign of the track in `workshop.py`: topic d1 is defined, g1 grounded, a1's sentences are grouped."""
    settings.ASSAY_TRACKS = "tests.nuggets.workshop.TRACKS"
    return workshop_campaign(organiser, "workshop")


@pytest.fixture
def defined(workshop: Campaign) -> Topic:
    return workshop.topics.get(number="d1")


@pytest.fixture
def author(workshop: Campaign) -> User:
    return factories.member(workshop, "author", "assessor")


@pytest.fixture
def other(workshop: Campaign) -> User:
    return factories.member(workshop, "other", "assessor")


@pytest.fixture
def voted(frozen: NuggetList, squishy: Topic, second_assessor: User) -> Assignment:
    """Nugget 1 is vital and 2 okay for the author; the voter says the other way round, and alike of 3."""
    voting = factories.assignment(squishy, "votes", second_assessor, role="second")
    for number, importance in ((1, "okay"), (2, "vital"), (3, "okay")):
        judging.vote(voting, frozen, number, importance)
    return voting

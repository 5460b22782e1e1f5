"""People of every role around one small TAC 2008 QA campaign, used by nearly every test."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from assess.models import Assignment, Campaign, Item, Topic
from tests import factories
from tests.remembered import remembered


@pytest.fixture
def organiser(db: None) -> User:
    return factories.user("organiser")


@pytest.fixture
@remembered
def campaign(organiser: User) -> Campaign:
    """A campaign being judged, with one target, a rigid question 1.1 and a squishy question 1.2."""
    return factories.campaign(organiser=organiser)


@pytest.fixture
def assessor(campaign: Campaign) -> User:
    return factories.member(campaign, "assessor", "assessor")


@pytest.fixture
def second_assessor(campaign: Campaign) -> User:
    return factories.member(campaign, "second_assessor", "assessor")


@pytest.fixture
def adjudicator(campaign: Campaign) -> User:
    return factories.member(campaign, "adjudicator", "adjudicator")


@pytest.fixture
def participant(campaign: Campaign) -> User:
    return factories.member(campaign, "participant", "participant", team="Harbor")


@pytest.fixture
def stranger(db: None) -> User:
    """Somebody with an account and no seat in the campaign."""
    return factories.user("stranger")


@pytest.fixture
def rigid(campaign: Campaign) -> Topic:
    return campaign.topics.get(number="1.1")


@pytest.fixture
def squishy(campaign: Campaign) -> Topic:
    return campaign.topics.get(number="1.2")


@pytest.fixture
def rigid_items(rigid: Topic) -> list[Item]:
    """Three pooled instances of the rigid question, in the order of their texts."""
    return factories.pooled(rigid, ["blue bicycle", "green bicycle", "red bicycle"])


@pytest.fixture
def squishy_items(squishy: Topic) -> list[Item]:
    """Three pooled strings of the squishy question."""
    return factories.pooled(squishy, ["It is cheap and light.", "It broke in a week.", "The staff are kind."])


@pytest.fixture
def grading(rigid: Topic, assessor: User, rigid_items: list[Item]) -> Assignment:
    """The primary assessor's opened work on the instances of the rigid question."""
    return factories.assignment(rigid, "instances", assessor)


@pytest.fixture
def nugget_writing(squishy: Topic, assessor: User, squishy_items: list[Item]) -> Assignment:
    """The primary assessor's opened work on the nugget list of the squishy question."""
    return factories.assignment(squishy, "nuggets", assessor)

"""Stages for which nothing is pooled are handed to nobody, and nothing waits for them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from assess.assignments.domain.assignments import open_assignment
from assess.assignments.queries.topics import unassigned_stages
from assess.models import Campaign, Item, Pool, PoolItem
from assess.work.domain import balance_work
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def turns(organiser: User) -> Campaign:
    """Turn 1 has a passage and a response that came from a file, turn 2 such a response alone."""
    made = factories.campaign(organiser=organiser, slug="turns", track="ikat2023")
    made.topics.all().delete()
    pool = Pool.objects.create(campaign=made, task="turn", recipe={}, digest="0" * 64)
    for number, kinds in (("1_1", ("passage", "response")), ("1_2", ("response",))):
        topic = factories.topic(made, number, "Which bicycle?", task="turn")
        for kind in kinds:
            item = Item.objects.create(topic=topic, kind=kind, key=f"{kind} of {number}", text=kind, given=True)
            PoolItem.objects.create(pool=pool, item=item)
    return made


def test_only_stages_with_something_pooled_are_handed_out(turns: Campaign, organiser: User) -> None:
    assessor = factories.member(turns, "ada", "assessor")
    numbers = dict(turns.topics.values_list("pk", "number"))
    assert [(numbers[topic], stage) for topic, stage in unassigned_stages(turns)] == [
        ("1_1", "passages"),
        ("1_1", "responses"),
        ("1_2", "responses"),
    ]
    made = balance_work(actor=organiser, campaign=turns)
    assert {(each.topic.number, each.stage) for each in made} == {
        ("1_1", "passages"),
        ("1_1", "responses"),
        ("1_2", "responses"),
    }
    alone = next(each for each in made if each.topic.number == "1_2")
    assert open_assignment(actor=assessor, assignment=alone).state == "started"  # no passages to wait for


def test_where_no_pool_is_built_every_stage_is_to_be_handed_out(turns: Campaign) -> None:
    Pool.objects.filter(campaign=turns).delete()
    assert len(unassigned_stages(turns)) == 6

"""The item behind a row of an explanation is the one that has the row's key, whatever other items say."""

from __future__ import annotations

import pytest

from assess.judging.queries.stage_items import item_about
from assess.models import Campaign, Item, Topic
from scoring.release.explained import About

pytestmark = pytest.mark.django_db


def test_the_item_with_the_key_comes_before_those_that_say_it(campaign: Campaign, rigid: Topic) -> None:
    for key in ("a", "b", "c"):
        Item.objects.create(topic=rigid, kind="instance", key=key, text="teal")
    own = Item.objects.create(topic=rigid, kind="instance", key="teal", text="Teal.")
    assert item_about(campaign, About(kind="item", topic=rigid.number, name="instance", key="teal"), None) == own

"""Queries that are put into SQL once give what Django's own give."""

from __future__ import annotations

import pytest
from django.db.models import Exists, F, OuterRef, QuerySet

from assess.base.prepared import PreparedQuery
from assess.models import Campaign, Item, PoolItem, Topic
from tests import factories

pytestmark = pytest.mark.django_db


def items(*, item: int, title: str) -> QuerySet[Item]:
    found = Item.objects.filter(pk=item, topic__campaign__title=title).select_related("document", "topic__campaign")
    pooled = Exists(PoolItem.objects.filter(item=OuterRef("pk")))
    return found.annotate(pooled=pooled, settings=F("topic__campaign__settings"), due=F("topic__campaign__runs_due"))


ITEMS = PreparedQuery(items, item=int, title=str)


def told(item: Item | None) -> list[dict[str, object]]:
    """All that was read, of the item and of what is joined to it."""
    if item is None:
        return []
    parts = [item, item.document, item.topic, item.topic.campaign]
    return [{name: value for name, value in part.__dict__.items() if name != "_state"} for part in parts if part]


def test_rows_are_those_of_the_query_itself(campaign: Campaign, rigid: Topic) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(title="It's 100 %s", runs_due="2026-11-30T12:00Z")
    (pooled,) = factories.pooled(rigid, ["one"])
    loose = factories.item(rigid, "two")
    Item.objects.filter(pk=loose.pk).update(document=factories.document(campaign, "D-1"), fields={"a": [1, "ü"]})
    for pk in (pooled.pk, loose.pk, pooled.pk):
        values = {"item": pk, "title": "It's 100 %s"}
        found, expected = ITEMS.first(**values), items(**values).get()
        assert isinstance(found, Item)
        assert (found, found.topic, found.document) == (expected, expected.topic, expected.document)
        assert told(found) == told(expected)
        assert told(found)[0].items() >= {"pooled": pk == pooled.pk, "settings": expected.settings}.items()
        assert (found.due, found.fields, found._state.adding) == (expected.due, expected.fields, False)


def of_topic(*, topic: int) -> QuerySet[Item]:
    return Item.objects.filter(topic=topic).only("text").order_by("pk")


OF_TOPIC = PreparedQuery(of_topic, topic=int)


def test_all_rows_come_in_the_order_of_the_query(rigid: Topic, squishy: Topic) -> None:
    made = factories.pooled(rigid, ["one", "two", "three"])
    assert [(item.pk, item.text) for item in OF_TOPIC.all(topic=rigid.pk)] == [(item.pk, item.text) for item in made]
    assert OF_TOPIC.first(topic=rigid.pk) == made[0]
    assert [OF_TOPIC.all(topic=topic) for topic in (squishy.pk, 1 << 80)] == [[], []]


@pytest.mark.parametrize("values", [{}, {"item": 1 << 40}, {"item": 1 << 80}, {"title": "x"}, {"title": "a\0b"}])
def test_what_is_not_there_is_none(campaign: Campaign, rigid: Topic, values: dict[str, int | str]) -> None:
    (item,) = factories.pooled(rigid, ["one"])
    found = ITEMS.first(**{"item": item.pk, "title": campaign.title, **values})
    assert found == (None if values else item)


def test_each_row_costs_one_question(campaign: Campaign, rigid: Topic, django_assert_num_queries) -> None:
    (item,) = factories.pooled(rigid, ["one"])
    with django_assert_num_queries(2):
        for _ in range(2):
            found = ITEMS.first(item=item.pk, title=campaign.title)
            assert found is not None
            assert (found.topic.campaign.title, found.document) == (campaign.title, None)


def test_a_value_that_the_query_does_not_use_is_a_mistake_of_the_program(campaign: Campaign) -> None:
    unused = PreparedQuery(lambda slug, title: Campaign.objects.filter(slug=slug), slug=str, title=str)
    with pytest.raises(ValueError, match="does not use title"):
        unused.first(slug="x", title="y")

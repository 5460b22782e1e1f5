"""What one plain statement gives is what Django's own queries give."""

from __future__ import annotations

import pytest

from assess.base.plain_reads import columns_of, first_of, first_row, instances_of
from assess.models import Campaign, Topic
from tests import factories

pytestmark = pytest.mark.django_db

BOTH = f"""
SELECT 7, {columns_of(Campaign, "campaign")}, {columns_of(Topic, "topic")}
FROM assess_topic AS topic JOIN assess_campaign AS campaign ON campaign.id = topic.campaign_id WHERE topic.id = %s
"""
TOPIC = f"SELECT {columns_of(Topic, 'topic')} FROM assess_topic AS topic WHERE id = %s"


@pytest.fixture
def topic() -> Topic:
    campaign = factories.campaign(organiser=factories.user("organiser"))
    campaign.agreement_for, campaign.takes_primary, campaign.lease_hours = ["runs"], True, 48
    campaign.save()
    topic = campaign.topics.get(number="1.1")
    topic.fields = {"turns": [{"text": "naïve “quotes”"}], "none": None}
    topic.save()
    return topic


def held(row: Campaign | Topic) -> dict[str, object]:
    """Every value of a row with its type."""
    return {field.attname: (type(value := getattr(row, field.attname)), value) for field in row._meta.concrete_fields}


def test_rows_of_two_tables_are_those_that_queries_give(topic: Topic) -> None:
    seven, *values = first_row(BOTH, [topic.pk]) or ()
    campaign, found = instances_of(values, Campaign, Topic)
    assert (seven, campaign.get_deferred_fields(), found.get_deferred_fields()) == (7, set(), set())
    assert held(campaign) == held(Campaign.objects.get(pk=topic.campaign_id))
    assert held(found) == held(Topic.objects.get(pk=topic.pk))


def test_where_there_is_nothing_there_is_none(topic: Topic) -> None:
    assert first_row(BOTH, [0]) is None
    assert first_of(Topic, TOPIC, [0]) is None
    assert first_of(Topic, TOPIC, [topic.pk]) == topic

"""Runs that came in and topics that were restored after the pools were built are named before a campaign is frozen."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.models import Campaign, Run
from assess.organising.queries.freezing import freeze_state
from assess.topics.domain.changing import drop_topic, restore_topic
from tests import factories
from tests.assess.pooling import build
from tests.pages import page_of

pytestmark = pytest.mark.django_db


def named(campaign: Campaign, code: str = "runs-not-pooled") -> list[str]:
    return [issue.text for issue in freeze_state(campaign).issues if issue.code == code]


def test_a_topic_that_was_restored_after_the_pool_was_built_is_named(retrieval: Campaign, organiser: User) -> None:
    for number in ("1", "2"):
        drop_topic(actor=organiser, campaign=retrieval, number=number, reason="Nobody asks it.")
        if number == "1":
            build(retrieval, organiser, strategy="depth", depth=2)
        restore_topic(actor=organiser, campaign=retrieval, number=number)
    said = "1 topic was restored after the pool was built, and is not in it: 1."
    assert named(retrieval, "topics-not-pooled") == [said]
    drop_topic(actor=organiser, campaign=retrieval, number="1", reason="It is too broad.")
    assert named(retrieval, "topics-not-pooled") == []
    restore_topic(actor=organiser, campaign=retrieval, number="1")
    build(retrieval, organiser, strategy="depth", depth=2)
    assert named(retrieval, "topics-not-pooled") == []


def test_a_run_of_a_judged_priority_that_no_pool_knows_is_named(campaign: Campaign, organiser: User) -> None:
    first = factories.run(campaign, "Harbor1", organiser)
    Run.objects.filter(pk=first.pk).update(file="a" * 64)
    campaign.pools.create(task="rigid", digest="d", recipe={"priorities": [1, 2], "runs": [["Harbor1", "a" * 64]]})
    factories.run(campaign, "Harbor3", organiser, priority=3)
    assert named(campaign) == []
    factories.run(campaign, "Larch1", organiser)
    assert [text.rpartition(": ")[2] for text in named(campaign)] == ["Larch1."]
    Run.objects.filter(pk=first.pk).update(file="b" * 64)  # replaced by another file under the same tag
    assert [text.rpartition(": ")[2] for text in named(campaign)] == ["Harbor1, Larch1."]


def test_a_pool_that_came_with_a_release_knows_its_runs(campaign: Campaign, organiser: User) -> None:
    factories.run(campaign, "RUN-A", organiser)
    campaign.pools.create(task="rigid", digest="d", recipe={"runs": [["RUN-A", "the file of RUN-A"]]})
    assert named(campaign) == []


def test_overview_and_pool_page_say_so_until_it_is_built_again(
    client: Client, campaign: Campaign, organiser: User
) -> None:
    client.force_login(organiser)
    pages = [reverse(name, args=[campaign.slug]) for name in ("overview", "pool")]
    campaign.pools.create(task="rigid", digest="d", recipe={"runs": []})
    for address in pages:
        assert "after the pool was built" not in page_of(client.get(address))
    factories.run(campaign, "Harbor1", organiser)
    said = "1 run came in after the pool was built: Harbor1. What only it returned is not judged."
    assert said in page_of(client.get(pages[0]))
    factories.run(campaign, "Larch1", organiser)
    overview, pool = (page_of(client.get(address)) for address in pages)
    said = "2 runs came in after the pool was built: Harbor1, Larch1. What only they returned is not judged."
    assert said in overview
    assert re.search(rf'<a class="button [a-z]*" href="{pages[1]}">Build the pool again</a>', overview)
    assert "<strong>2 runs came in after the pool was built:</strong> Harbor1, Larch1." in pool
    runs = [[run.tag, run.file] for run in campaign.runs.all()]
    campaign.pools.create(task="rigid", digest="e", recipe={"runs": runs})
    for address in pages:
        assert "after the pool was built" not in page_of(client.get(address))

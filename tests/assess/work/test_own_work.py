"""*Your work* with more assignments than a page holds."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.models import Campaign
from tests import factories
from tests.assess import judged_campaign as judging

pytestmark = pytest.mark.django_db
STATES = ("open", "done", "started", "open", "done", "started")


def test_assignments_come_in_pages_with_what_is_to_be_done_first(
    campaign: Campaign, assessor: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, state in enumerate(STATES, 1):
        topic = factories.topic(campaign, f"7.{number}", f"Question {number}", task="rigid", ordinal=number)
        factories.pooled(topic, [f"blue {number}"])
        work = factories.assignment(topic, "instances", assessor, state=state)
        if state == "started":
            judging.judge(work, f"blue {number}", 1)
    client.force_login(assessor)
    address = reverse("work", args=[campaign.slug])

    def shown(query: str = "") -> tuple[list[str], list[str]]:
        page = client.get(address + query).content.decode()
        assert re.search(r"Continue\s+7\.3 ", page), "the key n goes on with the same assignment from every page"
        left, _, finished = page.partition('<details class="finished"')
        found = [re.findall(r'<th scope="row"[^>]*>(?:<a[^>]*>)?([^<]+)', part) for part in (left, finished)]
        return found[0], found[1]

    assert shown() == (["7.3", "7.6", "7.1", "7.4"], ["7.2", "7.5"])
    assert "Next →" not in client.get(address).content.decode()
    monkeypatch.setattr("assess.work.views.own_work.ROWS", 1)
    assert shown() == (["7.3"], ["7.2"])
    assert shown("?left-instances=4&done-instances=2") == (["7.4"], ["7.5"])
    later = client.get(address + "?done-instances=2").content.decode()
    assert '<details class="finished" open>' in later, "its further pages are seen at once"
    assert 'href="?done-instances=2&amp;left-instances=2"' in later, "the other list stays where it is"


def test_what_was_only_looked_at_is_not_said_to_be_started(campaign: Campaign, assessor: User, client: Client) -> None:
    for number in (1, 2):
        topic = factories.topic(campaign, f"7.{number}", f"Question {number}", task="rigid", ordinal=number)
        factories.pooled(topic, [f"blue {number}", f"red {number}"])
        work = factories.assignment(topic, "instances", assessor, state="started")
    client.force_login(assessor)
    address = reverse("work", args=[campaign.slug])

    def shown() -> tuple[bool, bool]:
        page = client.get(address).content.decode()
        return bool(re.search(r"Start\s+7\.1 ", page)), "started" in page

    assert shown() == (True, False)
    judging.judge(work, "blue 2", 1)
    page = client.get(address).content.decode()
    assert (bool(re.search(r"Continue\s+7\.2 ", page)), "started" in page) == (True, True)

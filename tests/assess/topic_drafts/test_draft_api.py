"""Drafts by the API and by the command: the same acts and the same refusals as on the pages."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from assess.models import Campaign
from tests import factories
from tests.assess.topic_drafts.made_drafts import sent

pytestmark = pytest.mark.django_db
API = "/api/v1/campaigns/opinions/topic-drafts/"


def call(client: Client, path: str = "", **body: object):
    return client.post(f"{API}{path}", {"client_key": str(uuid4()), **body}, content_type="application/json")


def test_a_topic_is_made_and_accepted_by_calls(
    client: Client, campaign: Campaign, assessor: User, organiser: User
) -> None:
    factories.document(campaign, "D1", "The harbor shop sells kites.")
    client.force_login(assessor)
    assert call(client).json()["number"] == 1
    parts = [
        {"key": 1, "task": "rigid", "text": "Which shops sell them?"},
        {"key": 2, "task": "squishy", "text": "What do flyers say?"},
    ]
    written = call(client, "1/write/", text="Harbor kites", parts=parts, query="kites", version=1)
    assert (written.json()["version"], written.json()["parts"]) == (2, parts)
    found = call(client, "1/find/", kind="answer", part=1, text="harbor shop", docno="D1", quote="harbor shop")
    assert (found.status_code, found.json()["number"]) == (201, 1)
    assert call(client, "1/judge/", docno="D1", relevant=True).json()["grade"] == 1
    assert call(client, "1/withdraw/", find=2).status_code == 201
    assert call(client, "1/send/").json()["state"] == "sent"
    client.force_login(organiser)
    assert call(client, "1/back/", word="Narrower.").json()["word"] == "Narrower."
    client.force_login(assessor)
    assert call(client, "1/send/").json()["state"] == "sent"
    client.force_login(organiser)
    accepted = call(client, "1/accept/", topic="T9").json()
    assert (accepted["state"], accepted["topic"], accepted["author"]) == ("accepted", "T9", "assessor")
    assert [each["number"] for each in client.get(API).json()["results"]] == [1]
    assert [find["text"] for find in client.get(f"{API}1/").json()["finds"]] == ["harbor shop"]


def test_authors_list_their_own_alone(
    client: Client, campaign: Campaign, assessor: User, second_assessor: User
) -> None:
    sent(campaign, assessor)
    client.force_login(second_assessor)
    assert client.get(API).json()["results"] == []
    assert client.get(f"{API}1/").status_code == 404

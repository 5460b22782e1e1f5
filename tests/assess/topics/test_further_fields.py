"""What a topic file says and its track has no place for: kept, shown to those who judge, given back."""

from __future__ import annotations

import io
import json

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.errors import Conflict
from assess.campaigns.domain import create_campaign
from assess.models import Campaign
from assess.topics.domain.amending import amend_topic
from assess.topics.domain.loading import LoadedTopics, load_topics
from assess.topics.queries import topic_context, topic_file_lines, topic_files
from tests import factories
from tests.pages import page_of

pytestmark = pytest.mark.django_db

PROBLEM = "Why do leaves turn red?\n\nSay it in words that a child of eight understands, and name your sources."
REQUEST = {
    "request_id": "leaf",
    "title": "leaves",
    "problem_statement": PROBLEM,
    "background": "For a child.",
    "limit": 2000,
    "collection_ids": ["ragtime1", "ragtime2"],
    "empty": None,
}
"""A request of RAGTIME's form; the text is ours."""
WRITTEN = {"id": "leaf", **{name: value for name, value in REQUEST.items() if name != "request_id"}}
TURNS = {
    "number": 31,
    "title": "cancer",
    "turn": [
        {"number": 1, "raw_utterance": "What is it?", "passage": "An illness."},
        {
            "number": 2,
            "raw_utterance": "Is it treatable?",
            "passage": "In part.",
            "canonical_result_id": "MARCO_7",
            "manual_rewritten_utterance": "Is cancer treatable?",
        },
    ],
}
KINDS = pytest.mark.parametrize("track", ["adhoc", "rag-nuggets"])


def load(campaign: Campaign, *values: object) -> LoadedTopics:
    (organiser,) = User.objects.filter(username="organiser")
    content = "".join(json.dumps(value) + "\n" for value in values).encode()
    return load_topics(actor=organiser, campaign=campaign, stream=io.BytesIO(content), name="topics.jsonl")


def requests(organiser: User, track: str) -> Campaign:
    campaign = create_campaign(actor=organiser, slug="requests", title="Topics", track=track)
    load(campaign, REQUEST)
    return campaign


@KINDS
def test_a_request_is_shown_whole_and_given_back(organiser: User, track: str) -> None:
    campaign = requests(organiser, track)
    parts = topic_context(campaign.topics.get())
    assert [(part.heading, part.lines, part.is_open) for part in parts] == [
        ("Problem statement", (("", PROBLEM),), True),
        ("Collection ids", (("", "ragtime1"), ("", "ragtime2")), True),
        ("Further details", (("Background", "For a child."), ("Limit", "2000")), True),
    ]
    (line,) = topic_file_lines(campaign, topic_files(campaign)[0])
    assert json.loads(line) == WRITTEN
    again = load(campaign, WRITTEN)
    assert (again.added, again.changed, again.unchanged) == (0, 0, 1)


def test_they_are_named_once_where_the_file_is_loaded_and_stand_on_the_page_of_the_topic(
    client: Client, organiser: User
) -> None:
    campaign = create_campaign(actor=organiser, slug="requests", title="Topics", track="adhoc")
    client.force_login(organiser)
    file = io.BytesIO("".join(json.dumps(REQUEST | {"request_id": name}) + "\n" for name in "ab").encode())
    file.name = "topics.jsonl"
    answer = client.post(reverse("topics-load", args=["requests"]), {"file_key": "", "file": file}, follow=True)
    assert page_of(answer).count("“problem_statement” (2)") == 1
    shown = page_of(client.get(reverse("topic", args=["requests", "a"])))
    assert "<dt>problem_statement</dt>" in shown
    assert "Say it in words that a child of eight understands" in shown
    assert campaign.topics.count() == 2


def test_they_stand_on_the_bench(client: Client, organiser: User) -> None:
    campaign = requests(organiser, "adhoc")
    assessor = factories.member(campaign, "reader", "assessor")
    work = factories.assignment(campaign.topics.get(), "documents", assessor)
    client.force_login(assessor)
    shown = " ".join(page_of(client.get(reverse("workbench", args=["requests", work.pk]), follow=True)).split())
    for text in (" ".join(PROBLEM.split()), "For a child.", "ragtime2", "2000"):
        assert text in shown


def test_a_turn_is_judged_with_what_was_said_before_and_without_its_own_answer(organiser: User) -> None:
    campaign = create_campaign(actor=organiser, slug="turns", title="Topics", track="adhoc")
    load(campaign, TURNS)
    first, second = campaign.topics.order_by("number")
    assert (first.number, second.number, second.text) == ("31_1", "31_2", "Is it treatable?")
    assert [(part.heading, part.lines) for part in topic_context(second)] == [
        ("Manual rewritten utterance", (("", "Is cancer treatable?"),)),
        ("The conversation so far", (("User", "What is it?"), ("System", "An illness."))),
        ("Further details", (("Conversation title", "cancer"),)),
    ]
    assert "MARCO_7" in "".join(map(bytes.decode, topic_file_lines(campaign, topic_files(campaign)[0])))


def test_a_further_text_is_amended_and_can_no_longer_change_by_a_file(organiser: User) -> None:
    campaign = requests(organiser, "adhoc")
    amend_topic(
        actor=organiser,
        campaign=campaign,
        number="leaf",
        wording={"further-background": "For a class."},
        reason="wider",
    )
    assert ["background", "For a class."] in campaign.topics.get().fields["further"]
    reader = factories.member(campaign, "reader", "assessor")
    factories.assignment(campaign.topics.get(), "documents", reader)
    with pytest.raises(Conflict, match="The judging of leaf has begun"):
        load(campaign, REQUEST)

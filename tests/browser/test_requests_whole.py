"""Every word of a real request stands on the screen of who judges it, once what is closed there has been opened."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from assess.campaigns.domain import create_campaign
from assess.models import Campaign
from assess.topics.domain.loading import load_topics
from tests import factories
from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.shared]

REQUESTS = (
    ("rag-nuggets", "nuggets", "ragtime2025/ragtime25_main_all.jsonl"),
    ("rag-nuggets", "nuggets", "dragun2025/trec-2025-dragun-topics.jsonl"),
    ("rag-nuggets", "nuggets", "runs2025/ikat-2025-test-topics.json"),
    ("adhoc", "documents", "runs2025/trec_rag_2025_queries.jsonl"),
    ("adhoc", "documents", "../field-cases/topics-tot/topics.jsonl"),
    ("biogen2024", "sentences", "biogen2025-runs/topics.json"),
    ("ikat2023", "passages", "ikat2024-nuggets/2024_test_topics.json"),
)
"""Track, stage and file: the first request of each."""
NOT_SHOWN = {"ptkb_provenance", "response_provenance", "relevant_ptkbs", "citations", "turn_id", "number"}
"""What a turn rests on, which its judges do not see, and the parts of its number."""


def test_every_word_of_a_request_is_on_the_screen(sign_in: SignIn, site: LiveServer, shared_data: Path) -> None:
    organiser, judge = factories.user("olga"), factories.user("anna")
    page = sign_in(judge)
    lost = {}
    for place, (track, stage, name) in enumerate(REQUESTS):
        request = first_request(shared_data / name)
        campaign = create_campaign(actor=organiser, slug=f"real-{place}", title="Real", track=track)
        load_topics(
            actor=organiser, campaign=campaign, stream=io.BytesIO(json.dumps([request]).encode()), name="t.json"
        )
        campaign.memberships.create(user=judge, role="assessor")
        Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.JUDGING)
        topic = campaign.topics.exclude(task="").order_by("-id")[0]
        work = factories.assignment(topic, stage, judge)
        page.goto(f"{site.url}/c/{campaign.slug}/work/{work.pk}/")
        if gone := words(" ".join(texts_in(asked(request)))) - words(all_shown(page)):
            lost[track, name] = sorted(gone)
    assert lost == {}


def first_request(path: Path) -> Any:
    written = path.read_text("utf-8-sig")
    return json.loads(written.splitlines()[0]) if path.suffix == ".jsonl" else json.loads(written)[0]


def asked(request: Any) -> Any:
    """The request, without what the last turn of a conversation was answered with, which runs are judged by, and what
    the turns before it mean, which is shown with these turns.
    """
    name = "turns" if "turns" in request else "responses"
    if name not in request:
        return request
    *before, last = request[name]
    turns = [{**turn, "resolved_utterance": ""} for turn in before]
    return {**request, name: [*turns, {**last, "response": ""}]}


def all_shown(page: Page) -> str:
    """What a person sees in the bench who opens by keyboard each part that is closed."""
    for part in page.locator(".bench-context:not([open]) > summary, .context-part:not([open]) > summary").all():
        part.press("Enter")
    return page.locator("main").inner_text()


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            if name not in NOT_SHOWN:
                yield from texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)
    elif value is not None:
        yield str(value)


def words(text: str) -> set[str]:
    """Return the words, in small letters: a style may write a heading in capitals."""
    return set(re.findall(r"\w+", text.casefold()))

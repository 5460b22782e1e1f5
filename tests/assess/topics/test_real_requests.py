"""No word of a real request is lost on the way to the screen of those who judge."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string

from assess.campaigns.domain import create_campaign
from assess.models import Topic
from assess.topics.domain.loading import load_topics
from assess.topics.queries import judged_topics

pytestmark = [pytest.mark.django_db, pytest.mark.shared]

REQUESTS = [
    ("rag25-nuggets/rag25-topics-dev.tsv", "rag-nuggets", 22),
    ("rag25-qrels/topics.rag24.test.txt", "rag-nuggets", 301),
    ("rag2026/trec_rag_2026_queries.tsv", "rag-nuggets", 119),
    ("runs2025/trec_rag_2025_queries.jsonl", "adhoc", 105),
    ("ragtime2025/ragtime25_main_all.jsonl", "rag-nuggets", 122),
    ("dragun2025/trec-2025-dragun-topics.jsonl", "rag-nuggets", 30),
    ("biogen2024/topics.json", "biogen2024", 65),
    ("biogen2025-runs/topics.json", "biogen2024", 30),
    ("biogen2025-runs/topics.json", "adhoc", 30),
    ("ts2013-2014/2014-topics.xml", "adhoc", 15),
]
DIALOGUES = [
    ("ikat2023/2023_test_topics.json", "ikat2023", 332),
    ("ikat2024-nuggets/2024_test_topics.json", "ikat2023", 218),
    ("runs2025/ikat-2025-test-topics.json", "ikat2023", 188),
    ("runs2025/ikat-2025-test-topics.json", "rag-nuggets", 188),
    ("runs2025/ikat-2025-test-topics.json", "adhoc", 188),
]
ANSWERED_WITH = {"ptkb_provenance", "response_provenance", "relevant_ptkbs", "citations", "turn_id", "number"}
"""What a turn rests on, which its judges do not see, and the parts of its number."""


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            if name not in ANSWERED_WITH:
                yield from texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)
    elif value is not None:
        yield str(value)


def screens(path: Path, track: str, organiser: User) -> dict[str, set[str]]:
    """The words that the head of a bench and the panel about the topic show, by the topic's number."""
    campaign = create_campaign(actor=organiser, slug="real", title="Real", track=track)
    with path.open("rb") as stream:
        load_topics(actor=organiser, campaign=campaign, stream=stream, name=path.name)
    return {topic.number: words(screen(topic)) for topic in judged_topics(campaign)}


def screen(topic: Topic) -> str:
    parts = ("assess/judging/parts/bench_title.html", "assess/topics/parts/topic_context.html")
    made = " ".join(render_to_string(part, {"topic": topic, "assignment": ""}) for part in parts)
    return html.unescape(re.sub(r"<[^>]*>", " ", made))


@pytest.mark.parametrize(("name", "track", "count"), REQUESTS, ids=[f"{track}-{name}" for name, track, _ in REQUESTS])
def test_all_words_of_a_request_are_shown(
    name: str, track: str, count: int, organiser: User, shared_data: Path
) -> None:
    path = shared_data / name
    shown = screens(path, track, organiser)
    written = path.read_text("utf-8-sig")
    if name.endswith(".json"):
        loaded = json.loads(written)
        values = [list(texts_in(value)) for value in (loaded["topics"] if isinstance(loaded, dict) else loaded)]
    elif name.endswith(".jsonl"):
        values = [list(texts_in(json.loads(line))) for line in written.splitlines()]
    elif name.endswith(".xml"):
        values = [[html.unescape(re.sub(r"<[^>]*>", " ", each))] for each in written.split("<event>")[1:]]
    else:
        values = [line.split("\t") for line in written.splitlines()]
    assert len(values) == len(shown) == count
    by_place = list(shown.values())
    lost = {place: words(" ".join(value)) - by_place[place] for place, value in enumerate(values)}
    assert {place: sorted(gone) for place, gone in lost.items() if gone} == {}


@pytest.mark.parametrize(("name", "track", "count"), DIALOGUES, ids=[f"{track}-{name}" for name, track, _ in DIALOGUES])
def test_all_words_of_a_dialogue_but_its_last_answer_are_shown(
    name: str, track: str, count: int, organiser: User, shared_data: Path
) -> None:
    shown = screens(shared_data / name, track, organiser)
    assert len(shown) == count
    lost = {}
    for dialogue in json.loads((shared_data / name).read_text("utf-8")):
        turns = dialogue.get("turns") or dialogue["responses"]
        del turns[-1]["response"]
        seen: set[str] = set().union(*(shown[f"{dialogue['number']}_{turn['turn_id']}"] for turn in turns))
        lost[dialogue["number"]] = words(" ".join(texts_in(dialogue))) - seen
    assert {number: sorted(gone) for number, gone in lost.items() if gone} == {}

"""A file that says more of topics that are there."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from assess.base.errors import BadFile
from assess.models import Campaign, Topic
from assess.topics.domain.loading import LoadedTopics, load_topics

pytestmark = pytest.mark.django_db


def load(campaign: Campaign, actor: User, *lines: dict[str, Any], kind: str = "more") -> LoadedTopics:
    stream = io.BytesIO("\n".join(json.dumps(line) for line in lines).encode())
    return load_topics(actor=actor, campaign=campaign, file_key=kind, stream=stream, name="more.jsonl")


def facts(topic: Topic) -> tuple[str, str, int, object]:
    topic.refresh_from_db()
    return topic.task, topic.text, topic.ordinal, topic.fields


def test_its_fields_are_added_and_nothing_else_of_it_counts(toy: Campaign, organiser: User) -> None:
    topic = toy.topics.get(number="9-1_1")
    Topic.objects.filter(pk=topic.pk).update(fields={"said": "Hello", "mood": "glad"})
    line = {"number": "9-1_1", "text": "Other", "task": "essay", "parent": "nobody", "ordinal": 7}
    done = load(toy, organiser, {**line, "fields": {"resolved": "Hello there", "mood": "sad"}})
    assert (done.added, done.changed, done.unchanged, done.kept) == (0, 1, 0, 7)
    after = ("turn", "Turn 9-1_1", 1, {"said": "Hello", "mood": "sad", "resolved": "Hello there"})
    assert facts(topic) == after
    again = load(toy, organiser, {**line, "fields": {"resolved": "Hello there"}})
    assert (again.changed, again.unchanged) == (0, 1)
    assert load(toy, organiser, {**line, "fields": {"resolved": "Hi"}}).changed == 1


def test_an_unknown_number_is_an_issue_and_nothing_is_stored(toy: Campaign, organiser: User) -> None:
    with pytest.raises(BadFile) as error:
        load(toy, organiser, {"number": "9-1_1", "fields": {"a": 1}}, {"number": "99", "fields": {"a": 1}})
    assert [(issue.where, issue.code) for issue in error.value.issues] == [(2, "unknown-topic")]
    assert toy.topics.get(number="9-1_1").fields == {}


@pytest.mark.parametrize("kind", ["turns", "more"])
@pytest.mark.parametrize(
    "line", [{"number": "9" * 101}, {"number": ""}, {"number": "8", "ordinal": -1}, {"number": "8", "ordinal": 2**31}]
)
def test_numbers_that_can_not_be_stored_are_issues(
    toy: Campaign, organiser: User, kind: str, line: dict[str, Any]
) -> None:
    with pytest.raises(BadFile) as error:
        load(toy, organiser, line, kind=kind)
    assert [(issue.where, issue.code) for issue in error.value.issues] == [(1, "topic-number")]

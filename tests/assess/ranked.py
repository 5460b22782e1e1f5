"""Three runs over three rigid questions that an author judged, two of them also another assessor."""

from __future__ import annotations

import io

import pytest
from django.contrib.auth.models import User
from django.test import Client

from assess.base.files import store_file
from assess.models import Assignment, Campaign, Run, Topic
from nuggets.classes.record import create_class
from tests import factories
from tests.assess.compared import judge
from tests.assess.judged_campaign import key
from tests.remembered import remembered

DOCNO = "BLOG06-20060101-000-0000000001"
ANSWERS = ("blue", "green", "red", "pink")
RETURNED = {"Alder1": ("blue", "green", "red"), "Birch1": ("blue", "pink"), "Cedar1": ("pink", "red", "mauve")}
AUTHOR = {"blue": 1, "green": 1, "red": 1, "pink": -1}
OTHER = {"blue": -1, "green": -1, "red": 1, "pink": 1}


@pytest.fixture
@remembered
def ranked(
    campaign: Campaign, rigid: Topic, assessor: User, second_assessor: User, organiser: User, settings, tmp_path
) -> Campaign:
    """By the author's judgments Alder1 is best and Cedar1 last; by the other's Cedar1 is best."""
    settings.DATA_DIR = tmp_path
    topics = [rigid] + [
        factories.topic(campaign, f"1.{place}", "Which?", task="rigid", parent=rigid.parent, ordinal=place)
        for place in (3, 4)
    ]
    lines: dict[str, list[str]] = {tag: [] for tag in RETURNED}
    for number, topic in enumerate(topics):
        judge_topic(topic, assessor, second_assessor if number < 2 else None)
        for tag, answers in RETURNED.items():
            lines[tag] += [f"{topic.number} {tag} {DOCNO} {answer}\n" for answer in answers[: 3 - number % 2]]
    for tag, each in lines.items():
        kept = store_file(io.BytesIO("".join(each).encode()))
        Run.objects.filter(pk=factories.run(campaign, tag, organiser).pk).update(file=kept.sha256)
    return campaign


@pytest.fixture
def desk(ranked: Campaign, at_desk: Client) -> Client:
    """The organiser of that campaign, logged in."""
    return at_desk


def judge_topic(topic: Topic, author: User, other: User | None) -> None:
    items = factories.pooled(topic, list(ANSWERS))
    for person, role, values in ((author, "primary", AUTHOR), (other, "second", OTHER)):
        if person is None:
            continue
        work = factories.assignment(topic, "instances", person, role=role)
        for item in items:
            judge(work, item, values[item.text])
        Assignment.objects.filter(pk=work.pk).update(state="done")
    for person, role, values in ((author, "primary", AUTHOR), (other, "second", OTHER)):
        if person is None or role == "second":
            continue
        grouping = factories.assignment(topic, "classes", person, role=role)
        for item in items:
            if values[item.text] == 1:
                create_class(actor=person, assignment=grouping, items=[item], client_key=key(topic.number, item.text))

"""On German pages the benches give their scripts the nouns of every evaluation in German."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.models import Assignment, Item, Topic
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.record import add_nugget
from tests import factories
from tests.nuggets.keys import key
from tracks import TRACKS

GERMAN = {"Accept-Language": "de"}
BENCHES = [
    (track.key, task.key, stage.key, stage.item_kind)
    for track in TRACKS
    for task in track.tasks
    for stage in task.stages
    if stage.work.key in ("nuggets", "matches", "classes")
]
GIVEN = re.compile(r'data-(?:unit|noun)s?="([^"]+)"')
pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("track", "task", "stage", "kind"), BENCHES)
def test_scripts_of_a_bench_get_its_nouns_in_german(
    track: str, task: str, stage: str, kind: str, organiser: User, client: Client
) -> None:
    campaign = factories.campaign(organiser=organiser, slug="german", track=track)
    topic = factories.topic(campaign, "901", "What do people think of the bicycle?", task=task)
    work = factories.assignment(topic, stage, factories.member(campaign, "german", "assessor"))
    if stage == "matches":
        _freeze_list(topic, work.assessor)
        (item,) = factories.pooled(topic, ["It is cheap."])
        Item.objects.filter(pk=item.pk).update(kind=kind or "string")
        factories.response(factories.run(campaign, "bell", organiser), topic, [item])
    client.force_login(work.assessor)
    page = client.get(reverse("workbench", args=["german", work.pk]), headers=GERMAN).content.decode()
    given = GIVEN.findall(page)
    assert len(given) in {2, 4}
    assert [noun for noun in given if not any(map(str.isupper, noun))] == []


def test_the_bench_of_an_empty_pool_says_that_nothing_is_there_to_mark(organiser: User, client: Client) -> None:
    campaign = factories.campaign(organiser=organiser, slug="german")
    topic = factories.topic(campaign, "901", "What do people think of the bicycle?", task="squishy")
    work = factories.assignment(topic, "matches", factories.member(campaign, "german", "assessor"))
    _freeze_list(topic, work.assessor)
    client.force_login(work.assessor)
    assert "Nothing to mark" in client.get(reverse("workbench", args=["german", work.pk])).content.decode()


def _freeze_list(topic: Topic, assessor: User) -> None:
    writing = factories.assignment(topic, "nuggets", assessor)
    made = start_list(actor=assessor, assignment=writing)
    add_nugget(actor=assessor, nugget_list=made, text="cheap", importance="vital", client_key=key("cheap"))
    freeze_list(actor=assessor, nugget_list=made, client_key=key("freeze"))
    Assignment.objects.filter(pk=writing.pk).update(state="done")

"""Settings by which people judged are settled; what is on no scale keeps a campaign from being frozen."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse

from assess.base.errors import BadFile, Conflict
from assess.campaigns.domain import create_campaign
from assess.campaigns.queries import settings_of
from assess.models import Assignment, Campaign, Item, Membership
from assess.organising.domain import change_settings, freeze_campaign
from assess.organising.queries.freezing import freeze_state
from assess.replay.replaying import import_judgments
from tests import factories
from tests.assess import pooling
from tests.assess.compared import judge
from tests.together import together

pytestmark = pytest.mark.django_db


def graded(campaign: Campaign, organiser: User, grades: dict[str, int]) -> Assignment:
    """The work of an assessor who graded these documents of topic 1 from 0 to 2."""
    change_settings(actor=organiser, campaign=campaign, values={"pool_depth": 3, "highest_grade": 2})
    pooling.build(campaign, organiser)
    work = pooling.work(campaign, "1", factories.user("amy"))
    for letter, value in grades.items():
        pooling.grade(work, letter, value)
    return work


def test_the_settings_of_a_frozen_campaign_are_listed_in_words(
    retrieval: Campaign, organiser: User, client: Client
) -> None:
    graded(retrieval, organiser, {"a": 2})
    Campaign.objects.filter(pk=retrieval.pk).update(state="frozen")
    client.force_login(organiser)
    page = client.get(reverse("settings", args=[retrieval.slug])).content.decode()
    listed = page.partition("What was set")[2].partition("</dl>")[0]
    assert "Pool depth" in listed
    assert "<dd>3</dd>" in listed
    assert not [word for word in ("Made from", "True", "False") if word in listed]


@pytest.mark.parametrize("highest", [3, 1])
def test_the_highest_grade_is_settled_once_something_is_judged(
    retrieval: Campaign, organiser: User, client: Client, highest: int
) -> None:
    graded(retrieval, organiser, {"a": 2, "b": 0})
    client.force_login(organiser)
    values = {
        "pool_depth": 2,
        "highest_grade": highest,
        "relevant_from": 1,
        "ranked_limit": 1000,
        "tag_length": 20,
        "all_topics": "on",
    }
    page = client.post(reverse("settings", args=["ranked"]), values)
    (said,) = page.context["form"].errors["highest_grade"]
    assert (page.status_code, said) == (
        422,
        "highest_grade can't be changed any more: 2 recorded judgments stand on it, and would mean something else. "
        "Leave it as it is, or make another campaign.",
    )
    body = {"settings": {"highest_grade": highest}}
    answer = client.patch("/api/v1/campaigns/ranked/settings/", body, "application/json")
    assert (answer.status_code, answer.json()["detail"]) == (409, said)
    retrieval.refresh_from_db()
    assert settings_of(retrieval).highest_grade == 2


def test_a_campaign_whose_scale_was_lowered_is_not_frozen_and_can_be_set_right(
    retrieval: Campaign, organiser: User
) -> None:
    work = graded(retrieval, organiser, {"a": 2, "b": 2, "c": 1})
    Campaign.objects.update(settings={**retrieval.settings, "highest_grade": 1})  # as it could be done before
    retrieval.refresh_from_db()
    (issue,) = [issue for issue in freeze_state(retrieval).issues if issue.code == "off-scale"]
    assert (issue.severity, issue.count, "relevance 2 of a document (2)" in issue.text) == ("error", 2, True)
    Assignment.objects.filter(pk=work.pk).update(state="done")
    with pytest.raises(Conflict, match="2 judgments are not on the scale that the settings give"):
        freeze_campaign(actor=organiser, campaign=retrieval, despite="It was meant so.")
    change_settings(actor=organiser, campaign=retrieval, values={"highest_grade": 2})
    assert not [issue for issue in freeze_state(retrieval).issues if issue.code == "off-scale"]
    with pytest.raises(Conflict, match="3 recorded judgments stand on it"):
        change_settings(actor=organiser, campaign=retrieval, values={"highest_grade": 3})


def test_a_further_criterion_may_be_asked_until_it_is_judged(organiser: User) -> None:
    campaign = create_campaign(actor=organiser, slug="talk", title="Talk", track="ikat2023")
    topic = factories.topic(campaign, "9-1_1", "And then?", task="turn")
    work = factories.assignment(topic, "responses", factories.member(campaign, "amy", "assessor"))
    item = Item.objects.create(topic=topic, kind="response", key="k", text="So it was.", given=True)
    change_settings(actor=organiser, campaign=campaign, values={"completeness": True})
    judge(work, item, 2, "completeness")
    change_settings(actor=organiser, campaign=campaign, values={"naturalness": True})
    with pytest.raises(Conflict, match="completeness can't be changed any more: 1 recorded judgment stands on it"):
        change_settings(actor=organiser, campaign=campaign, values={"completeness": False})


def test_a_judgment_under_way_is_waited_for(committed_db: None, organiser: User, settings: Any, tmp_path: Path) -> None:
    made = Campaign.objects.create(slug="ranked", title="Ranked", track="adhoc", state="judging")
    settings.DATA_DIR = tmp_path
    Membership.objects.create(campaign=made, user=organiser, role="organiser")
    factories.topic(made, "1", "Topic 1", task="ranking", ordinal=1)
    pooling.submit(made, organiser, "alp1", "Alps", {"1": "abc"})
    change_settings(actor=organiser, campaign=made, values={"highest_grade": 2})
    pooling.build(made, organiser)
    work, written = pooling.work(made, "1", factories.user("amy")), Event()

    def judged() -> None:
        with transaction.atomic():
            pooling.grade(work, "a", 2)
            written.set()
            time.sleep(0.5)

    def changed() -> None:
        written.wait()
        change_settings(actor=organiser, campaign=made, values={"highest_grade": 1})

    (refused,) = together(judged, changed)
    assert "1 recorded judgment stands on it" in str(refused)


def test_what_is_imported_fits_the_settings_of_now(retrieval: Campaign, organiser: User) -> None:
    graded(retrieval, organiser, {})
    changed = Campaign.objects.get(pk=retrieval.pk)
    change_settings(actor=organiser, campaign=changed, values={"highest_grade": 1})
    line: dict[str, Any] = {
        "do": "judge",
        "topic": "1",
        "by": "amy",
        "criterion": "relevance",
        "answer": "",
        "docno": "Da",
        "key": "Da",
    }
    line["value"] = 2
    people = {"amy": User.objects.get(username="amy")}
    with pytest.raises(BadFile) as refused:  # by a campaign that was read before
        import_judgments(
            actor=organiser, campaign=retrieval, stream=io.BytesIO(json.dumps(line).encode()), people=people
        )
    assert "2 is not on the scale" in refused.value.issues[0].message

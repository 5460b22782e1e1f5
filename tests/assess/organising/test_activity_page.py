"""The log of activities: people, stages and roles by their names, no bare data."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation

from assess.assignments.domain.assignments import create_assignment
from assess.models import Activity, Topic
from assess.organising.views.activity import data_text
from tests.pages import page_of

DIGEST = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("action", "data", "said"),
    [
        (
            "run.accept",
            {"tag": "Oak1", "file": DIGEST, "segments": 1200},
            "tag: Oak1 · file: 0123456789ab… · segments: 1,200",
        ),
        ("pool.build", {"judged_items_left": 0, "note": "", "by": None}, "judged items left: 0"),
        ("export.write", {"files": {"qrels.txt": DIGEST}}, "files: qrels.txt 0123456789ab…"),
        ("documents.load", {"files": ["a.gz", "b.gz"], "all": True}, "files: a.gz, b.gz · all: yes"),
        ("assignment.hand_over", {"from": 1, "to": 2, "before": 1}, "from: ada · to: ben · before: 1"),
        ("campaign.state", {"from": "setup", "to": "judging"}, "from: setting up · to: judging"),
    ],
)
def test_data_is_said_in_words(action: str, data: dict[str, object], said: str) -> None:
    words = {("person", 1): "ada", ("person", 2): "ben", ("from", "setup"): "setting up", ("to", "judging"): "judging"}
    assert data_text(Activity(action=action, data=data), words) == said


def test_details_have_their_names_in_the_language_of_the_page() -> None:
    with translation.override("de"):
        row = Activity(action="pool.build", data={"judged_items_left": 1200, "reason": "", "all": True, "seed": 7})
        assert data_text(row, {}) == "bewertete Items, die bleiben: 1.200 · all: ja · Startwert: 7"


@pytest.mark.django_db
def test_page_names_who_got_what(client: Client, organiser: User, assessor: User, rigid: Topic) -> None:
    create_assignment(actor=organiser, campaign=rigid.campaign, topic=rigid, stage="instances", assessor=assessor)
    client.force_login(organiser)
    page = page_of(client.get("/c/opinions/activity/"))
    for said in (
        "stage: Judge instances",
        f"assessor: {assessor.username}",
        "role: primary assessor",
    ):  # in the database's order
        assert said in page
    assert "{&quot;" not in page

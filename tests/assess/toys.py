"""A campaign of the toy track, and what is done to it in tests."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from assess.campaigns.queries import registered_tracks
from assess.models import Campaign, Membership, Run, Topic
from assess.protocol import RunForm
from assess.runs.domain.submitting import submit_run
from tests import factories


@pytest.fixture
def toys(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The site knows the toy track alone, and keeps its files in a folder of the test."""
    settings.ASSAY_TRACKS = "tests.assess.toy_track.TRACKS"
    settings.DATA_DIR = tmp_path
    monkeypatch.setitem(registered_tracks(), "toy", registered_tracks()["toy"])  # put back after the test


@pytest.fixture
def toy(toys: None, organiser: User) -> Campaign:
    """Dialogue 9 with subtrees 9-1 (two turns) and 9-2 (one turn), dialogue 10 with one turn; being set up."""
    made = Campaign.objects.create(slug="toy", title="Toy", track="toy", state=Campaign.State.SETUP)
    Membership.objects.create(campaign=made, user=organiser, role="organiser")
    nine = factories.topic(made, "9", "A trip", task="", ordinal=1)
    first = factories.topic(made, "9-1", "By the sea", task="", parent=nine, ordinal=1)
    second = factories.topic(made, "9-2", "In the hills", task="", parent=nine, ordinal=2)
    ten = factories.topic(made, "10", "A meal", task="", ordinal=2)
    places = (("9-2_1", second, 1), ("9-1_1", first, 1), ("9-1_2", first, 2), ("10_1", ten, 1))
    for number, parent, ordinal in places:
        factories.topic(made, number, f"Turn {number}", task="turn", parent=parent, ordinal=ordinal)
    return made


def say(campaign: Campaign, number: str, **statements: str) -> Topic:
    """Give a topic its statements."""
    topic = campaign.topics.get(number=number)
    topic.fields = {"statements": statements}
    topic.save()
    return topic


def send(
    campaign: Campaign,
    actor: User,
    tag: str,
    *lines: dict[str, Any],
    kind: str = "full",
    replace: bool = False,
    **form: Any,
) -> Run:
    """Submit a run of these lines."""
    said: dict[str, Any] = {"tag": tag, "team": "Quay", "priority": 1 if kind == "full" else None, **form}
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    return submit_run(
        actor=actor,
        campaign=campaign,
        form=RunForm(**said),
        file=io.BytesIO(content),
        file_name=f"{tag}.jsonl",
        submission=kind,
        replace=replace,
    )

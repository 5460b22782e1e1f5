"""The release of a small campaign of ranked runs, whose copies tests change, sign again and load."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from assess.assignments.domain.assignments import create_assignment, open_assignment, return_assignment
from assess.base.files import stored_path
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Assignment, Campaign
from assess.organising.domain import change_state
from assess.releases.domain.releasing import make_release
from tests import factories
from tests.assess import judged_campaign as judging
from tests.tracks import track_folder
from tests.unpacked import unpack_release
from tracks import find_track


@pytest.fixture(autouse=True)
def store(settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture
def site(organiser: User) -> Campaign:
    """A small campaign of ranked runs, of which the first topic's author gave the work to somebody else half way."""
    track = find_track("adhoc")
    assert track is not None
    campaign = track_folder.load(track, organiser=organiser, slug="hives")
    people = [factories.member(campaign, name, "assessor") for name in ("zoe", "amy")]
    topic = campaign.topics.get(number="1")
    for place, person in enumerate(people):
        work = create_assignment(actor=organiser, campaign=campaign, topic=topic, stage="documents", assessor=person)
        open_assignment(actor=person, assignment=work)
        docnos = list(topic.items.order_by("key").values_list("docno", flat=True))
        for docno in docnos[:2] if place == 0 else docnos[2:]:
            judge(work, docno, 1 + place)
        if place == 0:
            return_assignment(actor=organiser, assignment=work)
    return change_state(actor=organiser, campaign=campaign, state=Campaign.State.FROZEN)


def judge(work: Assignment, docno: str, value: int) -> None:
    made = JudgmentInput(
        item=work.topic.items.get(docno=docno),
        criterion="relevance",
        value=value,
        client_key=judging.key(work.pk, docno, value),
    )
    record_judgment(actor=work.assessor, assignment=work, judgment=made)


@pytest.fixture
def folder(
    organiser: User, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Path:
    """A copy of the release, which the first test of a process that needs it has made."""
    made = tmp_path_factory.getbasetemp() / "small-release"
    if not made.exists():
        site = request.getfixturevalue("site")
        release = make_release(actor=organiser, campaign=site)
        unpack_release(release, made)
        stored_path(release.archive).unlink()  # or the same bytes, sent by this test, would be kept for good
    return Path(shutil.copytree(made, tmp_path / "release"))


def sign(folder: Path, change: Callable[[dict], None] = lambda manifest: None) -> None:
    """The manifest's sums made right again, and the manifest changed."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_bytes())
    for name, entry in manifest["files"].items():
        content = (folder / name).read_bytes()
        entry.update(sha256=hashlib.sha256(content).hexdigest(), size=len(content))
    change(manifest)
    path.write_text(json.dumps(manifest))


def edit(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))
        sign(folder)

    return change


def manifest(**said: Any) -> Callable[[Path], None]:
    return lambda folder: sign(folder, lambda manifest: manifest.update(said))


def twice(name: str) -> Callable[[Path], None]:
    """The first line of a file a second time."""

    def change(folder: Path) -> None:
        lines = (folder / name).read_bytes().splitlines(keepends=True)
        (folder / name).write_bytes(b"".join([*lines, lines[0]]))
        sign(folder)

    return change

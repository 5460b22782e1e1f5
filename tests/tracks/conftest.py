"""One campaign a track for all tests that look at it, in whatever file: loading and replaying it takes seconds."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import override_settings
from pytest_django import DjangoDbBlocker
from pytest_django.plugin import blocking_manager_key

from assess.judging.snapshots import Snapshot
from assess.models import Campaign
from assess.protocol import Track
from assess.scores.domain import explain_run, score_campaign
from scoring.records import Score
from scoring.release.explained import Explanation
from tests import factories
from tests.committed import taken_back
from tests.tracks import track_folder
from tests.tracks.received import number_from_afar
from tracks import TRACKS


@dataclass(frozen=True)
class Judged:
    """A track's folder, loaded and judged as recorded."""

    track: Track
    campaign: Campaign
    organiser: User
    files: dict[str, bytes]
    scores: bytes

    @property
    def folder(self) -> Path:
        return track_folder.folder_of(self.track)

    @cached_property
    def explained(self) -> list[tuple[Score, Explanation]]:
        """Every value of the first and the last run, each with its explanation."""
        found = score_campaign(Snapshot(self.campaign))
        explain = {run: explain_run(Snapshot(self.campaign), run) for run in (found.runs[0], found.runs[-1])}
        return [
            (score, explain[score.run](score.topic, score.measure)) for score in found.scores if score.run in explain
        ]


class Kept:
    """The campaign that the tests of several files share, in a transaction that is taken back in the end."""

    def __init__(self) -> None:
        self.judged: Judged | None = None
        self.open = ExitStack()

    def make(self, track: Track, folder: Path) -> Judged:
        """A track's campaign, judged; the one before must be taken down."""
        self.open.enter_context(override_settings(DATA_DIR=folder))
        self.open.enter_context(taken_back())
        number_from_afar()
        organiser = factories.user("organiser")
        campaign = track_folder.load(track, organiser=organiser, slug=track.key)
        track_folder.replay(campaign, organiser=organiser, content=track_folder.recorded(track))
        files = track_folder.exported(campaign, organiser=organiser)
        self.judged = Judged(track, campaign, organiser, files, track_folder.scored(campaign))
        return self.judged

    def take_down(self) -> None:
        """Back to the empty database, if a campaign was made."""
        self.judged = None
        self.open.close()


_KEPT = Kept()


@pytest.fixture(scope="session")
def kept(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Kept]:
    """The campaign of whatever track; after the last test it goes before the database does."""
    yield _KEPT
    with django_db_blocker.unblock():
        _KEPT.take_down()


@pytest.fixture(scope="module", params=TRACKS, ids=lambda track: track.key)
def judged(request: pytest.FixtureRequest, db: None, kept: Kept, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """What tests of several modules share, where their ``db`` lasts as long. `scratch` takes back what they write."""
    track: Track = request.param
    if kept.judged is not None and kept.judged.track is track:
        return kept.judged
    kept.take_down()
    return kept.make(track, tmp_path_factory.mktemp(track.key))


def _track_of(item: pytest.Item | None) -> object:
    """The track whose campaign a test asks for."""
    return item.callspec.params.get("judged") if item is not None and hasattr(item, "callspec") else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    """Take the campaign down before a test that does not share it."""
    try:
        return (yield)
    finally:
        if nextitem is not None and _track_of(item) is not _track_of(nextitem):
            with item.config.stash[blocking_manager_key].unblock():
                _KEPT.take_down()


@pytest.fixture
def scratch(judged: Judged) -> Iterator[None]:
    """Takes back what one test writes."""
    with taken_back():
        yield

"""One campaign a track for the whole module of conformance tests: loading and replaying it takes seconds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import override_settings

from assess.models import Campaign
from assess.protocol import Track
from tests import factories
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


@pytest.fixture(scope="module", params=TRACKS, ids=lambda track: track.key)
def judged(request: pytest.FixtureRequest, db: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    """What the tests of a module share, where its ``db`` lasts as long. `scratch` takes back what they write."""
    track: Track = request.param
    with override_settings(DATA_DIR=tmp_path_factory.mktemp(track.key)), transaction.atomic():
        number_from_afar()
        organiser = factories.user("organiser")
        campaign = track_folder.load(track, organiser=organiser, slug=track.key)
        track_folder.replay(campaign, organiser=organiser, content=track_folder.recorded(track))
        files = track_folder.exported(campaign, organiser=organiser)
        yield Judged(track, campaign, organiser, files, track_folder.scored(campaign))
        transaction.set_rollback(True)


@pytest.fixture
def scratch(judged: Judged) -> Iterator[None]:
    """Takes back what one test writes."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)

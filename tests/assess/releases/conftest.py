"""A small campaign that was judged and frozen, made once for all tests of a module whose ``db`` lasts as long."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from assess.base.process import forget_everything
from assess.models import Campaign
from assess.organising.domain import change_state
from tests import factories
from tests.committed import taken_back
from tests.tracks import track_folder
from tracks import find_track


@pytest.fixture(scope="module")
def hives(db: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The whole of a small campaign, judged as recorded and frozen; the folder with its files."""
    folder = tmp_path_factory.mktemp("hives")
    track = find_track("adhoc")
    assert track is not None
    with override_settings(DATA_DIR=folder), taken_back():
        organiser = factories.user("organiser")
        campaign = track_folder.load(track, organiser=organiser, slug="hives")
        track_folder.replay(campaign, organiser=organiser, content=track_folder.recorded(track))
        change_state(actor=organiser, campaign=campaign, state=Campaign.State.FROZEN)
        yield folder


@pytest.fixture
def frozen(hives: Path, settings: Any, tmp_path: Path) -> Iterator[Campaign]:
    """That campaign as if each test had made it itself: what a test writes is taken back, and no score is known yet."""
    settings.DATA_DIR = shutil.copytree(hives, tmp_path / "data")
    forget_everything()
    with taken_back():
        yield Campaign.objects.get(slug="hives")

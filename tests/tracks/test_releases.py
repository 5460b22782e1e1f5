"""Every track's campaign as a release: checked without the site, loaded again with the same exports and scores."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from assess.judging.snapshots import Snapshot
from assess.models import Campaign
from assess.organising.domain import change_state
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release, unpack_release
from assess.scores.domain import score_campaign
from scoring.release_tables import mean_lines
from scoring.releases import EXPORTS, MEANS
from tests.tracks import track_folder
from tests.tracks.conftest import Judged

ROOT = Path(__file__).parent.parent.parent
WITHOUT_DJANGO = """
import sys
from scoring.__main__ import main
status = main(sys.argv[1:])
assert "django" not in sys.modules
sys.exit(status)
"""


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module, since `judged` takes seconds; it takes its rows back itself."""
    with django_db_blocker.unblock():
        yield


@pytest.mark.usefixtures("scratch")
def test_a_release_is_verified_and_loaded_again(judged: Judged, tmp_path: Path) -> None:
    campaign = Campaign.objects.get(pk=judged.campaign.pk)  # an object of its own, since its state is changed here
    change_state(actor=judged.organiser, campaign=campaign, state=Campaign.State.FROZEN)
    release = make_release(actor=judged.organiser, campaign=campaign)
    folder = tmp_path / "release"
    unpack_release(release, folder)

    command = [sys.executable, "-c", WITHOUT_DJANGO, "verify", str(folder)]
    verified = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (verified.returncode, verified.stderr.startswith("verified: ")) == (0, True), verified
    assert {line.split("\t")[1] for line in verified.stdout.splitlines()} == {"ok", "recomputed"}

    copy = import_release(actor=judged.organiser, path=folder, slug="copy")
    exported = track_folder.exported(copy, organiser=judged.organiser)
    assert set(exported) == set(judged.files)
    for name, content in exported.items():
        assert content == (folder / EXPORTS / name).read_bytes(), name
    means = sorted((folder / MEANS).read_text().splitlines())
    assert sorted(mean_lines(score_campaign(Snapshot(copy)).scores)) == means != []
    fields = ("topic__number", "stage", "role", "state")
    states = [each.assignments.order_by("id").values_list(*fields) for each in (copy, campaign)]
    assert list(states[0]) == list(states[1])
    assert [pool.digest for pool in copy.pools.order_by("task")] == [
        pool.digest for pool in campaign.pools.order_by("task")
    ]

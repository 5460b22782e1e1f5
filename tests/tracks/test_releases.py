"""Every track's campaign as a release: checked without the site, loaded again with the same exports and scores."""

from __future__ import annotations

import copy
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from assess.base.errors import Invalid
from assess.judging.snapshots import Snapshot
from assess.models import Campaign
from assess.organising.domain import change_state
from assess.protocol import Track
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from assess.scores.domain import score_campaign
from scoring.__main__ import main
from scoring.commands.verify import ALONE, CLEAN, NOT_COMPUTED, PARTLY, verify_release
from scoring.release.release_tables import mean_lines
from scoring.release.releases import EXPORTS, JUDGMENTS, MANIFEST, MEANS, BadRelease, open_release
from tests.committed import taken_back
from tests.parts import WHOLE, judged_of
from tests.tracks import track_folder
from tests.tracks.conftest import Judged
from tests.tracks.tampering import Kind, files_of, write_changed
from tests.tracks.tampering_kinds import KINDS, NAMED, OF_ANY_TRACK
from tests.unpacked import unpack_release
from tracks import TRACKS, find_track
from tracks.rescore import rescore

SMALLEST = find_track("adhoc")
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


@pytest.fixture(scope="module")
def released(judged: Judged, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release of a track's campaign, unpacked; the campaign itself stays as it was."""
    folder = tmp_path_factory.mktemp("released") / judged.track.key
    with taken_back():
        campaign = Campaign.objects.get(pk=judged.campaign.pk)  # an object of its own, since its state is changed here
        change_state(actor=judged.organiser, campaign=campaign, state=Campaign.State.FROZEN)
        unpack_release(make_release(actor=judged.organiser, campaign=campaign), folder)
    return folder


@judged_of("adhoc")
def test_a_release_is_verified_where_there_is_no_django(judged: Judged, released: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_DJANGO, "verify", str(released)]
    verified = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (verified.returncode, verified.stderr.startswith("verified: ")) == (0, True), verified


@pytest.mark.usefixtures("scratch")
def test_a_release_is_verified_and_loaded_again(
    judged: Judged, released: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(released)]) == 0
    out, err = capsys.readouterr()
    assert err.startswith("verified: ")
    rows = [line.split("\t") for line in out.splitlines()]
    assert {status for _, status, _ in rows} == {"ok", "recomputed"}
    exports = {name for name, status, _ in rows if name.startswith("exports/") and status != "recomputed"}
    assert exports == {JUDGMENTS}, "each export is made again of what people did"

    loaded = import_release(actor=judged.organiser, path=released, slug="copy")
    exported = track_folder.exported(loaded, organiser=judged.organiser)
    assert set(exported) == set(judged.files)
    for name, content in exported.items():
        assert content == (released / EXPORTS / name).read_bytes(), name
    means = sorted((released / MEANS).read_text().splitlines())
    assert sorted(mean_lines(score_campaign(Snapshot(loaded)).scores)) == means != []
    fields = ("topic__number", "stage", "role", "state")
    states = [each.assignments.order_by("id").values_list(*fields) for each in (loaded, judged.campaign)]
    assert list(states[0]) == list(states[1])
    assert [pool.digest for pool in loaded.pools.order_by("task")] == [
        pool.digest for pool in judged.campaign.pools.order_by("task")
    ]


def kinds_for(track: Track) -> dict[str, Kind]:
    """What a track's release is tampered with by: all kinds for the smallest, for others what they have of their own.

    Of the largest, which takes as long as all others together, what no other track has and every fourth of the rest; of
    the others every second, so that each is tried with several.
    """
    kinds = {name: kind for name, kind in KINDS.items() if track is SMALLEST or name not in OF_ANY_TRACK}
    if WHOLE or track is SMALLEST:
        return kinds
    own = {name for name in kinds if re.search(r"\b(vote|class|found)", name)}
    some = list(kinds)[::4] if track.key == "tac2008-qa" else list(kinds)[TRACKS.index(track) % 2 :: 2]
    return {name: kinds[name] for name in kinds if name in {*own, *some}}


def test_no_tampering_gets_through_though_all_sums_are_mended(judged: Judged, released: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(released, tmp_path / "release")
    files, manifest = files_of(folder)
    silent: list[str] = []
    named: set[str] = set()
    for name, kind in kinds_for(judged.track).items():
        changed, said = dict(files), copy.deepcopy(manifest)
        touched = kind(changed, said)
        if touched is None:
            continue
        write_changed(folder, files, changed, said)
        found = _found(folder, touched)
        if found == "named":
            named.add(name)
        elif found != "caught":
            silent.append(name)
        write_changed(folder, changed, files, manifest)
    assert silent == []
    assert named <= NAMED
    assert _found(folder, MANIFEST) == "named", "what was put back is sound"


def _found(folder: Path, touched: str) -> str:
    """Whether `verify` catches what was done to a file, or at least says that nothing follows from all of it."""
    try:
        with open_release(folder) as release:
            rows = verify_release(release, rescore).rows
    except BadRelease:
        return "caught"
    if any(status not in CLEAN for status, _ in rows.values()):
        return "caught"
    return "named" if rows[touched][1] in (PARTLY, NOT_COMPUTED, ALONE) else "silent"


@judged_of("adhoc", "biogen2024", "ikat2023")
@pytest.mark.usefixtures("scratch")
def test_a_release_is_not_loaded_whose_judgments_give_other_exports(
    judged: Judged, released: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(released, tmp_path / "release")
    files, manifest = files_of(folder)
    changed = dict(files)
    name = KINDS["an export's last line dropped"](changed, manifest)
    write_changed(folder, files, changed, manifest)
    with pytest.raises(Invalid, match=f"Nothing was loaded: {name}, line [0-9,]+: it says “”, and “.+” follows"):
        import_release(actor=judged.organiser, path=folder, slug="copy")
    assert not Campaign.objects.filter(slug="copy").exists()

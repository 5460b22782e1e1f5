"""What would not verify is not released: other bytes, exports and scores than follow from what was judged."""

from __future__ import annotations

import errno
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoDbBlocker

from assess.base.errors import Conflict
from assess.campaigns.queries import frozen_point, track_of
from assess.judging.snapshots import Snapshot
from assess.models import Campaign, Release
from assess.protocol import Export
from assess.releases.domain import release_files, released_scores
from assess.releases.domain.archives import release_archive
from assess.releases.domain.releasing import make_release, publish_release
from assess.releases.domain.renamed_runs import renamed_records
from assess.releases.domain.written_folder import Folder
from assess.runs.queries import RunNames
from assess.scores.domain import score_campaign
from scoring.records import Score
from scoring.release.releases import Release as ReleaseFolder
from tracks.rescore import rescore

pytestmark = pytest.mark.usefixtures("frozen")


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module: `frozen` takes back what a test writes."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def organiser(frozen: Campaign) -> User:
    return User.objects.get(username="organiser")


def test_a_release_that_does_not_check_out_is_not_kept(
    frozen: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Path.write_bytes

    def other(path: Path, content: bytes) -> int:
        return written(path, content.replace(b'"relevant_from": 1', b'"relevant_from": 2'))

    monkeypatch.setattr(Path, "write_bytes", other)  # the manifest comes to say other settings than those scored by
    with pytest.raises(Conflict, match="does not check out"):
        make_release(actor=organiser, campaign=frozen)
    assert not Release.objects.exists()


@pytest.mark.parametrize(
    "name", ["exports/qrels.txt", "scores/RUN-B.tsv", "scores/means.tsv", "judgments.parquet", "croissant.json"]
)
def test_what_the_disk_does_not_keep_as_it_was_written_is_not_released(
    name: str, frozen: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Folder, "write", _spoiling(name, Folder.write))
    with pytest.raises(Conflict, match=f"does not check out.* {name}: "):
        make_release(actor=organiser, campaign=frozen)
    assert not Release.objects.exists()


def _spoiling(spoiled: str, write: Callable[..., None]) -> Callable[..., None]:
    """Writing as `Folder.write` does, but for a bit of the last byte but one of this file."""

    def written(folder: Folder, name: str, pieces: Iterable[bytes]) -> None:
        write(folder, name, pieces)
        if name == spoiled:
            content = bytearray((folder.place / name).read_bytes())
            content[-2] ^= 1
            (folder.place / name).write_bytes(content)

    return written


@pytest.mark.parametrize("lacking", ["qrels.txt", "judgments.jsonl"])
def test_an_export_that_does_not_follow_from_what_was_judged_is_not_released(
    lacking: str, frozen: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def records(snapshot: Snapshot, export: Export, names: RunNames) -> Iterator[Any]:
        found = renamed_records(snapshot, export, names)
        if export.name == lacking:
            next(found)
        return found

    monkeypatch.setattr(release_files, "renamed_records", records)
    with pytest.raises(Conflict, match=r"does not check out.* exports/qrels\.txt: line \d+: the file says"):
        make_release(actor=organiser, campaign=frozen)
    assert not Release.objects.exists()


def test_scores_that_are_not_those_of_the_site_are_not_released(
    frozen: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def twice(release: ReleaseFolder, **named: Any) -> Iterator[tuple[str, list[Score]]]:
        for run, scores in rescore(release, **named):
            yield run, [replace(score, value=score.value and 2 * score.value) for score in scores]

    monkeypatch.setattr(released_scores, "scorer_named", lambda name: twice)
    score_campaign(Snapshot(frozen, frozen_point(frozen)))
    with pytest.raises(Conflict, match="The scores of RUN-A that follow from the files of the release are not those"):
        make_release(actor=organiser, campaign=frozen)
    assert not Release.objects.exists()


def test_a_release_is_the_same_whether_or_not_its_scores_were_looked_at(frozen: Campaign, organiser: User) -> None:
    first = make_release(actor=organiser, campaign=frozen)
    Release.objects.all().delete()
    score_campaign(Snapshot(frozen, frozen_point(frozen)))
    assert make_release(actor=organiser, campaign=frozen).archive == first.archive


def test_runs_whose_files_are_left_out_have_the_scores_of_the_site(
    frozen: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete = make_release(actor=organiser, campaign=frozen).manifest["files"]
    track = track_of(frozen)
    without = replace(track, submissions=tuple(replace(each, rename=None) for each in track.submissions))
    monkeypatch.setattr("assess.campaigns.queries.registered_tracks", lambda: {track.key: without})
    manifest = make_release(actor=organiser, campaign=Campaign.objects.get(pk=frozen.pk)).manifest
    assert {run["file"] for run in manifest["runs"]} == {None}
    files = manifest["files"]
    assert {name for name in complete if name not in files} == {f"runs/RUN-{each}.txt" for each in "ABC"}
    scores = {name for name in files if name.startswith("scores/")}
    assert (len(scores), {name for name in scores if files[name] != complete[name]}) == (4, set())


def test_a_run_that_can_not_be_scored_is_named_by_what_broke_off(
    frozen: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: Any) -> Any:
        raise ZeroDivisionError("no topic")

    track = replace(track_of(frozen), scoring=replace(track_of(frozen).scoring, score=broken))
    monkeypatch.setattr(released_scores, "registered_tracks", lambda: {track.key: track})
    with pytest.raises(Conflict, match=r"needs the scores of every run, .* \(ZeroDivisionError: no topic\)"):
        make_release(actor=organiser, campaign=frozen)


def test_a_check_that_breaks_off_takes_nothing_away_that_is_kept(
    frozen: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = make_release(actor=organiser, campaign=frozen)
    publish_release(actor=organiser, release=published)
    opened = Path.open

    def unreadable(path: Path, *given: Any, **named: Any) -> Any:
        if path.name == "qrels.txt" and "errors" in named:
            raise OSError(errno.EIO, "Input/output error")
        return opened(path, *given, **named)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", unreadable)
        with pytest.raises(Conflict, match="Input/output error"):
            make_release(actor=organiser, campaign=frozen)
    with release_archive(published) as file, zipfile.ZipFile(file) as kept:
        assert "manifest.json" in kept.namelist()

"""Archives and manifests that are meant to do harm: refused before anything is written."""

from __future__ import annotations

import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from scoring.reading.bounded_files import SMALL
from scoring.release.releases import BadRelease, open_release, require_packed
from tests.scoring.release_by_hand import packed, sign


def put_outside(archive: zipfile.ZipFile) -> None:
    archive.writestr("../outside.txt", "x")


def put_absolute(archive: zipfile.ZipFile) -> None:
    archive.writestr("/outside.txt", "x")


def put_unnamed(archive: zipfile.ZipFile) -> None:
    archive.writestr("more.txt", "x")


def put_twice(archive: zipfile.ZipFile) -> None:
    archive.writestr("topics.jsonl", "x")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("change", "words"),
    [(put_outside, "does not name"), (put_absolute, "does not name"), (put_unnamed, "does not name"),
     (put_twice, "twice")],
)  # fmt: skip
def test_names_that_are_none_of_the_release_are_refused(
    release: Path, change: Callable[[zipfile.ZipFile], None], words: str
) -> None:
    with pytest.raises(BadRelease, match=words), open_release(packed(release, change)):
        pass
    assert not (release.parent / "outside.txt").exists()


@pytest.mark.parametrize(
    "name", ["../x.txt", "/x.txt", "a/../../x.txt", ".hidden", "a\\b", "manifest.json", "a//b", "x" * 300]
)
def test_names_that_lead_out_are_refused_in_the_manifest(release: Path, name: str) -> None:
    manifest = json.loads((release / "manifest.json").read_text())
    manifest["files"][name] = {"sha256": "0" * 64, "size": 1}
    (release / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(BadRelease, match="no name of a file"), open_release(release):
        pass


def test_a_link_in_a_zip_is_refused(release: Path) -> None:
    (release / "link.txt").write_text("/etc/passwd")
    sign(release)
    (release / "link.txt").unlink()

    def put_link(archive: zipfile.ZipFile) -> None:
        entry = zipfile.ZipInfo("link.txt")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")

    with pytest.raises(BadRelease, match="is a link"), open_release(packed(release, put_link)):
        pass


def test_a_file_larger_than_the_manifest_says_is_refused_before_it_is_written(release: Path) -> None:
    (release / "topics.jsonl").write_bytes(b" " * (50 << 20))
    with pytest.raises(BadRelease, match="52,428,800 bytes; the manifest says"), open_release(packed(release)):
        pass


def test_a_manifest_of_more_bytes_than_a_release_may_have_is_refused(release: Path) -> None:
    manifest = json.loads((release / "manifest.json").read_text())
    manifest["files"]["bomb.txt"] = {"sha256": "0" * 64, "size": 1 << 40}
    (release / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(BadRelease, match="names more than"), open_release(release):
        pass


def test_a_zip_that_unpacks_to_very_many_times_its_size_is_refused_before_anything_is_written(release: Path) -> None:
    size = SMALL + 1
    manifest = json.loads((release / "manifest.json").read_text())
    manifest["files"]["zeros.txt"] = {"sha256": "0" * 64, "size": size}
    (release / "manifest.json").write_text(json.dumps(manifest))

    def put_zeros(archive: zipfile.ZipFile) -> None:
        archive.writestr("zeros.txt", bytes(size))

    with pytest.raises(BadRelease, match="over 200 times as many"), open_release(packed(release, put_zeros)):
        pass


@pytest.mark.parametrize("change", ['"layout": 1, "layout": 1', '"layout": 1, "x": "\\ud800"', '"layout": 1, "x": NaN'])
def test_a_manifest_that_means_two_things_or_can_not_be_stored_is_refused(release: Path, change: str) -> None:
    path = release / "manifest.json"
    path.write_text(path.read_text().replace('"layout": 1', change))
    with pytest.raises(BadRelease, match=r"manifest\.json: .*(twice|surrogate|NaN)"), open_release(release):
        pass


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"layout": 2}', "[" * 100_000, '{"layout": 1, "campaign": []}'])
def test_what_is_no_manifest_is_refused(release: Path, content: str) -> None:
    (release / "manifest.json").write_text(content)
    with pytest.raises(BadRelease, match=r"manifest\.json"), open_release(release):
        pass


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("campaign", []),
        ("track", None),
        ("settings", "x"),
        ("as_of", True),
        ("as_of", 1.5),
        ("runs", {}),
        ("files", []),
    ],
)
def test_a_manifest_names_the_member_that_is_of_another_kind(release: Path, member: str, value: object) -> None:
    path = release / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {member: value}))
    with pytest.raises(BadRelease) as refused, open_release(release):
        pass
    assert str(refused.value) == f"manifest.json: “{member}” is missing, or of another kind"


@pytest.mark.parametrize("entry", [3, {}, {"sha256": "0" * 63, "size": 1}, {"sha256": "0" * 64, "size": -1}])
def test_a_manifest_says_of_each_file_its_sum_and_size(release: Path, entry: object) -> None:
    path = release / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"files": {"a.txt": entry}}))
    with pytest.raises(BadRelease) as refused, open_release(release):
        pass
    assert str(refused.value) == "manifest.json: “a.txt” has no sha256 and size"


def test_a_zip_holds_what_its_folder_holds(release: Path) -> None:
    zipped, topics = packed(release), release / "topics.jsonl"
    require_packed(zipped, release)
    content = topics.read_bytes()
    for other in (content[:-1], content + b"x", content[:-2] + b" \n"):
        topics.write_bytes(other)
        with pytest.raises(BadRelease, match="is another file in the zip"):
            require_packed(zipped, release)
    topics.write_bytes(content)
    (release / "more.txt").write_text("x")
    with pytest.raises(BadRelease, match="is not in the zip"):
        require_packed(zipped, release)
    with pytest.raises(BadRelease, match="does not name"):
        require_packed(packed(release, put_outside), release)
    (release / "more.txt").unlink()
    zipped = packed(release)
    topics.unlink()
    with pytest.raises(BadRelease, match=r"“topics\.jsonl” is in the zip, and not in"):
        require_packed(zipped, release)

"""`verify`: what a release says is computed again, and whatever is not as it says is named, with its line."""

from __future__ import annotations

import hashlib
import json
import stat
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scoring.__main__ import main
from scoring.commands.verify import NOT_COMPUTED, PARTLY, verify_release
from scoring.deeds import Judged
from scoring.formats.judgments_jsonl import write_judgments
from scoring.records import Score
from scoring.release_tables import agreement_lines, mean_lines, score_lines
from scoring.releases import SMALL, BadRelease, Release, open_release
from tracks.rescore import rescore

RUN = "1 Q0 A 1 3.0 RUN-A\n1 Q0 B 2 2.0 RUN-A\n1 Q0 C 3 1.0 RUN-A\n"
QRELS = "1 0 A 1\n1 0 B 0\n1 0 C 1\n"
TOPIC = {"fields": {}, "number": "1", "ordinal": 0, "parent": None, "task": "ranking", "text": "bees"}
DEEDS = [
    Judged(by=by, topic="1", docno=docno, answer="", criterion="relevance", value=value, key=docno, role=role)
    for by, role, docno, value in [
        ("assessor-1", "", "A", 1),
        ("assessor-1", "", "B", 0),
        ("assessor-2", "second", "A", 1),
        ("assessor-2", "second", "B", 1),
    ]
]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A release of one topic and one run, written by hand but for what is computed."""
    folder = tmp_path / "release"
    for name in ("exports", "runs", "scores"):
        (folder / name).mkdir(parents=True)
    (folder / "topics.jsonl").write_text(json.dumps(TOPIC) + "\n")
    (folder / "exports" / "qrels.txt").write_text(QRELS)
    (folder / "exports" / "judgments.jsonl").write_text("".join(f"{line}\n" for line in write_judgments(DEEDS)))
    (folder / "runs" / "RUN-A.txt").write_text(RUN)
    sign(folder)
    with open_release(folder) as opened:
        ((_, scores),) = rescore(opened)
    (folder / "scores" / "RUN-A.tsv").write_text("".join(f"{line}\n" for line in score_lines(scores)))
    (folder / "scores" / "means.tsv").write_text("".join(f"{line}\n" for line in mean_lines(scores)))
    (folder / "agreement.tsv").write_text("".join(f"{line}\n" for line in agreement_lines(DEEDS)))
    sign(folder)
    return folder


def sign(folder: Path, **more: Any) -> None:
    """Write the manifest anew, so that all sums are right."""
    files = {
        path.relative_to(folder).as_posix(): {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "size": path.stat().st_size,
        }
        for path in folder.rglob("*.*")
        if path.name != "manifest.json"
    }
    run = {"name": "RUN-A", "team": "", "submission": "run", "priority": None, "automatic": True, "fields": {}}
    manifest = {
        "layout": 1,
        "campaign": {"title": "Bees"},
        "track": "adhoc",
        "settings": {},
        "as_of": 7,
        "exports": ["qrels.txt"],
        "pools": [],
        "runs": [{**run, "file": "runs/RUN-A.txt"}],
        "scored": ["RUN-A"],
        "files": files,
    }
    (folder / "manifest.json").write_text(json.dumps({**manifest, **more}))


def verify(capsys: pytest.CaptureFixture[str], path: Path) -> tuple[int, dict[str, tuple[str, str]], str]:
    status = main(["verify", str(path)])
    out, err = capsys.readouterr()
    rows = [line.split("\t") for line in out.splitlines()]
    return status, {name: (found, message) for name, found, message in rows}, err


def packed(folder: Path, change: Callable[[zipfile.ZipFile], None] | None = None) -> Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in sorted(folder.rglob("*.*")):
            archive.write(each, each.relative_to(folder).as_posix())
        if change is not None:
            change(archive)
    return path


def test_a_release_that_is_what_it_says(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (release, packed(release)):
        status, rows, said = verify(capsys, path)
        assert (status, said.startswith("verified: 7 files")) == (0, True), (rows, said)
        assert rows["exports/qrels.txt"] == ("ok", "")
        assert rows["scores/RUN-A.tsv"] == rows["agreement.tsv"] == ("recomputed", "")
    lines = (release / "scores" / "RUN-A.tsv").read_text().splitlines()
    assert "1\tAP\t0.8333333333333333\t" in lines  # (1/1 + 2/3) / 2


def test_another_byte_in_a_file_is_seen(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (release / "exports" / "qrels.txt").write_text(QRELS.replace("B 0", "B 1"))
    status, rows, said = verify(capsys, release)
    assert status == 1
    assert rows["exports/qrels.txt"] == ("changed", "its sha256 is not that of the manifest")
    assert rows["scores/RUN-A.tsv"][0] == "differs"
    assert said.startswith("NOT verified")


def test_another_score_is_seen_with_its_line_though_the_sums_are_right(
    release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = release / "scores" / "RUN-A.tsv"
    lines = path.read_text().splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if line.startswith("1\tAP\t"))
    lines[place] = lines[place].replace("0.8333333333333333", "0.8333333333333334")
    path.write_text("".join(lines))
    sign(release)
    status, rows, _ = verify(capsys, release)
    assert status == 1
    assert rows["scores/RUN-A.tsv"] == (
        "differs",
        f"line {place + 1}: the file says “1 AP 0.8333333333333334 ”, "
        "the release's files give “1 AP 0.8333333333333333 ”",
    )
    assert rows["scores/means.tsv"] == ("recomputed", "")


def test_another_judgment_makes_the_agreement_differ(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = release / "exports" / "judgments.jsonl"
    path.write_text(path.read_text().replace('"value": 0', '"value": 1'))
    sign(release)
    status, rows, _ = verify(capsys, release)
    assert (status, rows["agreement.tsv"][0]) == (1, "differs")
    assert rows["agreement.tsv"][1].startswith("line 1: the file says “relevance author-second agreement 0.5 2”")


def test_forged_judgments_with_a_forged_sum_are_seen_by_the_sum_of_the_manifest(
    release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published = hashlib.sha256((release / "manifest.json").read_bytes()).hexdigest()
    assert main(["verify", str(release), "--sha256", published.upper()]) == 0
    assert capsys.readouterr().out.splitlines()[0].split("\t") == ["manifest.json", "ok", ""]
    path = release / "exports" / "judgments.jsonl"
    path.write_text(path.read_text().replace('"docno": "B"', '"docno": "C"'))
    sign(release)
    forged = hashlib.sha256((release / "manifest.json").read_bytes()).hexdigest()
    status, rows, said = verify(capsys, release)
    assert (status, rows["exports/judgments.jsonl"]) == (0, ("ok", PARTLY))
    assert said.splitlines()[1:] == [
        "1 files are not computed again, only compared with the manifest's sums",
        f"sha256 of manifest.json: {forged}",
        "compare it with the one that the campaign published, or give that as --sha256",
    ]
    for path in (release, packed(release)):
        assert main(["verify", str(path), "--sha256", published]) == 1
        out, err = capsys.readouterr()
        words = f"its sha256 is {forged}; the campaign published {published}"
        assert out.splitlines()[0].split("\t") == ["manifest.json", "changed", words]
        assert err.startswith("NOT verified, 1 wrong")
    assert main(["verify", str(release), "--sha256", "abc"]) == 2
    assert "64 digits" in capsys.readouterr().err


def test_files_of_which_nothing_is_computed_are_named(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (release / "exports" / "list_judged.txt").write_text("1 A\n")
    sign(release)
    status, rows, said = verify(capsys, release)
    assert (status, rows["exports/list_judged.txt"]) == (0, ("ok", NOT_COMPUTED))
    assert {name for name, row in rows.items() if row == ("ok", "")} == {
        "exports/qrels.txt",
        "runs/RUN-A.txt",
        "topics.jsonl",
    }
    assert "2 files are not computed again" in said


@pytest.mark.parametrize("name", ["exports/qrels.txt", "runs/RUN-A.txt", "scores/RUN-A.tsv", "topics.jsonl"])
def test_a_missing_file_is_named(release: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (release / name).unlink()
    status, rows, _ = verify(capsys, release)
    assert (status, rows[name][0]) == (1, "missing")


def test_a_missing_line_of_scores_and_one_too_many_are_seen(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = release / "scores" / "means.tsv"
    whole = path.read_text()
    for content, words in ((whole.splitlines(keepends=True)[:-1], "the file says “”"), ([whole, "x\n"], "give “”")):
        path.write_text("".join(content))
        sign(release)
        status, rows, _ = verify(capsys, release)
        assert (status, rows["scores/means.tsv"][0], words in rows["scores/means.tsv"][1]) == (1, "differs", True)


def test_a_file_that_no_manifest_names_is_seen(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (release / "run-key.tsv").write_text("RUN-A\tmine\n")
    status, rows, _ = verify(capsys, release)
    assert (status, rows["run-key.tsv"][0]) == (1, "unknown")


def test_a_run_that_is_left_out_can_not_be_verified(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (release / "runs" / "RUN-A.txt").unlink()
    run = {"name": "RUN-A", "team": "", "submission": "run", "priority": None, "automatic": True, "fields": {}}
    sign(release, runs=[{**run, "file": None}])
    status, rows, _ = verify(capsys, release)
    assert (status, rows["scores/RUN-A.tsv"]) == (1, ("left out", "the run's file is not part of the release"))


def test_scores_of_a_run_that_the_manifest_does_not_name_are_not_called_sound(
    release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (release / "scores" / "RUN-B.tsv").write_text("1\tAP\t0.9\t\n")
    sign(release)
    status, rows, _ = verify(capsys, release)
    assert (status, rows["scores/RUN-B.tsv"][0]) == (1, "unchecked")


def test_a_run_without_a_file_that_is_said_to_be_scored_ends_in_words(
    release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sign(release, scored=["RUN-A", "RUN-Z"])
    status, rows, _ = verify(capsys, release)
    assert (status, rows["scores"][0]) == (1, "unchecked")


def test_wrong_calls(release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    for path, words in (
        (tmp_path / "nowhere", "there is no file or folder"),
        (tmp_path / "empty", "there is no manifest.json"),
        (release / "topics.jsonl", "is no zip that can be read"),
    ):
        assert main(["verify", str(path)]) == 2
        assert words in capsys.readouterr().err
    assert main(["verify", str(release), "--scorer", "nowhere.at_all:rescore"]) == 2
    assert "there is no module nowhere" in capsys.readouterr().err
    assert main(["verify", str(release), "--scorer", "json"]) == 2
    assert "module:function" in capsys.readouterr().err


def test_a_track_that_is_not_here_is_said(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sign(release, track="other")
    status, rows, _ = verify(capsys, release)
    assert (status, rows["scores"][0]) == (1, "unchecked")
    assert "there is no track “other” here" in rows["scores"][1]


@pytest.mark.parametrize("error", [OverflowError("int too large"), ZeroDivisionError("division by zero")])
def test_arithmetic_that_breaks_off_leaves_the_scores_unchecked(release: Path, error: ArithmeticError) -> None:
    def score(opened: Release) -> Iterator[tuple[str, list[Score]]]:
        del opened
        raise error
        yield "RUN-A", []

    with open_release(release) as opened:
        verdict = verify_release(opened, score)
    assert verdict.rows["scores"][0] == "unchecked"
    assert f"broke off: {type(error).__name__}: {error}" in verdict.rows["scores"][1]
    assert not verdict.is_clean


# ------------------------------------------------------------------ hostile archives


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

"""`verify`: what a release says is computed again, and whatever is not as it says is named, with its line."""

from __future__ import annotations

import hashlib
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoring.__main__ import main
from scoring.commands.verify import ALONE, NOT_COMPUTED, PARTLY, UNEXPECTED, UNREAD, verify_release
from scoring.formats.judgments_jsonl import acts_of
from scoring.records import Score
from scoring.release.judgment_table import judgment_bytes
from scoring.release.release_tables import agreement_lines
from scoring.release.releases import Release, open_release
from scoring.version import version
from tests.scoring.release_by_hand import QRELS, packed, sign


def verify(capsys: pytest.CaptureFixture[str], path: Path) -> tuple[int, dict[str, tuple[str, str]], str]:
    status = main(["verify", str(path)])
    out, err = capsys.readouterr()
    rows = [line.split("\t") for line in out.splitlines()]
    return status, {name: (found, message) for name, found, message in rows}, err


def test_a_release_that_is_what_it_says(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (release, packed(release)):
        status, rows, said = verify(capsys, path)
        assert (status, said.startswith("verified: 13 files")) == (0, True), (rows, said)
        assert rows["exports/qrels.txt"] == rows["runs/forms.json"] == ("recomputed", "")
        assert rows["scores/RUN-A.tsv"] == rows["agreement.tsv"] == ("recomputed", "")
    lines = (release / "scores" / "RUN-A.tsv").read_text().splitlines()
    assert "1\tAP\t0.8333333333333333\t" in lines  # (1/1 + 2/3) / 2


def test_a_release_of_0_2_0_calls_the_primary_assessor_author(
    release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = release / "agreement.tsv"
    table.write_text(table.read_text().replace("\tprimary-", "\tauthor-"))
    sign(release)
    status, rows, _ = verify(capsys, release)
    assert (status, rows["agreement.tsv"]) == (0, ("recomputed", ""))


def test_the_table_of_judgments_is_compared_with_their_lines(
    release: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, table = release / "exports" / "judgments.jsonl", release / "judgments.parquet"
    table.write_bytes(b"".join(judgment_bytes(lines)))
    status, rows, _ = verify(capsys, release)
    assert (status, rows["judgments.parquet"]) == (1, ("unknown", "the manifest does not name it"))
    sign(release)
    status, rows, _ = verify(capsys, release)
    assert (status, rows["judgments.parquet"]) == (0, ("recomputed", ""))
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "pyarrow", None)
        status, rows, _ = verify(capsys, release)
    assert (status, rows["judgments.parquet"]) == (0, ("ok", UNREAD))
    lines.write_text(lines.read_text().replace('"value": 0', '"value": 1'))
    sign(release)
    _, rows, _ = verify(capsys, release)
    assert rows["judgments.parquet"] == ("differs", "rows 1 to 5: value differs from the file of lines")
    table.write_bytes(b"PAR1")
    _, rows, _ = verify(capsys, release)
    assert rows["judgments.parquet"][0] == "changed"
    sign(release)
    _, rows, _ = verify(capsys, release)
    assert rows["judgments.parquet"][0] == "differs"


def test_another_byte_in_a_file_is_seen(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (release / "exports" / "qrels.txt").write_text(QRELS.replace("B 0", "B 1"))
    status, rows, said = verify(capsys, release)
    assert status == 1
    words = "line 2: the file says “1 0 B 1”, the release's files give “1 0 B 0”"
    assert rows["exports/qrels.txt"] == ("differs", words)
    assert rows["scores/RUN-A.tsv"][0] == "differs"
    assert said.startswith("NOT verified")
    assert "made it, and this is" not in said, "its manifest does not say which version made it"
    sign(release, code_version="0.1.0+12345678")
    _, _, said = verify(capsys, release)
    assert f"Assay 0.1.0+12345678 made it, and this is {version()}. If they differ, verify it with that version" in said


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
    assert rows["agreement.tsv"][1].startswith("line 1: the file says “relevance primary-second agreement 0.5 2”")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('"value": 0', '"value": 4', "4 is not on the scale of relevance under the settings of the release"),
        ('"relevance"', '"rele vance"', "nothing is judged by “rele vance” under the settings of the release"),
        ('"topic": "1"', '"topic": "0"', "topics.jsonl has no topic “0” that is judged"),
        ('"do": "judge"', '"do": "guess"', "“do” must be one of"),
        ('"key": "B"', '"evidence": [{"quote": "q", "value": 9}], "key": "B"', "9 is not on the scale of relevance"),
    ],
)
def test_what_is_on_no_scale_is_named_though_the_sums_are_right(
    release: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, words: str
) -> None:
    path = release / "exports" / "judgments.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if before in line)
    lines[place] = lines[place].replace(before, after)
    path.write_text("".join(lines))
    (release / "agreement.tsv").write_text("".join(f"{line}\n" for line in agreement_lines(lambda: acts_of(path))))
    sign(release)
    status, rows, _ = verify(capsys, release)
    assert (status, rows["agreement.tsv"][0], rows["exports/judgments.jsonl"][0]) == (1, "recomputed", "differs")
    assert rows["exports/judgments.jsonl"][1].startswith(f"line {place + 1}: {words}")


def test_a_highest_grade_that_was_lowered_is_seen(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = release / "exports" / "judgments.jsonl"
    path.write_text(path.read_text().replace('"value": 1', '"value": 2'))
    lines = (f"{line}\n" for line in agreement_lines(lambda: acts_of(path)))
    (release / "agreement.tsv").write_text("".join(lines))
    for highest, status in ((2, "ok"), (1, "differs")):
        sign(release, settings={"highest_grade": highest})
        assert verify(capsys, release)[1]["exports/judgments.jsonl"][0] == status


def test_forged_judgments_with_a_forged_sum_are_seen_by_the_sum_of_the_manifest(
    release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published = hashlib.sha256((release / "manifest.json").read_bytes()).hexdigest()
    assert main(["verify", str(release), "--sha256", published.upper()]) == 0
    assert capsys.readouterr().out.splitlines()[0].split("\t") == ["manifest.json", "ok", ""]
    path = release / "exports" / "judgments.jsonl"
    path.write_text(path.read_text().replace('"topic": "1", "value": 0', '"note": "No.", "topic": "1", "value": 0'))
    sign(release)
    forged = hashlib.sha256((release / "manifest.json").read_bytes()).hexdigest()
    status, rows, said = verify(capsys, release)
    assert (status, rows["exports/judgments.jsonl"]) == (0, ("ok", PARTLY)), rows
    assert said.splitlines()[1:] == [
        "8 files not, or not wholly, computed again: only compared with the manifest's sums",
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
    (release / "guidelines").mkdir()
    (release / "guidelines" / "1.md").write_text("Judge.\n")
    sign(release, guidelines=1)
    status, rows, said = verify(capsys, release)
    assert (status, rows["guidelines/1.md"], rows["manifest.json"]) == (0, ("ok", NOT_COMPUTED), ("ok", ALONE))
    assert {name for name, row in rows.items() if row == ("ok", PARTLY)} == {
        "anchors.jsonl",
        "exports/judgments.jsonl",
        "items.jsonl",
        "pools.jsonl",
        "runs/RUN-A.txt",
        "topics.jsonl",
        "work.jsonl",
    }
    assert "9 files not, or not wholly, computed again" in said


def test_a_file_that_no_release_of_the_track_has_is_no_part_of_it(
    release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (release / "exports" / "list_judged.txt").write_text("1 A\n")
    sign(release)
    status, rows, _ = verify(capsys, release)
    assert (status, rows["exports/list_judged.txt"]) == (1, ("unexpected", UNEXPECTED))


@pytest.mark.parametrize("name", ["exports/qrels.txt", "runs/RUN-A.txt", "scores/RUN-A.tsv", "topics.jsonl"])
def test_a_missing_file_is_named(release: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (release / name).unlink()
    status, rows, said = verify(capsys, release)
    assert (status, rows[name][0]) == (1, "missing")
    assert f"Begin with what is missing, since others are made of it: {name}\n" in said
    assert "unexpected" not in {status for status, _ in rows.values()}  # the others are not looked at without topics


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
    for scorer in ("json", ":loads", ".json:loads"):
        assert main(["verify", str(release), "--scorer", scorer]) == 2
        assert "module:function" in capsys.readouterr().err


@pytest.mark.parametrize("below", ["", "release/"])
def test_a_release_that_somebody_packed_again_is_verified_or_told_what_to_do(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], below: str
) -> None:
    with zipfile.ZipFile(tmp_path / "again.zip", "w") as again:
        for path in [release, *release.rglob("*")]:
            if name := f"{below}{path.relative_to(release).as_posix()}".removesuffix("/.").removesuffix("."):
                again.write(path, name)  # with an entry for each folder
        assert any(name.endswith("/") for name in again.namelist())
    status = main(["verify", str(tmp_path / "again.zip")])
    told = capsys.readouterr().err
    if below:
        assert (status, "“release/manifest.json”. Unpack the zip, and name that folder" in told) == (2, True), told
    else:
        assert status == 0, told


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

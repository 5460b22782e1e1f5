"""Gold files are known by their names, and by what they hold where the name says nothing; help says which there are."""

from __future__ import annotations

import re
import shutil
from dataclasses import fields
from pathlib import Path

import pytest

from assess.base.track_settings import SettingsError
from assess.protocol import Track
from tests.tracks.track_folder import folder_of
from tracks import TRACKS
from tracks.__main__ import main

every_track = pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.key)
ONLY_NAMES_TELL = {"questions", "Q.all", "author.all", "other.all", "sys.author.all", "sys.other.all"}
"""Files of two assessors, or of lines that could be several things."""
NUMBERS = re.compile(r"([0-9,]+) to ([0-9,]+)")


def scored(capsys: pytest.CaptureFixture[str], track: Track, gold: list[Path]) -> str:
    """What is printed of all good runs by these gold files, named one by one."""
    runs = sorted(map(str, (folder_of(track) / "runs" / "good").iterdir()))
    assert main(["score", track.key, "--gold", *map(str, gold), "--run", *runs]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


@every_track
def test_gold_files_are_told_by_content(track: Track, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = folder_of(track) / "expected"
    named = [expected / name for name in track.scoring.gold_files if (expected / name).exists()]
    called = []
    for place, path in enumerate(named):
        called.append(path if path.name in ONLY_NAMES_TELL else Path(shutil.copy(path, tmp_path / f"file{place}.dat")))
    assert called != named
    assert scored(capsys, track, called) == scored(capsys, track, named)


def test_two_files_of_one_kind_are_a_wrong_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.dat").write_text("1 0 a 1\n")
    (tmp_path / "b.dat").write_text("1 0 a 1\n")
    call = ["score", "adhoc", "--gold", str(tmp_path / "a.dat"), str(tmp_path / "b.dat"), "--run", "x"]
    assert main(call) == 2
    assert "a.dat and b.dat, both of qrels.txt" in capsys.readouterr().err


@every_track
@pytest.mark.parametrize("command", ["score", "check"])
def test_help_of_a_track_lists_its_settings_and_gold(
    track: Track, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, track.key, "--help"])
    said = capsys.readouterr().out
    assert ended.value.code == 0
    for each in fields(track.settings):
        assert f"    {each.name}=" in said
        assert str(each.metadata["help"]) in said
        assert each.metadata.get("allowed", "") in said
    assert f"): {', '.join(track.scoring.gold_files)}" in said


def test_help_of_no_track_is_a_wrong_call(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["score", "nowhere", "--help"])
    assert (ended.value.code, capsys.readouterr().out) == (2, "")


@every_track
def test_what_help_says_is_allowed_is_allowed(track: Track) -> None:
    """Both ends of each range are taken and what is beyond them is not."""
    for each in fields(track.settings):
        if isinstance(each.default, bool):
            continue
        allowed = each.metadata["allowed"]
        if not (ends := NUMBERS.fullmatch(allowed)):
            continue
        low, high = (int(end.replace(",", "")) for end in ends.groups())
        for value in (low, high):
            others = {"highest_grade": 4, "relevant_from": 1} if track.key == "adhoc" else {}
            assert getattr(track.settings.from_mapping({**others, each.name: value}), each.name) == value
        for value in (low - 1, high + 1):
            with pytest.raises(SettingsError):
                track.settings.from_mapping({each.name: value})

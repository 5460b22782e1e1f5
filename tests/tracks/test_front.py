"""`tracks.score`: the figures of the command, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import tracks
from scoring import InputError, InputWarning
from tracks.__main__ import main

DATA = Path(__file__).resolve().parent.parent / "data" / "tracks"
ADHOC = DATA / "adhoc"
QRELS, RUN = ADHOC / "expected" / "qrels.txt", ADHOC / "runs" / "good" / "maple.txt"


def test_the_figures_are_those_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "adhoc", "--set", "relevant_from=2", "--gold", str(QRELS), "--run", str(RUN)]) == 0
    found = tracks.score("adhoc", QRELS, RUN, settings={"relevant_from": 2})
    printed = [f"{row.run}\t{row.topic}\t{row.measure}\t{row.value:.6f}" for row in found.itertuples()]
    assert printed == capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (("adhok", QRELS, RUN), ValueError, "adhok"),
        (("adhoc", QRELS, ADHOC / "runs" / "bad" / "columns.txt"), InputError, "columns.txt: 1: "),
        (("adhoc", QRELS, ADHOC / "none.txt"), ValueError, "none.txt"),
    ],
)
def test_what_cannot_be_scored_is_refused(call: tuple[str, Path, Path], error: type[Exception], words: str) -> None:
    with pytest.raises(error) as refused:
        tracks.score(*call)
    assert words in str(refused.value)


def test_a_file_in_the_folder_of_gold_that_is_not_used_is_warned_of(tmp_path: Path) -> None:
    gold = tmp_path / "gold"
    shutil.copytree(DATA / "aquaint-definition" / "expected", gold)
    (gold / "notes").write_text("nothing\n")
    with pytest.warns(InputWarning, match="notes: .*It is not used"):
        tracks.score("aquaint-definition", gold)


def test_a_setting_of_several_values_is_that_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    found = tracks.score("adhoc", QRELS, RUN, settings={"judged_topics": ("2", "4"), "all_topics": False})
    call = ["score", "adhoc", "--set", "judged_topics=2,4", "--set", "all_topics=no", "--gold", str(QRELS)]
    assert main([*call, "--run", str(RUN)]) == 0
    printed = [f"{row.run}\t{row.topic}\t{row.measure}\t{row.value:.6f}" for row in found.itertuples()]
    assert printed == capsys.readouterr().out.splitlines()

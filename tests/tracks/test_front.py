"""`tracks.score`: the figures of the command, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import tracks
from scoring import InputError
from tracks.__main__ import main

ADHOC = Path(__file__).resolve().parent.parent / "data" / "tracks" / "adhoc"
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

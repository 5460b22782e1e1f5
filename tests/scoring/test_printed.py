r"""No name in a file steers the terminal that a command prints on: `ESC [ 31 m` comes out written, not as red."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management.base import OutputWrapper

from assess.management.command import Printed
from scoring.__main__ import main as scoring
from tracks.__main__ import main as tracks

STEERING = "E\x1b[31mlm\x9b2J\x7f"
WRITTEN = "E\\u001b[31mlm\\u009b2J\\u007f"
CONTROLS = {"\x1b", "\x9b", "\x7f"}


@pytest.fixture
def run(tmp_path: Path) -> str:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    path = tmp_path / "a.run"
    path.write_text(f"1 Q0 b 1 2.0 {STEERING}\n1 Q0 a 2 1.0 {STEERING}\n")
    return str(path)


@pytest.mark.parametrize("form", ["tsv", "json"])
def test_run_tags_are_printed_as_they_are_written(run: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    qrels = str(Path(run).with_name("qrels"))
    assert scoring(["rank", "--qrels", qrels, "--run", run, "-m", "AP", "--format", form]) == 0
    out = capsys.readouterr().out
    assert (WRITTEN in out, CONTROLS & set(out)) == (True, set())
    if form == "json":
        assert json.loads(out)[0]["run"] == STEERING
    tracks(["score", "adhoc", "--gold", qrels, "--run", run, "--format", form])
    told = capsys.readouterr()
    assert not CONTROLS & set(told.out + told.err)


def test_messages_do_not_steer_either(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"{STEERING}.run"
    path.write_text(f"1 Q0 {STEERING} one two\n")
    assert scoring(["pool", "--depth", "1", "--run", str(path)]) == 1
    told = capsys.readouterr()
    assert (WRITTEN in told.err, CONTROLS & set(told.out + told.err)) == (True, set())


def test_commands_of_the_site_do_not_either() -> None:
    out = io.StringIO()
    Printed(OutputWrapper(out)).write(f"Team {STEERING}", ending="")
    assert out.getvalue() == f"Team {WRITTEN}"

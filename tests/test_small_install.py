"""What requirements-small.txt names is enough for the commands that it promises; nothing else is loaded."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import scoring
from tests.scoring.release_by_hand import packed
from tests.scoring.release_by_hand import release as release
from tracks.__main__ import main as tracks

ROOT = Path(__file__).resolve().parent.parent
NAMED = re.findall(r"^([a-z-]+)", (ROOT / "requirements-small.txt").read_text(), re.MULTILINE)
CODE = """
import importlib.metadata, json, sys
named, calls = json.loads(sys.argv[1])
for name, packages in importlib.metadata.packages_distributions().items():
    if name not in sys.modules and not {each.lower().replace("_", "-") for each in packages} & {*named, "assay"}:
        sys.modules[name] = None  # an import of it fails
from scoring.__main__ import main
for call in calls:
    if main(call):
        sys.exit(f"{call[0]} failed")
"""


def test_the_commands_run_with_what_is_named_alone(release: Path, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("1 0 A 1\n1 0 B 0\n")
    run.write_text("1 Q0 A 1 2.0 maple\n1 Q0 B 2 1.0 maple\n")
    calls = [
        ["rank", "--qrels", str(qrels), "--run", str(run), "-m", "AP", "-m", "nDCG@10", "-m", "ERR@5"],
        ["agree", str(qrels), str(qrels)],
        ["pool", "--strategy", "depth", "--depth", "1", "--run", str(run)],
        ["verify", str(packed(release))],
    ]
    command = [sys.executable, "-c", CODE, json.dumps([NAMED, calls])]
    told = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert told.returncode == 0 and told.stderr.startswith("verified: "), told.stderr
    assert {"maple\tall\tnDCG@10\t1.000000", "1\tA"} <= {*told.stdout.splitlines()}


def test_a_command_that_meets_a_file_for_which_a_package_is_missing_names_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = ROOT / "tests" / "data" / "tracks" / "tac2008-qa"
    run = min((campaign / "runs" / "good").iterdir())
    monkeypatch.setitem(sys.modules, "lxml", None)
    assert tracks(["check", "tac2008-qa", "--topics", str(campaign / "topics.xml"), str(run)]) == 2
    assert "this needs lxml, which is not installed; `pip install .` in Assay's source" in capsys.readouterr().err
    monkeypatch.setattr("scoring.commands.command_line.OWN", ("lxml",))
    with pytest.raises(ModuleNotFoundError):
        tracks(["check", "tac2008-qa", "--topics", str(campaign / "topics.xml"), str(run)])


def test_what_needs_pandas_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="frames of pandas, which is not installed: pip install pandas"):
        scoring.rank  # noqa: B018


@pytest.mark.parametrize("name", NAMED)
def test_all_that_a_package_asks_for_is_named(name: str) -> None:
    asked = [each for each in importlib.metadata.requires(name) or () if "extra ==" not in each]
    names = {re.split(r"[^A-Za-z0-9_-]", each)[0].lower().replace("_", "-") for each in asked}
    assert names - {*NAMED} == ({"scipy"} if name == "pytrec-eval-terrier" else set())


def test_what_is_named_leaves_room_in_120_mb() -> None:
    """Assay itself and the compiled modules take some 50 more."""
    files = [path for name in NAMED for path in importlib.metadata.files(name) or () if path.suffix != ".pyc"]
    assert sum(path.size or 0 for path in files) < 80_000_000

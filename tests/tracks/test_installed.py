"""Evaluations and measures of other packages, found by their entry points."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "tests" / "data" / "tracks" / "adhoc"
MODULE = '''from pathlib import Path

DESIGN = Path(__file__).with_name("letters.toml")


def first_gain(returned, judged):
    """The gain of what stands first."""
    return returned[0] if returned else 0
'''
DESIGN = (ROOT / "docs" / "designs" / "binary-relevance.toml").read_text()


def installed(folder: Path, *, design: str, points: str) -> Path:
    """A folder as pip leaves it: a package of one module and one design, with its entry points."""
    package, about = folder / "letters", folder / "letters-1.0.dist-info"
    package.mkdir()
    about.mkdir()
    (package / "__init__.py").write_text(MODULE)
    (package / "letters.toml").write_text(design)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: letters\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(points)
    return folder


def tracks(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A call of `python -m tracks` where that package is installed."""
    call = [sys.executable, "-m", "tracks", *words]
    env = os.environ | {"PYTHONPATH": str(folder)}
    return subprocess.run(call, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


POINTS = """[assay.tracks]
letters = letters:DESIGN
[assay.measures]
first-gain = letters:first_gain
"""


def test_a_package_of_a_design_and_a_measure_is_found_and_scores(tmp_path: Path) -> None:
    design = DESIGN.replace('"binary-relevance"', '"letters"').replace('["AP",', '["first-gain", "AP",')
    folder = installed(tmp_path, design=design, points=POINTS)
    gold = tmp_path / "qrels.txt"
    gold.write_text("1 0 HIVE-01 1\n1 0 HIVE-02 0\n")
    run = tmp_path / "run.txt"
    run.write_text("1 Q0 HIVE-01 1 2 mine\n1 Q0 HIVE-02 2 1 mine\n")
    done = tracks(folder, "score", "letters", "--gold", str(gold), "--run", str(run))
    values = {tuple(line.split("\t")[1:3]): line.split("\t")[3] for line in done.stdout.splitlines()}
    assert (done.returncode, float(values["1", "first-gain"]), float(values["all", "first-gain"])) == (0, 1, 1), done


def test_what_can_not_be_used_names_its_package(tmp_path: Path) -> None:
    done = tracks(installed(tmp_path, design=DESIGN.replace("title", "titel"), points=POINTS), "list")
    assert done.returncode and "The package letters brings “letters” (assay.tracks), which can't be" in done.stderr
    assert "Did you mean title?" in done.stderr


def test_a_package_that_can_not_be_imported_is_named(tmp_path: Path) -> None:
    done = tracks(installed(tmp_path, design=DESIGN, points="[assay.tracks]\nletters = letters:NONE\n"), "list")
    assert "The package letters brings “letters” (assay.tracks), which can't be used: " in done.stderr

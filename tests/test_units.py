"""Which tests one process does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.units import ROOT, unit_of

SHARED = """
import os
from pathlib import Path
import pytest

@pytest.fixture(scope="module")
def world():
    with Path("made").open("a") as file:
        file.write(f"{os.getpid()}\\n")

@pytest.mark.parametrize("number", range(12))
def test_it(world, number):
    pass
"""


@pytest.mark.parametrize(
    ("test", "unit"),
    [
        ("tests/test_units.py::test_a", "tests/test_units.py"),
        ("tests/tracks/test_conformance.py::test_a[tac2008-qa]", "judged tac2008-qa"),
        ("tests/tracks/test_conformance.py::test_b[tac2008-qa-x.xml]", "judged tac2008-qa"),
        ("tests/tracks/test_releases.py::test_a[tac2008-qa]", "judged tac2008-qa"),
        ("tests/tracks/test_words_of_pages.py::test_a[tac2008-qa]", "judged tac2008-qa"),
        ("tests/tracks/test_conformance.py::test_c", "tests/tracks/test_conformance.py"),
        ("tests/tracks/test_judged_each.py::test_a[tac2008-qa]", "tests/tracks/test_judged_each.py tac2008-qa"),
        ("tests/assess/judging/test_kill.py::test_a", "served"),
        ("tests/assess/jobs/test_serve.py::test_b[1]", "served"),
        ("tests/assess/jobs/test_works.py::test_a[1]", "tests/assess/jobs/test_works.py::test_a[1]"),
        ("tests/browser/test_opening.py::test_a[chromium-firefox]", "firefox"),
        ("tests/browser/test_opening.py::test_a[chromium-]", "tests/browser/test_opening.py::test_a[chromium-]"),
    ],
)
def test_a_unit_is_a_world_or_a_mark_or_a_test(test: str, unit: str) -> None:
    assert unit_of(test) == unit


def test_a_world_is_made_once_by_several_processes(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_shared.py").write_text(SHARED)
    plugins = ["-p", "xdist", "-p", "tests.units"]  # the others take most of the time of three processes to load
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", *plugins]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "config.settings"}
    for name in [name for name in environment if name.startswith("PYTEST_")]:
        del environment[name]
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "yes"
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "12 passed" in done.stdout, done.stdout + done.stderr
    assert len((tmp_path / "made").read_text().split()) == 1

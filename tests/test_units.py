"""Which tests one process does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.units import ROOT, Units, unit_of

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
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "assay_site.settings"}
    for name in [name for name in environment if name.startswith("PYTEST_")]:
        del environment[name]
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "yes"
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "12 passed" in done.stdout, done.stdout + done.stderr
    assert len((tmp_path / "made").read_text().split()) == 1


class Process:
    """Stands for a process that runs tests: keeps the numbers of those that it is sent."""

    def __init__(self) -> None:
        self.gateway = SimpleNamespace(id="")
        self.sent: list[int] = []
        self.shutting_down = False

    def send_runtest_some(self, numbers: list[int]) -> None:
        self.sent += numbers

    def shutdown(self) -> None:
        self.shutting_down = True


def test_each_test_is_handed_out_once_and_what_is_done_is_forgotten() -> None:
    tests = [f"tests/test_units.py::test_{number}" for number in range(4)]
    tests += [f"tests/assess/jobs/test_works.py::test_{number}" for number in range(40)]
    option = SimpleNamespace(loadscopereorder=True)
    units = Units(SimpleNamespace(getvalue=lambda _: ["2*popen"], option=option, rootpath=ROOT))  # type: ignore[arg-type]
    processes = [Process(), Process()]
    for process in processes:
        units.add_node(process)  # type: ignore[arg-type]
        units.add_node_collection(process, tests)  # type: ignore[arg-type]
    units.schedule()
    assert set(processes[0].sent[:4]) == {0, 1, 2, 3}, "the unit of many tests goes first, to one process"
    done = 0
    while waiting := [process for process in processes if process.sent[done:]]:
        for process in waiting:
            units.mark_test_complete(process, process.sent[done])  # type: ignore[arg-type]
            assert sum(len(unit) for unit in units.assigned_work[process].values()) <= 7  # type: ignore[index]
        done += 1
    assert sorted(processes[0].sent + processes[1].sent) == list(range(len(tests)))
    assert units.tests_finished
    assert not any(units.assigned_work.values())

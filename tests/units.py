"""Which tests one process does, one after another: those that share a world, which would else be made in each process.

pytest-xdist says so by the mark `xdist_group`, but its `--dist loadgroup` heeds no mark under pytest 9.2: it writes the
group into a part of a test's id that is no longer there, and says nothing. So the units are told here, by the file:

- tests of a file with a fixture of the module go together, those of a track's world apart from those of another's;
- tests of the campaign that tests/tracks/conftest.py makes of a track go together, in whatever files they are, also
  where their `db` is imported from another;
- tests of files that have the same mark `xdist_group` go together, since they load the whole machine;
- tests in Firefox go together, which then starts once;
- any other test is alone.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

ROOT = Path(__file__).resolve().parents[1]
GROUP = re.compile(r'xdist_group\("([\w-]+)"\)')
IN_FIREFOX = re.compile(r"[\[-]firefox[\]-]")
WORLD = 'scope="module"'
JUDGED = re.compile(r"\bjudged: Judged\b")


def unit_of(test: str, root: Path = ROOT) -> str:
    """The unit that a test belongs to, by its id."""
    path, _, name = test.partition("::")
    if IN_FIREFOX.search(name):
        return "firefox"
    has_world, is_judged, group = _told_by(root / path)
    if has_world or is_judged:
        parameters = name.partition("[")[2]
        key = next((key for key in _tracks() if re.match(rf"{key}[\]-]", parameters)), "")
        return f"judged {key}" if key and is_judged else f"{path} {key}".strip()
    return group or test


@cache
def _told_by(file: Path) -> tuple[bool, bool, str]:
    """Whether a file has a world of its own, whether it looks at a track's campaign, and the group that it names."""
    text = _text(file)
    group = GROUP.search(text)
    return WORLD in text, JUDGED.search(text) is not None, group[1] if group else ""


@cache
def _text(path: Path) -> str:
    return path.read_text() if path.is_file() else ""


@cache
def _tracks() -> tuple[str, ...]:
    from tracks import TRACKS

    return tuple(sorted((track.key for track in TRACKS), key=len, reverse=True))


class Units(LoadScopeScheduling):
    """Hands out whole units, those of many tests first.

    What is done is forgotten: pytest-xdist would look through all of it after every test, and through the list of all
    tests for the number of each, which took longer the more tests there were.
    """

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid, self.config.rootpath)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """By which number each test is known to the processes that run them, all of which collected the same."""
        return {test: number for number, test in enumerate(self.collection or ())}

    def _assign_work_unit(self, node: WorkerController) -> None:
        unit, tests = self.workqueue.popitem(last=False)
        self.assigned_work[node][unit] = tests
        node.send_runtest_some([self._numbers[test] for test, is_done in tests.items() if not is_done])

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        units = self.assigned_work[node]
        test = self.registered_collections[node][item_index]
        unit = self._split_scope(test)
        units[unit][test] = True
        if all(units[unit].values()):
            del units[unit]
        self._reschedule(node)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Any:
    """A module without an example is not looked through for examples: most have none."""
    found = yield
    return [each for each in found if type(each) is pytest.Module or ">>>" in _text(file_path)]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `--dist loadgroup`, by units."""
    return Units(config, log) if config.getvalue("dist") == "loadgroup" else None

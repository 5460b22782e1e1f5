"""Programs that are kept running: started again when they end, ended with their keeper however that goes."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from threading import Event, Thread

import pytest

from assess.management.supervising import _start, keep_running

TELLS = """
import os, signal, sys, time
if sys.argv[1].endswith("deaf"): signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(sys.argv[1], 'a').write(str(os.getpid()) + chr(10))
{0}
"""


def lines(path: Path) -> list[str]:
    return path.read_text().split() if path.exists() else []


def wait_for(path: Path, count: int) -> list[str]:
    until = time.monotonic() + 60
    while len(lines(path)) < count:
        assert time.monotonic() < until, f"{path.name} has {len(lines(path))} lines"
        time.sleep(0.02)
    return lines(path)


def is_alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def kept(tmp_path: Path, **programs: str) -> tuple[Event, Thread, list[str]]:
    stop, said = Event(), []
    commands = {
        name: [sys.executable, "-c", TELLS.format(code), str(tmp_path / name)] for name, code in programs.items()
    }
    keeper = Thread(
        target=keep_running,
        args=(commands,),
        kwargs={"folder": tmp_path, "stop": stop, "say": said.append, "pauses": (0.01, 0.02, 0.03), "grace": 0.5},
    )
    keeper.start()
    return stop, keeper, said


def test_a_child_ends_with_its_keeper_even_before_its_program_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The handler of the keeper was the child's until then: one that was killed at that moment left it behind."""
    keeper = os.getpid()

    def ends_meanwhile() -> int:
        os.kill(os.getpid(), signal.SIGTERM)  # as Linux does when the keeper ends
        return keeper

    monkeypatch.setattr("assess.management.supervising.os.getppid", ends_meanwhile)
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        child = _start([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path)
        assert child.wait(timeout=300) == -signal.SIGTERM
    finally:
        signal.signal(signal.SIGTERM, before)


def test_what_ends_is_started_again_and_the_other_goes_on(tmp_path: Path) -> None:
    stop, keeper, said = kept(tmp_path, ends="sys.exit(0)", stays="time.sleep(600)")
    wait_for(tmp_path / "ends", 5)
    (stayed,) = wait_for(tmp_path / "stays", 1)
    stop.set()
    keeper.join()
    assert said[:4] == [
        f"ends ended by itself with status 0; it is started again in {pause} s." for pause in (0.01, 0.02, 0.03, 0.03)
    ]
    assert lines(tmp_path / "stays") == [stayed]
    assert not is_alive(stayed)


def test_what_does_not_end_when_it_is_asked_to_is_killed(tmp_path: Path) -> None:
    stop, keeper, _ = kept(
        tmp_path, deaf="import signal; signal.signal(15, signal.SIG_IGN); print(flush=True); time.sleep(600)"
    )
    (pid,) = wait_for(tmp_path / "deaf", 1)
    stop.set()
    keeper.join()
    assert not is_alive(pid)


def test_who_was_well_for_a_while_begins_with_the_shortest_pause(tmp_path: Path) -> None:
    stop, said = Event(), []
    command = [sys.executable, "-c", TELLS.format("sys.exit(3)"), str(tmp_path / "ends")]
    keeper = Thread(
        target=keep_running,
        args=({"It": command},),
        kwargs={"folder": tmp_path, "stop": stop, "say": said.append, "pauses": (0.01, 600), "healthy": 0.0},
    )
    keeper.start()
    wait_for(tmp_path / "ends", 3)
    stop.set()
    keeper.join()
    assert set(said) == {"It ended by itself with status 3; it is started again in 0.01 s."}


def test_what_cannot_be_started_now_is_tried_again(tmp_path: Path) -> None:
    """The system may have no room for one more process just when one is to be started again."""
    stop, said = Event(), []

    def say(line: str) -> None:
        said.append(line)
        if len(said) == 2:
            stop.set()

    commands = {"It": [str(tmp_path / "none")]}
    keep_running(commands, folder=tmp_path, stop=stop, say=say, pauses=(0.01, 0.02))
    assert said == [
        f"It can't be started (No such file or directory); it is tried again in {pause} s." for pause in (0.01, 0.02)
    ]

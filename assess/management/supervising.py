"""Keep programs running: restart one that ends by itself after a pause, and let none outlive the keeper."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event

PAUSES = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
HEALTHY = 60.0
"""A program that ran for this many seconds counts as healthy: its next pause is the shortest again."""

GRACE = 30.0
"""How many seconds programs have to end by themselves after they were asked to."""

LOOK_EVERY = 0.1
PR_SET_PDEATHSIG = 1


def pause_after(failures: int, pauses: Sequence[float] = PAUSES) -> float:
    """Return how many seconds to wait after this number of failures in a row.

    >>> [pause_after(failures) for failures in (1, 2, 3, 99)]
    [1.0, 2.0, 4.0, 30.0]
    """
    return pauses[min(max(failures, 1), len(pauses)) - 1]


@dataclass(kw_only=True)
class Child:
    """A program that is kept running."""

    name: str
    command: list[str]
    process: subprocess.Popen[bytes] | None = None
    began: float = 0.0
    due: float = 0.0
    failures: int = 0


def keep_running(
    commands: Mapping[str, list[str]],
    *,
    folder: Path,
    stop: Event,
    say: Callable[[str], None],
    pauses: Sequence[float] = PAUSES,
    healthy: float = HEALTHY,
    grace: float = GRACE,
) -> None:
    """Run the commands, given by name, until ``stop`` is set; then end all of them and wait for their end.

    A command that ends by itself is started again after a pause. The pause grows as long as the command keeps ending
    early. A command that has not ended ``grace`` seconds after it was asked to is killed.
    """
    children = [Child(name=name, command=command) for name, command in commands.items()]
    try:
        while not stop.is_set():
            for child in children:
                _look_after(child, folder=folder, say=say, pauses=pauses, healthy=healthy)
            stop.wait(LOOK_EVERY)
    finally:
        _end([child.process for child in children if child.process is not None], grace=grace)


def _look_after(
    child: Child, *, folder: Path, say: Callable[[str], None], pauses: Sequence[float], healthy: float
) -> None:
    now = time.monotonic()
    if child.process is None:
        if now >= child.due:
            try:
                child.process, child.began = _start(child.command, folder), now
            except OSError as error:  # no memory or no process to spare, for instance
                pause = _pause(child, pauses, was_well=False)
                say(f"{child.name} can't be started ({error.strerror}); it is tried again in {pause:g} s.")
        return
    if (status := child.process.poll()) is None:
        return
    pause = _pause(child, pauses, was_well=now - child.began >= healthy)
    how = f"was ended by signal {-status}" if status < 0 else f"ended by itself with status {status}"
    say(f"{child.name} {how}; it is started again in {pause:g} s.")


def _pause(child: Child, pauses: Sequence[float], *, was_well: bool) -> float:
    """Record that a child ended, and return in how many seconds it is started again."""
    child.failures = 1 if was_well else child.failures + 1
    pause = pause_after(child.failures, pauses)
    child.process, child.due = None, time.monotonic() + pause
    return pause


def _start(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """Start a child. On Linux, it is sent SIGTERM when this process ends for any reason."""
    parent = os.getpid()
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None

    def end_with_parent() -> None:
        # Until the program runs, the child has the handlers of this process, which would take its SIGTERM for theirs.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if libc is not None:
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # the parent ended before prctl took effect
            os._exit(1)

    return subprocess.Popen(command, cwd=folder, preexec_fn=end_with_parent)  # noqa: PLW1509 (one thread, no lock)


def _end(processes: Sequence[subprocess.Popen[bytes]], *, grace: float) -> None:
    for process in processes:
        process.terminate()
    until = time.monotonic() + grace
    for process in processes:
        try:
            process.wait(timeout=max(until - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

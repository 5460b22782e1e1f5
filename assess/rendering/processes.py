"""Render documents in separate processes, each with a time and a memory limit.

    with RenderPool(processes=2, seconds=5.0) as pool:
        for job, rendering in pool.map(jobs):
            …

A process that overruns is killed and replaced, and the document's text is then extracted in a quicker way. A process
that dies costs one document, no more. No document can hang the pool. Processes are started as `python -m
assess.rendering.one_process` with one socket. So they share no threads, connections or settings with the program that
starts them, and they end when it does.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import TracebackType

from assess.rendering.addresses import Sheets
from assess.rendering.rendered import Rendering, rendering

PROJECT = Path(__file__).resolve().parents[2]
START_SECONDS = 60.0
"""How long a process may take to report that it is ready."""

TEXT_SECONDS = 5.0
"""How long the quicker way may take, in seconds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RenderJob:
    """One document to render. The caller chooses ``key``, and gets it back with the rendering."""

    key: str
    raw: bytes
    media_type: str
    charset: str | None = None
    url: str = ""
    sheets: Sheets = field(default_factory=dict)


class CannotRender(Exception):
    """Raised if no rendering process can be started. The message is for the user."""


class _Worker:
    """A rendering process, its current job, and when it must be done."""

    def __init__(self, memory_mb: int) -> None:
        ours, theirs = socket.socketpair()
        path = os.pathsep.join(part for part in (str(PROJECT), os.environ.get("PYTHONPATH", "")) if part)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "assess.rendering.one_process", str(theirs.fileno()), str(memory_mb)],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                env={"PATH": os.environ.get("PATH", ""), "PYTHONPATH": path, "PYTHONHASHSEED": "0"},
                cwd=PROJECT,
            )
        self.connection = Connection(ours.detach())
        self.slot: _Slot | None = None
        self.ready = False
        self.deadline = time.monotonic() + START_SECONDS

    def give(self, slot: _Slot, seconds: float) -> None:
        """Send a job to a process that is ready. Raise OSError if the process has died meanwhile."""
        self.slot = slot
        job = slot.job
        header = {
            "media_type": job.media_type,
            "charset": job.charset,
            "url": job.url,
            "sheets": dict(job.sheets),
            "reason": slot.reason,
            "seconds": seconds,
        }
        self.connection.send_bytes(json.dumps(header).encode())
        self.connection.send_bytes(job.raw)
        self.deadline = time.monotonic() + seconds

    def stop(self) -> None:
        """End the process at once."""
        self.connection.close()
        self.process.kill()
        self.process.wait()


@dataclass(slots=True)
class _Slot:
    """A job in order of arrival, and its result when it is done. ``reason`` is set if only text is wanted."""

    job: RenderJob
    reason: str = ""
    result: Rendering | None = None


class RenderPool:
    """A pool that renders many documents, as a context manager. Only one thread may use it at a time."""

    def __init__(self, *, processes: int = 2, seconds: float = 5.0, memory_mb: int = 1024) -> None:
        self.processes = processes
        self.seconds = seconds
        self.memory_mb = memory_mb
        self._workers: list[_Worker] = []
        self._failed_starts = 0

    def __enter__(self) -> RenderPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop all processes. If the pool is used again, it starts new ones."""
        while self._workers:
            self._workers.pop().stop()

    def map(self, jobs: Iterable[RenderJob]) -> Iterator[tuple[RenderJob, Rendering]]:
        """Yield each job with its rendering, in the order of the jobs. A few jobs are read ahead.

        Raise CannotRender if no process can be started at all.
        """
        source = iter(jobs)
        window: deque[_Slot] = deque()
        waiting: deque[_Slot] = deque()
        exhausted = False
        try:
            while True:
                while not exhausted and len(window) < self.processes * 3:
                    job = next(source, None)
                    if job is None:
                        exhausted = True
                        break
                    slot = _Slot(job)
                    window.append(slot)
                    waiting.append(slot)
                while window and window[0].result is not None:
                    done = window.popleft()
                    if done.result is not None:
                        yield done.job, done.result
                if not window:
                    if exhausted:
                        return
                    continue
                self._step(waiting)
        finally:
            if window:  # the caller left early: processes are still busy with unwanted jobs
                self.close()

    def _step(self, waiting: deque[_Slot]) -> None:
        """Start processes, hand out jobs, receive results, and end jobs that overrun. Blocks until something
        happens.
        """
        while len(self._workers) < min(self.processes, len(waiting) + sum(bool(w.slot) for w in self._workers)):
            self._workers.append(_Worker(self.memory_mb))
        for worker in list(self._workers):
            if waiting and worker.ready and worker.slot is None:
                self._give(worker, waiting)
        busy = [worker for worker in self._workers if worker.slot is not None or not worker.ready]
        timeout = max(0.0, min((worker.deadline for worker in busy), default=0.0) - time.monotonic())
        readable = wait([worker.connection for worker in busy], timeout)
        for worker in busy:
            if worker.connection in readable:
                self._receive(worker, waiting)
            elif time.monotonic() >= worker.deadline:
                self._lose(worker, waiting, f"could not be prepared within {self.seconds:g} s")

    def _give(self, worker: _Worker, waiting: deque[_Slot]) -> None:
        slot = waiting.popleft()
        try:
            worker.give(slot, TEXT_SECONDS if slot.reason else self.seconds)
        except OSError:
            worker.slot = None
            waiting.appendleft(slot)
            self._remove(worker)

    def _receive(self, worker: _Worker, waiting: deque[_Slot]) -> None:
        try:
            message = json.loads(worker.connection.recv_bytes())
        except (EOFError, OSError, ValueError):
            self._lose(worker, waiting, "could not be prepared: it broke off the program that prepares pages")
            return
        if not worker.ready:
            worker.ready, self._failed_starts = True, 0
        elif worker.slot is not None:
            slot, worker.slot = worker.slot, None
            if message.get("spent"):
                self._remove(worker)
            if "reason" in message:
                self._retry(slot, waiting, message["reason"])
            else:
                slot.result = Rendering(**message)

    def _lose(self, worker: _Worker, waiting: deque[_Slot], reason: str) -> None:
        """End a process that overran or died, and try its document once in the quicker way. Raises `CannotRender` if
        processes can't be started, as after three failed starts.
        """
        slot = worker.slot
        if not worker.ready:
            self._failed_starts += 1
        self._remove(worker)
        if slot is not None:
            self._retry(slot, waiting, reason)
        elif self._failed_starts >= 3:
            raise CannotRender("The program that prepares pages cannot be started; look at the errors above this line.")

    def _remove(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.stop()

    def _retry(self, slot: _Slot, waiting: deque[_Slot], reason: str) -> None:
        if slot.reason:
            note = f"{slot.reason} Its text could not be taken either; look at its source."
            slot.result = rendering(page=None, text="", status="failed", note=note)
        else:
            slot.reason = f"This page {reason}."
            waiting.appendleft(slot)

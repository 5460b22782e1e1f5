"""Rendering processes that outlive the test that started them.

Whatever stores pages renders them in processes of their own (`assess/rendering/processes.py`), and to start one takes a
fifth of a processor's second. One that waits for work is the same before and after a page: so a pool that closes leaves
it to the next pool that has the same limit of memory, in this or in another test. Tests of how processes start, overrun
and end take the fixture `own_processes`, and their pools start and stop all of theirs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress

import pytest

from assess.rendering import processes
from assess.rendering.processes import RenderPool, _Worker

MOST = 3
"""As many of a limit wait at most; what comes back beyond them ends."""

_waiting: defaultdict[int, list[_Worker]] = defaultdict(list)
_close = RenderPool.close


def _started(memory_mb: int) -> _Worker:
    """A process that waits, if it still lives, or a new one."""
    with suppress(IndexError):
        while True:
            worker = _waiting[memory_mb].pop()
            if worker.process.poll() is None:
                return worker
            worker.stop()
    return _Worker(memory_mb)


def _closed(pool: RenderPool) -> None:
    """What `RenderPool.close` does, but that processes without work are kept."""
    kept = _waiting[pool.memory_mb]
    for worker in [each for each in pool._workers if each.ready and each.slot is None][: MOST - len(kept)]:
        pool._workers.remove(worker)
        kept.append(worker)
    _close(pool)


@pytest.fixture(scope="session", autouse=True)
def kept_processes() -> Iterator[None]:
    """Pools of this session hand processes on, until its end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "_Worker", _started)
        patch.setattr(RenderPool, "close", _closed)
        yield
    for workers in _waiting.values():
        while workers:
            workers.pop().stop()


@pytest.fixture(scope="module")
def own_processes(kept_processes: None) -> Iterator[None]:
    """Pools of this module start and stop their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "_Worker", _Worker)
        patch.setattr(RenderPool, "close", _close)
        yield

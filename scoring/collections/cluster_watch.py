"""Tells people who wait for a search how far a slow shard is, and whether a Dask cluster has no worker or has lost one.
Without these messages all three would look alike.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Set
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

LOOK_EVERY = 1.0
"""The seconds between two checks of the workers."""
SAY_EVERY = 30.0
"""The seconds before a message is repeated: that there is no worker, or how far a shard is."""


@dataclass
class Watch:
    """Reports changes in the workers of a scheduler since the last check."""

    address: str
    known: set[str] = field(default_factory=set)
    said_at: float | None = None

    def look(self, workers: Set[str], now: float) -> list[str]:
        """Return the messages since the last check. Each lost worker gets one message; as long as there is no worker at
        all, there is a message every 30 seconds.
        """
        lost, self.known = sorted(self.known - workers), set(workers)
        messages = [f"The worker {each} is lost. Others search again what it searched." for each in lost]
        if workers:
            self.said_at = None
        elif self.said_at is None or now - self.said_at >= SAY_EVERY:
            self.said_at = now
            messages.append(
                f"The scheduler at {self.address} has no worker, so nothing is searched. "
                f"Start one on any machine that reads the collection: dask worker {self.address}"
            )
        return messages


def watched(client: Any, address: str, say: Callable[[str], None]) -> AbstractContextManager[None]:
    """Watch the workers of the client's scheduler until the block ends, and pass each message to ``say``."""
    watch = Watch(address)

    def look() -> None:
        with suppress(OSError, TimeoutError):  # the search itself says that the scheduler is gone
            for sentence in watch.look(set(client.nthreads()), time.monotonic()):
                say(sentence)

    return _repeated(look, LOOK_EVERY)


def reported(read: Callable[[], int], shard: str, say: Callable[[str], None]) -> AbstractContextManager[None]:
    """Until the block ends, pass to ``say`` every 30 seconds how many records of the shard were read."""
    return _repeated(lambda: say(f"{shard}: {read():,} records read so far."), SAY_EVERY)


@contextmanager
def _repeated(act: Callable[[], None], seconds: float) -> Iterator[None]:
    """Call ``act`` in a thread every so many seconds until the block ends."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(seconds):
            act()

    thread = threading.Thread(target=repeat, name="cluster-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()

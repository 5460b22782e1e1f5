"""Turns Python's garbage collector off for much reading or computing, since it looks at all objects again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Turn Python's garbage collector off while the block runs, for code that makes very many objects and hardly any
    reference cycles.

    If several threads do this at the same time, the thread that began first turns the collector on again for all when
    it leaves its block, so that it can't stay off for good.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()

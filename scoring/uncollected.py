"""Much reading or computing without Python's collector of cycles, which looks at all objects again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Do without the collector inside the block, for what makes very many objects and hardly a cycle of them.

    Of several threads the first one that leaves its block has the collector work again, so it never stays off.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()

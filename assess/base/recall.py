"""What a process remembers of things that cost seconds to compute and never change for the same key."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")

_memories: list[Memory[Any]] = []


class Memory(Generic[Result]):
    """The newest ``size`` results by key. The key must name all that the result depends on."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, Result] = OrderedDict()
        self._lock = Lock()
        _memories.append(self)

    def get(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """The result kept under this key, else what is computed now. Two callers at once may both compute it."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        result = compute()
        with self._lock:
            self._kept[key] = result
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return result

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()


def forget_everything() -> None:
    """Make this process compute all of it anew."""
    for memory in _memories:
        memory.clear()

"""What a process keeps in memory: the things used last, so many of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class LastUsed(Generic[Thing]):
    """Things by key; of more than ``number`` the one that was not used for longest goes. Threads may share it."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._found: OrderedDict[Hashable, Thing] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> Thing | None:
        """The thing, which is now the one used last; None where it is not kept."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
            return self._found.get(key)

    def keep(self, key: Hashable, thing: Thing) -> None:
        """Keep a thing."""
        with self._lock:
            self._found[key] = thing
            self._found.move_to_end(key)
            while len(self._found) > self._number:
                self._found.popitem(last=False)

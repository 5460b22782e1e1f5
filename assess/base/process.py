"""State of a process: which code it runs, which results it remembers, and which request it answers."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

import scoring
from scoring.version import version

# The version of the running code, with a digest of the packages that compute scores.

SCORED_BY = ("scoring", "tracks")


COLLECTED_BY = ("assess", "nuggets", *SCORED_BY)


def remember_version() -> None:
    """Read which code this process runs.

    Call it at the start, since an update may replace the code files later.
    """
    code_version()
    site_version()


def code_version() -> str:
    """Return a version such as "0.1.0+3f2a9c1d"; the second part is a digest of all modules of `scoring` and
    `tracks`.
    """
    return _version_of(SCORED_BY)


def site_version() -> str:
    """Return the version with a digest of all packages that collect and write records: `assess` and `nuggets`, too."""
    return _version_of(COLLECTED_BY)


@lru_cache(maxsize=len(COLLECTED_BY))
def _digest_of(package: str) -> bytes:
    """Return a digest of every module of a package."""
    place = Path(next(iter(scoring.__path__))).parent
    digest = hashlib.sha256()
    for path in sorted((place / package).rglob("*.py")):
        digest.update(path.relative_to(place).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.digest()


@lru_cache(maxsize=2)
def _version_of(packages: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for package in packages:
        digest.update(_digest_of(package))
    return f"{version()}+{digest.hexdigest()[:8]}"


# Remembered results that take seconds to compute and never change for the same key.

Result = TypeVar("Result")

_memories: list[Memory[Any]] = []


class Memory(Generic[Result]):
    """A cache of the newest ``size`` results by key. The key must name everything that a result depends on."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, Result] = OrderedDict()
        self._lock = Lock()
        _memories.append(self)

    def get(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """Return the result under this key, after computing it if it is missing. Two callers at once may both compute
        it.
        """
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
        """Forget all results."""
        with self._lock:
            self._kept.clear()


def forget_everything() -> None:
    """Make this process forget all remembered results."""
    for memory in _memories:
        memory.clear()


# The id of the request that is being answered, for the activity and for lines of the log.

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")

# The number of the request's API token, for the activity; None if the person is logged in.

TOKEN: ContextVar[int | None] = ContextVar("token", default=None)

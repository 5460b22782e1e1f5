"""What a process knows: which code it runs, what it has computed before, which request it answers."""

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

# Which code computes: the version, and a digest of what scores are computed by.

SCORED_BY = ("scoring", "tracks")


COLLECTED_BY = ("assess", "nuggets", *SCORED_BY)


def remember_version() -> None:
    """Read which code this process runs. Called at its start: an update may put other code into the same place."""
    code_version()
    site_version()


def code_version() -> str:
    """Such as "0.1.0+3f2a9c1d": the second part follows from every module of `scoring` and `tracks`."""
    return _version_of(SCORED_BY)


def site_version() -> str:
    """Return the same of all that records are collected and written by: `assess` and `nuggets` as well."""
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


# What a process remembers of things that cost seconds to compute and never change for the same key.

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


# The id of the request that is being answered, for the activity and for lines of the log.

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")

# The number of the API token by which it came, for the activity; None where somebody is logged in.

TOKEN: ContextVar[int | None] = ContextVar("token", default=None)
